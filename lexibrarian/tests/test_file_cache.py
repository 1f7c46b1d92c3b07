"""What the index remembers: unchanged files are not read again, and no change is missed."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from example_library import Library

from lexibrarian import file_cache, sources, store
from lexibrarian.file_cache import state_of, unchanged_state
from lexibrarian.index import read_index
from lexibrarian.project import Project

SOURCE = "src/shop/money.py"


@pytest.fixture
def settled_shop(shop: Library) -> Library:
    """A library whose files are all older than its index."""
    for path in shop.root.rglob("*"):
        if path.is_file():
            os.utime(path, ns=(1, 1))
    # The other time of a file cannot be set; what is as young as the index is read once more.
    for _ in range(100):
        assert shop.lexictl("update").code == 0
        known = read_index(Project(shop.root))
        if all(each.source_state and each.design_state for each in known.values() if each.hash):
            return shop
    raise AssertionError("The index does not settle.")


def test_unchanged_files_are_not_read_again(settled_shop: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: str | Path, most: int | None = None) -> bytes:
        read.append(str(path))
        return Path(path).read_bytes()

    for module in (store, sources, file_cache):
        monkeypatch.setattr(module, "read_bytes", counted)
    assert settled_shop.lexictl("update").code == 0
    assert settled_shop.lexictl("validate").code == 0
    assert not [path for path in read if path.endswith((".py", ".py.md"))]
    settled_shop.edit(SOURCE, "def", "async def")
    assert "src/shop/money.py" in settled_shop.lexictl("update", "--json").data["levels"]
    assert [path for path in read if path.endswith(".py")] == [f"{settled_shop.root}/{SOURCE}"]


def test_a_change_that_keeps_size_and_time_is_seen(settled_shop: Library) -> None:
    path = settled_shop.root / SOURCE
    text, before = path.read_text(), path.stat()
    path.write_text(text.replace("def", "DEF", 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert settled_shop.lexictl("validate").out.count("changed after this was written") == 1
    assert settled_shop.lexictl("update", "--json").data["levels"] == {SOURCE: "interface_changed"}


def test_an_edited_design_file_is_seen(settled_shop: Library) -> None:
    settled_shop.edit(f".lexibrary/{SOURCE}.md", "## Dependencies", "## Dependencies\n\n- src/shop/nowhere.py\n")
    assert "src/shop/nowhere.py" in settled_shop.lexictl("validate").out
    settled_shop.edit(f".lexibrary/{SOURCE}.md", 'description: "', 'description: "Edited. ')
    assert settled_shop.lexi("index", "src/shop").code == 0
    assert "Edited." in settled_shop.read(".lexibrary/src/shop/.aindex")


def test_what_is_as_young_as_the_index_is_not_trusted(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    state, changed = state_of(str(path)), path.stat().st_ctime_ns
    assert unchanged_state(state, changed) == ""
    assert unchanged_state(state, changed + 1) == state
    assert state_of(str(tmp_path / "b.py")) == unchanged_state("", changed) == ""


def test_other_settings_are_no_memory(settled_shop: Library) -> None:
    settled_shop.write("notes.txt", "word " * 400)
    settled_shop.lexictl("update")
    assert settled_shop.has(".lexibrary/notes.txt.md")
    settled_shop.write("large.txt", "word " * 400)
    config = settled_shop.read(".lexibrary/config.yaml")
    settled_shop.write(".lexibrary/config.yaml", f"{config}crawl:\n  max_file_size_kb: 1\n")
    assert settled_shop.lexictl("update", "--json").data["without_design_file"]["large.txt"] == "large file"
    settled_shop.write(".lexibrary/config.yaml", config)
    assert settled_shop.lexictl("update", "--json").data["levels"] == {"large.txt": "new"}


@pytest.mark.parametrize("damage", ["text", "empty", "old", "half"])
def test_a_damaged_index_is_made_anew(settled_shop: Library, damage: str) -> None:
    before, index = settled_shop.everything(), settled_shop.root / ".lexibrary/index.db"
    if damage in ("old", "half"):
        with sqlite3.connect(index) as connection:
            connection.execute("PRAGMA user_version = 1" if damage == "old" else "DROP TABLE digests")
        connection.close()
    else:
        index.write_bytes(b"no database" * 100 if damage == "text" else b"")
    for command in (("lookup", SOURCE), ("index", "-r", ".")):
        assert settled_shop.lexi(*command).code == 0
    for _ in range(2):
        assert settled_shop.lexictl("update", SOURCE).code == 0
        assert settled_shop.lexictl("validate").code == 0
        assert settled_shop.lexictl("update").code == 0
    assert settled_shop.everything() == before
    assert read_index(Project(settled_shop.root))[SOURCE].hash


def test_an_update_of_one_file_asks_the_index_for_the_others(settled_shop: Library) -> None:
    settled_shop.write("src/shop/basket.py", "from shop.money import Money\nimport shop.cart\n")
    assert settled_shop.lexictl("update", "src/shop/basket.py").code == 0
    written = settled_shop.design("src/shop/basket.py")
    assert "- src/shop/cart.py\n- src/shop/money.py\n" in written
    settled_shop.write("tests/test_basket.py", "import shop.basket\n")
    assert settled_shop.lexictl("update", "--changed-only", "tests/test_basket.py", "src/shop/basket.py").code == 0
    assert "- tests/test_basket.py" in settled_shop.design("src/shop/basket.py")
    before = settled_shop.everything()
    assert settled_shop.lexictl("update").code == 0
    assert settled_shop.everything() == before
