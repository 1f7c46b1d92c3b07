"""Search over everything, the checks one by one, and the status."""

from __future__ import annotations

import pytest
from example_library import Library

from lexibrarian.checks import CHECKS
from lexibrarian.tokens import count_tokens

GOOD = """---
title: Money Handling
aliases: [currency]
tags: [finance]
status: active
---
## Summary

Use Decimal.
"""
POST = """---
id: ST-001
title: Rounding
tags: [finance]
status: open
created: 2026-01-15
votes: 4
refs:
  concepts: []
  files: [src/shop/money.py]
---

## Problem
Odd.

### Evidence
A test.

## Answers
"""
OWN = "## Wikilinks\n\n- [[MoneyHandling]]\n\n## Tags\n\n- finance\n\n## Stack\n\n- [[ST-001]] Rounding\n\n## Tests"


@pytest.fixture
def full(shop: Library) -> Library:
    """A library with one of everything, and no issue."""
    shop.write(".lexibrary/concepts/MoneyHandling.md", GOOD)
    shop.write(".lexibrary/stack/ST-001-rounding.md", POST)
    shop.edit(".lexibrary/src/shop/money.py.md", "## Tests", OWN)
    assert shop.lexictl("validate").out == "No validation issues found.\n"
    return shop


def test_lb_079_084_085_search_groups_what_it_finds(full: Library) -> None:
    done = full.lexi("search", "--tag", "finance")
    assert done.out == (
        "── Concepts ──\nMoneyHandling  — Use Decimal.\n\n"
        "── Design Files ──\nsrc/shop/money.py  — Amounts of money.\n\n"
        "── Stack ──\nST-001  [open] ▲4  Rounding\n"
    )
    assert "── Concepts ──" not in full.lexi("search", "--scope", "src/shop/").out
    assert full.lexi("search", "rounded", "amount").out.startswith("── Design Files ──\nsrc/shop/money.py")
    assert (
        full.lexi("search", "money", "--scope", "tests").out
        == "── Design Files ──\ntests/test_money.py  — Defines test_rounded.\n"
    )
    data = full.lexi("search", "--tag", "finance", "--json").data
    assert [len(data[group]) for group in ("concepts", "designs", "stack")] == [1, 1, 1]


def test_a_search_for_nothing(full: Library) -> None:
    done = full.lexi("search")
    assert done.code == 1
    assert "Provide a query" in done.err
    assert full.lexi("search", "elephant").out == "No results found.\n"


CART = ".lexibrary/src/shop/cart.py.md"
MONEY = ".lexibrary/src/shop/money.py.md"
CONCEPT = ".lexibrary/concepts/MoneyHandling.md"
STACK = ".lexibrary/stack/ST-001-rounding.md"
OTHER = GOOD.replace("Money Handling", "Coins").replace("[currency]", "[coin, currency]")
CONFLICT = "<<<<<<< HEAD\nUse Decimal.\n=======\nUse float.\n>>>>>>> other"

# What is replaced in a file (or with no old text, written, and with no new text, deleted), and words of the message.
SPOILED: dict[str, tuple[list[tuple[str, str, str]], str]] = {
    "wikilink_resolution": (
        [(MONEY, "[[MoneyHandling]]", "[[MoneyHandling]] [[MonyHandling]]")],
        "[[MonyHandling]] matches no concept or post. Did you mean [[MoneyHandling]]?",
    ),
    "file_existence": ([(STACK, "src/shop/money.py]", "src/gone.py]")], "The file src/gone.py does not exist."),
    "concept_frontmatter": ([(CONCEPT, "tags: [finance]\n", "")], "The front matter has no tags."),
    "duplicate_ids": (
        [(".lexibrary/stack/ST-001-other.md", "", POST)],
        "ST-001 is also the number of ST-001-rounding.",
    ),
    "alias_conflicts": (
        [(".lexibrary/concepts/Coins.md", "", OTHER), (MONEY, "[[MoneyHandling]]", "[[MoneyHandling]] [[Coins]]")],
        "The name currency also belongs to Coins.",
    ),
    "conflict_markers": ([(CONCEPT, "Use Decimal.", CONFLICT)], "conflict markers"),
    "hash_freshness": ([("src/shop/money.py", "return amount", "return 1")], "src/shop/money.py changed after"),
    "token_budgets": ([(CONCEPT, "Use Decimal.", "Use Decimal. " * 300)], "the budget is 400"),
    "orphan_concepts": (
        [(".lexibrary/concepts/Coins.md", "", OTHER.replace("coin, currency", "coin"))],
        "Nothing links to this concept.",
    ),
    "deprecated_concept_usage": (
        [(CONCEPT, "status: active", "status: deprecated\nsuperseded_by: Other")],
        "[[MoneyHandling]] is deprecated; use [[Other]].",
    ),
    "stack_evidence": ([(STACK, "A test.", "<!-- later -->")], "The post has no evidence"),
    "concept_aliases": ([(CONCEPT, "[currency]", "[]")], "It has no alias."),
    "forward_dependencies": (
        [(CART, "- src/shop/money.py", "- src/shop/money.py\n- src/gone.py")],
        "The dependency src/gone.py does not exist.",
    ),
    "stack_staleness": (
        [(STACK, "  files:", f"  hashes:\n    src/shop/money.py: {'a' * 64}\n  files:")],
        "Possibly outdated: src/shop/money.py",
    ),
    "aindex_coverage": ([(".lexibrary/src/.aindex", "", "")], "run `lexi index src`"),
    "bidirectional": (
        [(CART, "- src/shop/money.py", "- src/shop/money.py\n- README.md")],
        "README.md does not show src/shop/cart.py as a dependent.",
    ),
}


