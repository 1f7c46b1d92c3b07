"""The pipeline: what each kind of change does to a design file, and what it never does."""

from __future__ import annotations

import json
import os
import re

import pytest
from example_library import Library

from lexibrarian import update as update_module
from lexibrarian.artefacts.design import read_design
from lexibrarian.config import Config
from lexibrarian.project import Project


def levels(library: Library, *arguments: str) -> dict[str, str]:
    done = library.lexictl("update", "--json", *arguments)
    assert done.code == 0, done.out
    found: dict[str, str] = done.data["levels"]
    return found


def test_lb_007_034_042_design_files_mirror_the_sources(shop: Library) -> None:
    design = read_design(shop.design("src/shop/cart.py"))
    assert design.description == "Defines Cart."
    assert "class Cart:\n    def total(self) -> int" in design.section("Interface Contract")
    assert design.items("Dependencies") == ["src/shop/money.py"]
    assert len(design.meta["source_hash"]) == len(design.meta["interface_hash"]) == 64
    assert design.meta["source"] == "src/shop/cart.py"
    assert read_design(shop.design("src/shop/money.py")).description == "Amounts of money."
    assert read_design(shop.design("src/shop/money.py")).items("Tests") == ["tests/test_money.py"]


def test_lb_033_files_that_are_no_code_have_no_interface_hash(shop: Library) -> None:
    design = read_design(shop.design("README.md"))
    assert "interface_hash" not in design.meta
    assert design.description == "Shop"
    assert design.section("Interface Contract") == "- (none)"


def test_lb_128_a_second_update_changes_no_byte(shop: Library) -> None:
    before = shop.everything()
    stamps = {path: (shop.root / ".lexibrary" / path).stat().st_mtime_ns for path in before}
    assert levels(shop) == {}
    assert shop.everything() == before
    assert {path: (shop.root / ".lexibrary" / path).stat().st_mtime_ns for path in before} == stamps


def test_lb_043_089_092_the_index_may_vanish(shop: Library) -> None:
    before = shop.everything()
    (shop.root / ".lexibrary/index.db").write_bytes(b"no database at all")
    shop.lexictl("update")
    assert shop.everything() == before
    (shop.root / ".lexibrary/index.db").unlink(missing_ok=True)
    shop.lexictl("update")
    assert shop.everything() == before
    assert "src/shop/cart.py" in shop.lexi("lookup", "src/shop/money.py").out


@pytest.mark.parametrize(
    ("path", "old", "new", "level"),
    [
        ("src/shop/money.py", "return amount", "return amount + 0", "content_only"),
        ("src/shop/money.py", "(amount: int)", "(amount: float)", "interface_changed"),
        ("README.md", "people", "everybody", "content_changed"),
    ],
)
def test_lb_090_091_levels_of_change(shop: Library, path: str, old: str, new: str, level: str) -> None:
    shop.edit(path, old, new)
    assert levels(shop, "--dry-run") == {path: level}
    assert levels(shop) == {path: level}
    assert levels(shop) == {}
    if level == "interface_changed":
        assert "(amount: float)" in shop.design(path)


def test_line_ends_are_no_change(shop: Library) -> None:
    text = shop.read("src/shop/money.py")
    shop.write("src/shop/money.py", text.replace("\n", "\r\n"))
    assert levels(shop) == {}


def test_lb_036_an_edited_design_file_only_gets_its_hashes(shop: Library) -> None:
    path = ".lexibrary/src/shop/money.py.md"
    shop.edit(path, "## Dependencies", "## Complexity Warning\n\nRounding is  odd.\n\n## Dependencies")
    shop.edit(path, "updated_by: archivist", "updated_by: agent")
    shop.edit("src/shop/money.py", "(amount: int)", "(amount: float)")
    before = read_design(shop.read(path))
    assert levels(shop) == {"src/shop/money.py": "agent_updated"}
    after = read_design(shop.read(path))
    assert after.footed.before == before.footed.before
    assert after.meta["source_hash"] != before.meta["source_hash"]
    assert not after.edited


