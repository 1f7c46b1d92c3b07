"""The configuration: two tiers, defaults, and refusals that name the key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from example_library import Library

from lexibrarian.config import load_config
from lexibrarian.project import Project
from lexibrarian.setup.init import Choices


def test_lb_009_010_the_project_overrides_the_user_key_by_key(library: Library, own_home: Path) -> None:
    user = own_home / ".config/lexibrarian/config.yaml"
    user.parent.mkdir(parents=True)
    user.write_text("token_budgets:\n  aindex_tokens: 7\n  concept_tokens: 8\nignore:\n  additional_patterns: [a, b]\n")
    library.write(
        ".lexibrary/config.yaml", "token_budgets:\n  concept_tokens: 9\nignore:\n  additional_patterns: [c]\n"
    )
    config, warnings = load_config(Project(library.root))
    assert (config.token_budgets.aindex_tokens, config.token_budgets.concept_tokens) == (7, 9)
    assert config.ignore.additional_patterns == ["c"]
    assert warnings == []


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("iwh:\n  enabled: perhaps\n", "iwh.enabled"),
        ("token_budgets:\n  aindex_tokens: many\n", "token_budgets.aindex_tokens"),
        ("mapping:\n  strategies:\n  - pattern: '*.md'\n    strategy: magic\n", "mapping.strategies.0.strategy"),
        ("scope_root: 7\n", "scope_root"),
        ("crawl: 3\n", "crawl"),
        ("start_here:\n  topology_format: drawn\n", "start_here.topology_format"),
    ],
)
def test_lb_014_015_a_wrong_value_is_refused_by_its_key(library: Library, text: str, key: str) -> None:
    library.write(".lexibrary/config.yaml", text)
    for _ in range(2):  # The refusal is not taken for a check that passed.
        done = library.lexictl("update")
        assert done.code == 1
        assert f"`{key}`" in done.err
        assert "Traceback" not in done.err


def test_unknown_keys_warn_and_name_the_nearest(library: Library) -> None:
    library.write(".lexibrary/config.yaml", "scope_rot: src\niwh:\n  enabld: true\n")
    done = library.lexictl("update")
    assert done.code == 0
    assert "Unknown setting `scope_rot`. Did you mean `scope_root`?" in done.err
    assert "`iwh.enabld`" in done.err
    quiet = library.lexictl("update", "--json")
    assert quiet.err == ""
    assert len(quiet.data["warnings"]) == 2


def test_broken_yaml_is_refused_with_its_line(library: Library) -> None:
    library.write(".lexibrary/config.yaml", "a: 1\nb: [\n")
    done = library.lexi("lookup", "x")
    assert done.code == 1
    assert "not valid YAML on line" in done.err


def test_a_file_in_another_encoding_is_refused_and_a_mark_at_its_begin_is_not(library: Library) -> None:
    library.write(".lexibrary/config.yaml", "project_name: Caf\xe9\n".encode("latin-1"))
    done = library.lexictl("status")
    assert done.code == 1
    assert "config.yaml is not UTF-8." in done.err
    library.write(".lexibrary/config.yaml", "scope_root: 5\n".encode("utf-8-sig"))
    assert "`scope_root`" in library.lexictl("status").err


def test_an_empty_configuration_is_all_defaults(library: Library) -> None:
    library.write(".lexibrary/config.yaml", "iwh:\nscope_root:\n")
    config, _ = load_config(Project(library.root))
    assert config.iwh.enabled
    assert config.scopes == ("",)


def test_lb_012_013_only_files_in_scope_get_design_files(library: Library) -> None:
    library.write(".lexibrary/config.yaml", "scope_root: [src/, lib]\n")
    for path in ("src/a.py", "lib/b.py", "tools/c.py", "srcs/d.py"):
        library.write(path, "x = 1\n")
    assert library.lexictl("update").code == 0
    assert library.has(".lexibrary/src/a.py.md")
    assert library.has(".lexibrary/lib/b.py.md")
    assert not library.has(".lexibrary/tools/c.py.md")
    assert not library.has(".lexibrary/srcs/d.py.md")
    assert "| `c.py` | file | Python, 1 lines. |" in library.read(".lexibrary/tools/.aindex")
    assert "outside scope_root" in library.lexi("lookup", "tools/c.py").err


@pytest.mark.parametrize("scope", ["src", "2024", "a: b", "#x", "yes", "[x]", "src/shop"])
def test_a_scope_is_read_as_it_was_chosen(library: Library, scope: str) -> None:
    library.write(".lexibrary/config.yaml", Choices("shop", [scope]).as_config())
    config, warnings = load_config(Project(library.root))
    assert (config.scopes, warnings) == ((scope,), [])


@pytest.mark.parametrize(
    ("name", "read"), [(b"caf\xe9", "caf\ufffd"), (b"a\x7fb", "a\x7fb"), ('"é\u2028'.encode(), '"é\u2028')]
)
def test_a_project_may_have_any_name(empty: Library, name: bytes, read: str) -> None:
    inside = empty.root / os.fsdecode(name)
    inside.mkdir()
    assert empty.lexictl("init", "--defaults", cwd=os.fsdecode(name)).code == 0
    assert empty.lexictl("update", cwd=os.fsdecode(name)).code == 0
    config, _ = load_config(Project(inside))
    assert config.project_name == read


def test_lb_105_each_kind_of_file_has_a_budget_that_can_be_set(shop: Library) -> None:
    config, _ = load_config(Project(shop.root))
    assert vars(config.token_budgets) == {
        "start_here_tokens": 800,
        "design_file_tokens": 400,
        "abridged_tokens": 100,
        "aindex_tokens": 200,
        "concept_tokens": 400,
    }
    check = ("validate", "--check", "token_budgets", "--json")
    assert shop.lexictl(*check).data["issues"] == []
    shop.lexi("concept", "new", "Cash")
    shop.write(".lexibrary/stack/ST-001-long.md", "---\nid: ST-001\n---\n\n## Problem\n\n" + "word " * 5000)
    shop.write(
        ".lexibrary/config.yaml",
        "token_budgets: {start_here_tokens: 9, design_file_tokens: 8, aindex_tokens: 7, concept_tokens: 6}\n",
    )
    done = shop.lexictl(*check)
    assert done.code == 2
    sizes = {issue["path"]: issue["message"].rpartition(" ")[2] for issue in done.data["issues"]}
    assert sizes[".lexibrary/START_HERE.md"] == "9."
    assert sizes[".lexibrary/src/shop/money.py.md"] == "8."
    assert sizes[".lexibrary/src/shop/.aindex"] == "7."
    assert sizes[".lexibrary/concepts/Cash.md"] == "6."
    assert ".lexibrary/stack/ST-001-long.md" not in sizes


def test_lb_105_letters_of_two_tokens_are_counted(shop: Library) -> None:
    texts = {"concepts/Cash.md": "---\ntitle: Cash\n---\n" + "金" * 280, "src/.aindex": f"# src/\n\n{'金' * 150}\n"}
    for path, text in texts.items():
        shop.write(f".lexibrary/{path}", text)
    issues = shop.lexictl("validate", "--check", "token_budgets", "--json").data["issues"]
    assert {issue["path"] for issue in issues} == {f".lexibrary/{path}" for path in texts}
