"""`lexi iwh`: signals are left, read once, and listed."""

from __future__ import annotations

import pytest
from example_library import Library


def test_lb_022_027_028_the_latest_signal_of_a_directory_lies_there(
    shop: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEXI_AUTHOR", "a1")
    assert "Created .lexibrary/src/shop/.iwh" in shop.lexi("iwh", "write", "src/shop", "First.").out
    done = shop.lexi("iwh", "write", "src/shop", "--scope", "blocked", "--body", "Tests fail.\n\n- money.py", "--json")
    assert done.data["scope"] == "blocked"
    text = shop.read(".lexibrary/src/shop/.iwh")
    assert text.startswith("---\nauthor: a1\ncreated: 2")
    assert text.endswith("scope: blocked\n---\n\nTests fail.\n\n- money.py\n")
    assert shop.lexi("iwh", "list").out.startswith("src/shop/  [blocked] a1, 2")


def test_lb_025_reading_removes_and_peeking_does_not(shop: Library) -> None:
    shop.lexi("iwh", "write", "src", "Half done.")
    assert "Half done." in shop.lexi("iwh", "read", "src", "--peek").out
    assert shop.has(".lexibrary/src/.iwh")
    assert "Half done." in shop.lexi("iwh", "read", "src").out
    assert not shop.has(".lexibrary/src/.iwh")
    done = shop.lexi("iwh", "read", "src", "--json")
    assert (done.code, done.data) == (0, {"signal": None})


def test_lb_023_the_root_has_a_signal_of_its_own(shop: Library) -> None:
    shop.lexi("iwh", "write", ".", "Beware.")
    assert shop.has(".lexibrary/.iwh")
    assert "No signal in src/" in shop.lexi("iwh", "read", "src").out
    assert "Beware." in shop.lexi("iwh", "read", ".", cwd=".").out


def test_a_damaged_signal_is_shown_and_removed(shop: Library) -> None:
    shop.write(".lexibrary/src/.iwh", "---\nauthor: [\n---\nStill of use.\n")
    assert "Still of use." in shop.lexi("iwh", "read", "src").out
    assert not shop.has(".lexibrary/src/.iwh")


def test_lb_026_signals_can_be_turned_off(shop: Library) -> None:
    shop.write(".lexibrary/config.yaml", "iwh:\n  enabled: false\n")
    shop.write(".lexibrary/src/.iwh", "Left before.\n")
    refused = shop.lexi("iwh", "write", "src", "x")
    assert refused.code == 1
    assert "iwh.enabled" in refused.err
    for command in (("read", "src"), ("list",)):
        done = shop.lexi("iwh", *command)
        assert done.code == 0
        assert "turned off" in done.out
        assert "Left before." not in done.out
    assert shop.has(".lexibrary/src/.iwh")


def test_lb_024_clean_work_leaves_none(shop: Library) -> None:
    refused = shop.lexi("iwh", "write", "src", " ")
    assert refused.code == 1
    assert shop.lexi("iwh", "list").out == "No signals found.\n"
    assert shop.lexi("iwh", "write", "nowhere", "x").code == 1


def test_lb_029_signals_are_ignored_by_git_and_have_no_budget(shop: Library) -> None:
    shop.git("init", "-q")
    shop.lexi("iwh", "write", "src", "word " * 2000)
    assert ".iwh" not in shop.git("status", "--short", "-uall")
    assert shop.lexictl("validate", "--check", "token_budgets").out == "No validation issues found.\n"