def test_lb_045_what_was_written_by_hand_survives_three_updates(shop: Library) -> None:
    path = ".lexibrary/src/shop/money.py.md"
    own = "## Notes\n\nNever   floats.\n\n```\n## not a heading\n```\n\n## Stack\n\n- [[ST-001]] Rounding\n\n"
    shop.edit(path, "## Tests", f"{own}## Tests")
    shop.edit(path, 'description: "Amounts of money."', 'description: "How prices are kept."')
    for number in range(3):
        shop.write("src/shop/money.py", f'"""Other words {number}."""\ndef rounded_{number}(): ...\n')
        levels(shop)
        text = shop.read(path)
        assert own in text
        assert 'description: "How prices are kept."' in text
    assert "def rounded_2()" in shop.read(path)


def test_a_description_of_the_program_follows_the_source(shop: Library) -> None:
    shop.edit("src/shop/money.py", "Amounts of money.", "Sums of money.")
    levels(shop)
    assert read_design(shop.design("src/shop/money.py")).description == "Sums of money."
    assert "Sums of money." in shop.read(".lexibrary/src/shop/.aindex")


def test_lb_037_a_design_file_without_a_footer_is_adopted(shop: Library) -> None:
    own = "# Mine\n\nAll of   it.\n"
    shop.write("src/shop/own.py", "x = 1\n")
    shop.write(".lexibrary/src/shop/own.py.md", own)
    assert levels(shop) == {"src/shop/own.py": "adopted"}
    design = read_design(shop.design("src/shop/own.py"))
    assert design.footed.before.rstrip() == own.rstrip()
    assert design.meta["source"] == "src/shop/own.py"
    assert levels(shop) == {}


def test_lb_097_139_a_source_in_conflict_is_skipped_and_checked_again(shop: Library) -> None:
    before = shop.design("src/shop/money.py")
    shop.write("src/shop/money.py", "<<<<<<< ours\na = 1\n=======\na = 2\n>>>>>>> theirs\n")
    done = shop.lexictl("update")
    assert "src/shop/money.py holds conflict markers" in done.err
    assert "skipped src/shop/money.py" in shop.read(".lexibrarian.log")
    assert shop.design("src/shop/money.py") == before
    shop.write("src/shop/money.py", "A = 1\n")
    assert levels(shop) == {"src/shop/money.py": "interface_changed"}
    shop.write("doc.md", "A line of\n<<<<<<< alone\nis text.\n")
    assert levels(shop) == {"doc.md": "new"}


def test_lb_023_053_a_single_file_renews_the_index_above(shop: Library) -> None:
    shop.write("src/shop/new.py", '"""Brand new."""\n')
    shop.edit("src/shop/cart.py", "class Cart", "class Basket")
    assert levels(shop, "src/shop/new.py") == {"src/shop/new.py": "new"}
    assert "| `new.py` | file | Brand new. |" in shop.read(".lexibrary/src/shop/.aindex")
    assert levels(shop) == {"src/shop/cart.py": "interface_changed"}


def test_updates_of_single_files_end_where_one_of_everything_does(shop: Library, empty: Library) -> None:
    shop.write("src/other/deep/x.py", '"""Deep."""\nfrom shop.cart import Cart\n')
    shop.write("src/other/y.py", '"""Wide."""\nfrom .deep import x\n')
    shop.lexictl("update", "--changed-only", "src/other/deep/x.py", "src/other/y.py")
    before = shop.everything()
    assert "| `other/` | dir |" in before["src/.aindex"].decode()
    shop.lexictl("update")
    assert shop.everything() == before