def test_lb_106_only_what_somebody_wrote_can_be_over_its_budget(library: Library) -> None:
    sentence = "A sentence that says in many words what one of the many files of this directory is for"
    for number in range(40):
        library.write(f"src/part{number}.py", f'"""{sentence}."""\n')
    library.write(
        "src/wide.py", "".join(f"def function_{n}(first: int, second: str) -> list[str]: ...\n" for n in range(99))
    )
    done = library.lexictl("update", "--json")
    assert list(done.data["over_budget"]) == ["src/wide.py"]
    assert count_tokens(library.read(".lexibrary/src/.aindex")) > 800
    done = library.lexictl("validate")
    assert (done.code, done.out) == (0, "No validation issues found.\n")

    library.edit(".lexibrary/src/.aindex", "(none)", f"- {sentence}.\n" * 15)
    library.edit(".lexibrary/src/wide.py.md", "## Interface Contract\n", f"## Interface Contract\n\n{sentence * 30}.\n")
    done = library.lexictl("validate", "--check", "token_budgets", "--json")
    assert done.code == 2
    assert [issue["path"] for issue in done.data["issues"]] == [
        ".lexibrary/src/.aindex",
        ".lexibrary/src/wide.py.md",
    ]


def spoil(library: Library, check: str) -> str:
    """Make what one check finds; returns words of its message."""
    changes, words = SPOILED[check]
    for path, old, new in changes:
        if old:
            library.edit(path, old, new)
        elif new:
            library.write(path, new)
        else:
            (library.root / path).unlink()
    return words


@pytest.mark.parametrize("check", list(CHECKS))
def test_lb_065_073_080_106_107_108_109_111_each_check_finds_its_issue_and_no_other(full: Library, check: str) -> None:
    words = spoil(full, check)
    before = full.everything()
    done = full.lexictl("validate", "--json")
    found = done.data["issues"]
    assert {issue["check"] for issue in found} == {check}
    assert any(words in issue["message"] for issue in found)
    severity = CHECKS[check][0]
    assert done.code == {"error": 1, "warning": 2, "info": 0}[severity]
    assert done.data["summary"][f"{severity}_count"] == done.data["summary"]["total"] == len(found)
    assert full.lexictl("validate", "--check", check).code == done.code
    # Nothing is written.
    assert full.everything() == before


def test_checks_are_chosen_by_severity_and_name(full: Library) -> None:
    spoil(full, "hash_freshness")
    assert full.lexictl("validate", "--severity", "error").out == "No validation issues found.\n"
    assert full.lexictl("validate", "--check", "wikilink_resolution").code == 0
    done = full.lexictl("validate", "--check", "nonsense")
    assert done.code == 1
    assert "Available checks: wikilink_resolution" in done.err


def test_lb_124_what_people_write_by_hand_is_no_issue(full: Library) -> None:
    full.write("src/own.py", "x = 1\n")
    full.write(
        ".lexibrary/src/own.py.md",
        "# Own\n\n## Dependencies\n- (none)\n\n<!-- lexibrarian:meta\nsource: src/own.py\nsource_hash: a3f2b8c1\n-->\n",
    )
    (full.root / ".lexibrary/START_HERE.md").unlink()
    assert full.lexictl("validate").out == "No validation issues found.\n"


def test_lb_110_the_status(full: Library) -> None:
    done = full.lexictl("status")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "Lexibrarian Status"
    assert lines[1].endswith("tracked, 0 stale")
    assert lines[2:5] == ["Concepts: 1 active", "Stack: 1 posts (1 open)", "Issues: 0 errors, 0 warnings, 0 info"]
    assert lines[5].startswith("Updated: 20")
    assert full.lexictl("status", "--quiet").out == "lexictl: library healthy\n"
    spoil(full, "hash_freshness")
    done = full.lexictl("status", "-q")
    assert (done.code, done.out) == (2, "lexictl: 1 warning. Run `lexictl validate` for details.\n")
    spoil(full, "wikilink_resolution")
    assert full.lexictl("status").code == 1
    assert full.lexictl("status", "--json").data["files"]["stale"] == 1


def test_a_new_library_was_never_updated(library: Library) -> None:
    assert "Updated: never" in library.lexictl("status").out
