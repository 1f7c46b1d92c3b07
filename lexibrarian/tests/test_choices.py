"""What the specification leaves open, or says in passing, and what was chosen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from example_library import Library

PACKAGE = Path(__file__).parent.parent


def test_lb_016_a_repository_inside_has_a_library_of_its_own(shop: Library) -> None:
    (shop.root / "vendor/tool/.git").mkdir(parents=True)
    shop.write("vendor/tool/a.py", '"""A tool."""\n')
    assert shop.lexictl("update").code == 0
    assert not shop.has(".lexibrary/vendor/tool/a.py.md")
    assert "| `tool/` | dir | A repository of its own. |" in shop.read(".lexibrary/vendor/.aindex")
    assert shop.lexictl("init", "--defaults", cwd="vendor/tool").code == 0
    assert shop.lexictl("update", cwd="vendor/tool").code == 0
    assert "A tool." in shop.lexi("lookup", "a.py", cwd="vendor/tool").out
    assert "Amounts" in shop.lexi("lookup", "src/shop/money.py").out


@pytest.mark.parametrize(
    ("path", "text", "description"),
    [
        ("tables.sql", "-- Orders and what they hold.\nCREATE TABLE orders (id int);\n", "Orders and what they hold."),
        ("main.tf", '# The servers of the shop.\nresource "server" "one" {}\n', "The servers of the shop."),
        (".github/workflows/ci.yml", "# Tests each change.\non: push\n", "Tests each change."),
        ("openapi.json", '{"openapi": "3.1.0"}\n', "JSON file."),
    ],
)
def test_lb_041_what_is_no_code_has_the_same_design_file(
    library: Library, path: str, text: str, description: str
) -> None:
    library.write(path, text)
    assert library.lexictl("update", path).code == 0
    design = library.design(path)
    assert f'description: "{description}"' in design
    assert "## Interface Contract\n\n- (none)\n" in design
    assert "interface_hash" not in design


def test_lb_081_a_post_may_be_of_any_length(library: Library) -> None:
    library.lexi("stack", "post", "--title", "T", "--tag", "t", "--problem", "Long. " * 5000, "--evidence", "E.")
    assert library.lexictl("validate", "--check", "token_budgets").out == "No validation issues found.\n"


def test_lb_087_agents_have_no_check_of_their_own(shop: Library) -> None:
    assert [shop.lexi(name).code for name in ("health", "verify", "validate", "status")] == [1] * 4
    # What they need to know of it, each lookup says.
    shop.edit("src/shop/money.py", "cents", "euros")
    assert shop.lexi("lookup", "src/shop/money.py").out.startswith("Warning: src/shop/money.py changed")


def test_lb_104_what_is_wrong_after_an_update_stands_in_the_status(shop: Library) -> None:
    shop.edit(".lexibrary/src/shop/money.py.md", "## Tests", "## Wikilinks\n\n- [[Nothing]]\n\n## Tests")
    assert shop.lexictl("update").code == 0
    done = shop.lexictl("status")
    assert done.code == 1
    assert "Issues: 1 error" in done.out


def test_lb_133_nothing_is_left_of_decisions_that_were_taken_back() -> None:
    texts = [path.read_text() for path in (PACKAGE / "src").rglob("*") if path.suffix in (".py", ".md")]
    texts.append((PACKAGE / "pyproject.toml").read_text())
    assert len(texts) > 50
    assert not [text for text in texts if re.search(r"\bbaml\b", text, re.IGNORECASE)]


@pytest.fixture
def with_decision(shop: Library) -> Library:
    """The shop with a convention that rests on a record of a decision."""
    shop.lexi("concept", "new", "Cents Only", "--tag", "convention", "--alias", "cents")
    shop.edit(".lexibrary/concepts/CentsOnly.md", "status: draft", "status: active")
    shop.edit(".lexibrary/concepts/CentsOnly.md", "<!-- One to three sentences: what holds, and why. -->", "No floats.")
    shop.edit(".lexibrary/concepts/CentsOnly.md", "## Decision Log\n", "## Decision Log\n\n- See docs/adr/7.md\n")
    shop.write("docs/adr/7.md", "# Why cents\n\nA float lost us a coin.\n")
    shop.lexi("concept", "link", "CentsOnly", "src/shop/money.py")
    assert shop.lexictl("update").code == 0
    return shop


def test_lb_134_knowledge_has_three_tiers(with_decision: Library) -> None:
    start = with_decision.read(".lexibrary/START_HERE.md")
    assert "- [[CentsOnly]]: No floats." in start.partition("## Convention Index")[2]
    assert "CentsOnly  — No floats." in with_decision.lexi("concepts", "cents").out
    found = with_decision.lexi("lookup", "src/shop/money.py").out
    assert "[[CentsOnly]]" in found
    # The record itself is read by whoever follows the link.
    assert "lost us a coin" not in start + found


def test_lb_135_each_moment_has_its_text(library: Library) -> None:
    library.lexictl("setup", "--update", "--env", "agents")
    rules = " ".join(library.read("AGENTS.md").split())
    for moment, text in (
        ("Start of a session", ".lexibrary/START_HERE.md"),
        ("Entering a directory", ".lexibrary/<directory>/.aindex"),
        ("Before you edit a file", "lexi lookup <file>"),
        ("Before you decide how to build something", "lexi concepts <topic>"),
    ):
        assert text in rules.partition(moment)[2].partition(" - ")[0]


def test_lb_143_concepts_lie_side_by_side(library: Library) -> None:
    assert library.lexi("concept", "new", "Money/Rounding").code == 0
    assert library.has(".lexibrary/concepts/MoneyRounding.md")
    library.write(".lexibrary/concepts/money/Inner.md", "---\ntitle: Inner\n---\n")
    assert "Inner" not in library.lexi("concepts").out