def test_lb_093_several_files_and_what_excludes_what(shop: Library) -> None:
    shop.edit("src/shop/money.py", "return amount", "return 1")
    shop.edit("src/shop/cart.py", "rounded(1)", "rounded(2)")
    shop.edit("README.md", "people", "all")
    assert set(levels(shop, "--changed-only", "README.md", "src/shop/money.py")) == {"README.md", "src/shop/money.py"}
    for arguments in (("src", "--changed-only", "README.md"), ("a", "b")):
        done = shop.lexictl("update", *arguments)
        assert done.code == 1
    assert "mutually exclusive" in shop.lexictl("update", "src", "--changed-only", "README.md").err
    assert shop.lexictl("update", "nowhere.py").code == 1


def test_an_update_of_a_directory_stays_in_it(shop: Library) -> None:
    shop.edit("src/shop/money.py", "return amount", "return 1")
    shop.edit("README.md", "people", "all")
    (shop.root / "tests/test_money.py").unlink()
    assert levels(shop, "src") == {"src/shop/money.py": "content_only"}
    assert shop.has(".lexibrary/tests/test_money.py.md")


def test_lb_094_a_dry_run_writes_nothing(shop: Library) -> None:
    before = shop.everything()
    shop.edit("src/shop/money.py", "return amount", "return 1")
    (shop.root / "README.md").unlink()
    done = shop.lexictl("update", "--dry-run", "--json")
    assert done.data["dry_run"] is True
    assert done.data["removed"] == ["README.md"]
    assert shop.everything() == before


def test_lb_136_a_deleted_source_takes_its_untouched_design_file_along(shop: Library) -> None:
    (shop.root / "README.md").unlink()
    shop.edit(".lexibrary/src/shop/cart.py.md", "## Dependents", "## Mine\n\nKeep.\n\n## Dependents")
    (shop.root / "src/shop/cart.py").unlink()
    done = shop.lexictl("update", "--json")
    assert done.data["removed"] == ["README.md"]
    assert done.data["kept"] == ["src/shop/cart.py"]
    assert not shop.has(".lexibrary/README.md.md")
    assert "Keep." in shop.design("src/shop/cart.py")
    assert "README.md" not in shop.read(".lexibrary/.aindex")


def test_lb_136_an_added_source_is_listed_by_its_folder(shop: Library) -> None:
    (shop.root / "src/shop/tax.py").write_text('"""What the state gets."""\n\nRATE = 20\n')
    assert "tax.py" not in shop.read(".lexibrary/src/shop/.aindex")
    levels(shop)
    assert "| `tax.py` | file | What the state gets. |" in shop.read(".lexibrary/src/shop/.aindex")


def test_deleted_files_may_be_named(shop: Library) -> None:
    (shop.root / "src/shop/cart.py").unlink()
    done = shop.lexictl("update", "--changed-only", "src/shop/cart.py", "--json")
    assert done.data["removed"] == ["src/shop/cart.py"]
    assert "cart.py" not in shop.read(".lexibrary/src/shop/.aindex")
    assert "cart.py" not in shop.lexi("lookup", "src/shop/money.py").out


def test_a_moved_source_keeps_its_design_file(shop: Library) -> None:
    shop.edit(".lexibrary/src/shop/money.py.md", "## Dependents", "## Mine\n\nKeep.\n\n## Dependents")
    (shop.root / "src/shop/prices").mkdir()
    (shop.root / "src/shop/money.py").rename(shop.root / "src/shop/prices/money.py")
    done = shop.lexictl("update", "--json")
    assert done.data["moved"] == {"src/shop/money.py": "src/shop/prices/money.py"}
    text = shop.design("src/shop/prices/money.py")
    assert "Keep." in text
    assert "# src/shop/prices/money.py\n" in text
    assert read_design(text).edited
    assert not shop.has(".lexibrary/src/shop/money.py.md")
    assert levels(shop) == {}


