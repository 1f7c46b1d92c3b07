"""Sweeps: they update, and do nothing where nothing changed."""

from __future__ import annotations

import os
import time

import pytest
from example_library import Library


@pytest.fixture
def swept(shop: Library) -> Library:
    """A library that was swept, over files of last year."""
    year_ago = time.time() - 365 * 86400
    for path in sorted(shop.root.rglob("*"), reverse=True):
        if ".lexibrary" not in path.parts:
            os.utime(path, (year_ago, year_ago))
    os.utime(shop.root, (year_ago, year_ago))
    assert shop.lexictl("sweep", "--json").data["skipped"] is False
    return shop


def test_nothing_is_done_where_nothing_changed(swept: Library) -> None:
    before = swept.everything()
    assert swept.lexictl("sweep").out == "Nothing changed since the last sweep.\n"
    assert swept.everything() == before
    assert "sweep skipped" in swept.read(".lexibrarian.log")


@pytest.mark.parametrize("change", ["edit", "add", "delete"])
def test_each_change_is_seen(swept: Library, change: str) -> None:
    if change == "edit":
        swept.edit("src/shop/money.py", "(amount: int)", "(amount: float)")
    elif change == "add":
        swept.write("src/shop/new.py", "x = 1\n")
    else:
        (swept.root / "README.md").unlink()
    done = swept.lexictl("sweep", "--json")
    assert done.data["skipped"] is False
    assert done.data["levels"] or done.data["removed"] == ["README.md"]


def test_a_sweep_that_fails_is_made_again(swept: Library) -> None:
    swept.edit("src/shop/money.py", "(amount: int)", "(amount: float)")
    config = swept.read(".lexibrary/config.yaml")
    swept.write(".lexibrary/config.yaml", "scope_root: 7\n")
    assert swept.lexictl("sweep").code == 1
    swept.write(".lexibrary/config.yaml", config)
    assert "src/shop/money.py" in swept.lexictl("sweep", "--json").data["levels"]