def test_directories_that_are_gone_leave_nothing_behind(shop: Library) -> None:
    for path in ("src/shop/__init__.py", "src/shop/money.py", "src/shop/cart.py"):
        (shop.root / path).unlink()
    shop.lexictl("update")
    assert not shop.has(".lexibrary/src")
    assert "src" not in shop.read(".lexibrary/.aindex")


def test_what_is_imported_may_come_later(shop: Library) -> None:
    shop.write("src/shop/sale.py", "from shop import later\n")
    shop.lexictl("update")
    assert read_design(shop.design("src/shop/sale.py")).items("Dependencies") == ["src/shop/__init__.py"]
    shop.write("src/shop/later.py", "x = 1\n")
    done = shop.lexictl("update", "--json")
    assert done.data["relinked"] == ["src/shop/sale.py"]
    assert read_design(shop.design("src/shop/sale.py")).items("Dependencies") == ["src/shop/later.py"]
    assert not read_design(shop.design("src/shop/sale.py")).edited
    assert shop.lexictl("update", "--json").data["relinked"] == []


def test_lb_040_125_strategies(shop: Library) -> None:
    rules = "".join(
        f"  - pattern: '{pattern}'\n    strategy: {strategy}\n"
        for pattern, strategy in (("tests/", "reference"), ("*.md", "skipped"), ("cart.py", "abridged"))
    )
    shop.write(".lexibrary/config.yaml", f"mapping:\n  strategies:\n{rules}")
    shop.edit("src/shop/cart.py", "class Cart", "class Basket")
    done = shop.lexictl("update", "--json")
    assert done.data["without_design_file"] == {"README.md": "skipped", "tests/test_money.py": "reference"}
    assert not shop.has(".lexibrary/tests/test_money.py.md")
    assert not shop.has(".lexibrary/README.md.md")
    assert read_design(shop.design("src/shop/money.py")).items("Tests") == ["tests/test_money.py"]
    assert "class Basket" in shop.design("src/shop/cart.py")
    assert "def total" not in shop.design("src/shop/cart.py")


def test_lb_126_127_what_is_only_listed(library: Library) -> None:
    library.write("a.png", b"\x89PNG")
    library.write("latin.txt", "café".encode("latin-1"))
    library.write("nul.txt", b"a\0b")
    library.write("big.txt", "x" * 600 * 1024)
    library.write("wide.txt", "Wide words.\n".encode("utf-16"))
    library.write("n" * 252 + ".t", "x")
    (library.root / "loop").symlink_to(".")
    done = library.lexictl("update", "--json")
    assert done.code == 0
    found = set(done.data["without_design_file"])
    assert found == {"a.png", "latin.txt", "nul.txt", "big.txt", "n" * 252 + ".t"}
    index = library.read(".lexibrary/.aindex")
    for row in ("`a.png` | file | Binary file.", "`big.txt` | file | Large file.", "`loop` | file | Link."):
        assert row in index
    assert read_design(library.design("wide.txt")).description == "Wide words."
    assert ".lexibrary" not in index


def test_sources_in_directories_called_like_the_librarys_own(library: Library) -> None:
    library.write("concepts/a.py", '"""A source."""\n')
    library.write("stack/b.py", '"""Another."""\n')
    library.write(".lexibrary/concepts/Money.md", "---\ntitle: Money\n---\n")
    library.write("concepts/Money", "a file called like a concept\n")
    done = library.lexictl("update", "--json")
    assert "concepts/Money" in done.data["without_design_file"]
    assert library.read(".lexibrary/concepts/Money.md") == "---\ntitle: Money\n---\n"
    assert read_design(library.design("concepts/a.py")).description == "A source."
    (library.root / "concepts/a.py").unlink()
    library.lexictl("update")
    assert not library.has(".lexibrary/concepts/a.py.md")
    assert library.has(".lexibrary/concepts/Money.md")


def test_lb_044_a_large_interface_is_written_and_reported(library: Library) -> None:
    library.write("wide.py", "".join(f"def function_number_{n}(a, b, c): ...\n" for n in range(100)))
    done = library.lexictl("update", "--json")
    assert done.data["over_budget"]["wide.py"] > 400
    assert "function_number_99" in library.design("wide.py")


def test_a_new_version_alone_rewrites_nothing(shop: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    before = shop.everything()
    monkeypatch.setattr("lexibrarian.design_writer.GENERATOR", "lexibrarian v9")
    monkeypatch.setattr("lexibrarian.directories.GENERATOR", "lexibrarian v9")
    monkeypatch.setattr("lexibrarian.start_here.GENERATOR", "lexibrarian v9")
    shop.lexictl("update")
    assert shop.everything() == before


def test_the_time_moves_only_with_something_else(shop: Library) -> None:
    project = Project(shop.root)
    before = shop.everything()
    update_module.update(project, Config(), clock=lambda: "2030-01-01T00:00:00Z")
    assert shop.everything() == before
    shop.edit("src/shop/money.py", "return amount", "return 1")
    update_module.update(project, Config(), clock=lambda: "2030-01-01T00:00:00Z")
    changed = {path for path, content in shop.everything().items() if before[path] != content}
    assert changed == {"src/shop/money.py.md"}
    assert "generated: 2030-01-01T00:00:00Z" in shop.design("src/shop/money.py")


def test_two_libraries_of_one_tree_are_the_same_but_for_the_time(shop: Library, tmp_path: os.PathLike[str]) -> None:
    def timeless(library: Library) -> dict[str, str]:
        stamp = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
        return {path: stamp.sub("", content.decode()) for path, content in library.everything().items()}

    other = Library(shop.root.parent / "again" / "shop", shop.patch)
    for path in (
        "src/shop/cart.py",
        "README.md",
        "tests/test_money.py",
        "src/shop/money.py",
        "src/shop/__init__.py",
        ".gitignore",
    ):
        other.write(path, shop.read(path))
        if path.endswith("cart.py"):
            other.lexictl("init", "--defaults")
            other.lexictl("update")
    other.lexictl("update")
    assert timeless(other).keys() == timeless(shop).keys()
    differing = [path for path, text in timeless(shop).items() if timeless(other)[path] != text]
    # A billboard is written once, so it depends on when a directory was first seen.
    assert [path for path in differing if not path.endswith(".aindex") and path != "START_HERE.md"] == []


def test_lb_017_018_019_021_start_here(shop: Library) -> None:
    text = shop.read(".lexibrary/START_HERE.md")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings == [
        "Project Topology",
        "Project Ontology",
        "Navigation by Intent",
        "Navigation Protocol",
        "Convention Index",
    ]
    assert "`.lexibrary/src/.aindex`" in text
    shop.write(".lexibrary/START_HERE.md", "# Mine\n")
    shop.lexictl("update")
    assert shop.read(".lexibrary/START_HERE.md") == "# Mine\n"
    (shop.root / ".lexibrary/START_HERE.md").unlink()
    shop.lexictl("update", "--changed-only", "README.md")
    assert not shop.has(".lexibrary/START_HERE.md")
    shop.lexictl("update")
    assert shop.read(".lexibrary/START_HERE.md") == text


def test_lb_020_the_topology_may_be_drawn(shop: Library) -> None:
    shop.write(".lexibrary/config.yaml", "start_here:\n  topology_format: mermaid\n")
    (shop.root / ".lexibrary/START_HERE.md").unlink()
    shop.lexictl("update")
    assert '```mermaid\ngraph TD\n  root["shop"]' in shop.read(".lexibrary/START_HERE.md")


def test_lb_099_the_log_holds_paths_and_levels_and_no_text(shop: Library) -> None:
    log = shop.read(".lexibrarian.log")
    assert "new: src/shop/money.py" in log
    assert "Amounts of money" not in log
    assert json.loads(shop.lexictl("update", "--json").out)["levels"] == {}
