"""Concepts, and the links to them."""

from __future__ import annotations

import pytest
from example_library import Library

from lexibrarian.artefacts.concept import read_concept
from lexibrarian.artefacts.design import read_design
from lexibrarian.links import Resolver, links_in

MONEY = """---
title: Money Handling
aliases: [currency, monetary values]
tags: [domain, finance]
status: active
---

## Summary

All monetary values use Decimal,
never float.

## Rules

More.
"""
OLD = """---
title: Old Way
aliases: [legacy]
tags: [x]
status: deprecated
superseded_by: MoneyHandling
---
Gone.
"""


@pytest.fixture
def concepts(shop: Library) -> Library:
    shop.write(".lexibrary/concepts/MoneyHandling.md", MONEY)
    shop.write(".lexibrary/concepts/Old.md", OLD)
    return shop


def test_lb_058_059_060_061_062_a_concept_has_its_fields_and_no_footer(library: Library) -> None:
    done = library.lexi("concept", "new", "Money handling", "--tag", "Data Integrity", "--alias", "currency")
    assert done.out.startswith("Created .lexibrary/concepts/MoneyHandling.md")
    text = library.read(".lexibrary/concepts/MoneyHandling.md")
    concept = read_concept("MoneyHandling", text)
    assert (concept.title, concept.aliases) == ("Money handling", ["currency"])
    assert (concept.tags, concept.status) == (["data-integrity"], "draft")
    assert "lexibrarian:meta" not in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Summary",
        "## Rules",
        "## Where It Applies",
        "## Related",
        "## Decision Log",
    ]


@pytest.mark.parametrize("name", ["MoneyHandling", "money handling", "money-handling"])
def test_lb_066_an_existing_concept_is_not_overwritten(concepts: Library, name: str) -> None:
    done = concepts.lexi("concept", "new", name)
    assert done.code == 1
    assert "already exists" in done.err
    assert concepts.read(".lexibrary/concepts/MoneyHandling.md") == MONEY


def test_names_keep_their_capitals(library: Library) -> None:
    assert library.lexi("concept", "new", "JWTTokens").out.startswith("Created .lexibrary/concepts/JWTTokens.md")
    assert library.lexi("concept", "new", "../../x").out.startswith("Created .lexibrary/concepts/X.md")
    assert library.lexi("concept", "new", "///").code == 1


def test_lb_063_064_129_concepts_are_listed_and_narrowed(concepts: Library) -> None:
    assert concepts.lexi("concepts").out == "MoneyHandling  — All monetary values use Decimal, never float.\n"
    assert "Old [deprecated, see MoneyHandling]" in concepts.lexi("concepts", "--all").out
    for topic in ("money", "CURRENCY", "finance", "monetary values", "moneyhand"):
        assert "MoneyHandling" in concepts.lexi("concepts", topic).out
    assert "No concepts matching auth." in concepts.lexi("concepts", "auth").out
    assert concepts.lexi("concepts", "--tag", "finance", "--json").data["concepts"][0]["name"] == "MoneyHandling"
    assert (
        concepts.lexi("concepts", "--status", "deprecated", "--json").data["concepts"][0]["superseded_by"]
        == "MoneyHandling"
    )
    assert concepts.lexi("concepts", "--status", "odd").code == 1


def test_no_concepts_are_no_failure(library: Library) -> None:
    done = library.lexi("concepts")
    assert done.code == 0
    assert "No concepts found" in done.out


@pytest.mark.parametrize("arguments", [("MoneyHandling", "src/shop/money.py"), ("src/shop/money.py", "currency")])
def test_lb_067_a_link_is_one_line_more(concepts: Library, arguments: tuple[str, str]) -> None:
    before = concepts.design("src/shop/money.py")
    assert concepts.lexi("concept", "link", *arguments).out == "Linked: src/shop/money.py → [[MoneyHandling]]\n"
    after = concepts.design("src/shop/money.py")
    added = [line for line in after.splitlines() if line not in before.splitlines()]
    assert [line for line in added if not line.startswith("design_hash")] == ["## Wikilinks", "- [[MoneyHandling]]"]
    assert "Already linked" in concepts.lexi("concept", "link", *arguments).out
    assert concepts.design("src/shop/money.py") == after
    # The link is the program's, so that the interface still follows the source.
    concepts.edit("src/shop/money.py", "(amount: int)", "(amount: float)")
    concepts.lexictl("update")
    text = concepts.design("src/shop/money.py")
    assert "(amount: float)" in text
    assert "- [[MoneyHandling]]" in text


def test_a_link_into_an_edited_file_leaves_it_edited(concepts: Library) -> None:
    concepts.edit(".lexibrary/src/shop/money.py.md", "## Dependents", "## Mine\n\nx\n\n## Dependents")
    concepts.lexi("concept", "link", "MoneyHandling", "src/shop/money.py")
    assert read_design(concepts.design("src/shop/money.py")).edited


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Mony", "src/shop/money.py"), "Concept not found: Mony."),
        (("MoneyHandlin", "src/shop/money.py"), "Did you mean MoneyHandling?"),
        (("MoneyHandling", "src/none.py"), "Source file not found: src/none.py"),
    ],
)
def test_links_to_nothing_are_refused(concepts: Library, arguments: tuple[str, str], words: str) -> None:
    done = concepts.lexi("concept", "link", *arguments)
    assert done.code == 1
    assert words in done.err


def resolver() -> Resolver:
    return Resolver(
        [
            read_concept("MoneyHandling", MONEY),
            read_concept("Auth", "---\ntitle: Authentication\naliases: [login]\n---\n"),
            read_concept("Session", "---\ntitle: Session\naliases: [login, Auth]\n---\n"),
        ],
        ["ST-001", "ST-012"],
    )


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ("MoneyHandling", "MoneyHandling"),
        ("[[money handling]]", "MoneyHandling"),
        ("Currency", "MoneyHandling"),
        ("auth", "Auth"),
        ("st-012", "ST-012"),
    ],
)
def test_lb_068_links_are_resolved_by_name_title_or_alias(link: str, name: str) -> None:
    found = resolver().resolve(link)
    assert (found.concept.name if found.concept else found.post) == name


def test_links_are_never_resolved_by_likeness() -> None:
    assert not resolver().resolve("MoneyHandlin").found
    assert resolver().resolve("MoneyHandlin").meant == "MoneyHandling"
    assert resolver().resolve("login").ambiguous == ("Auth", "Session")
    assert resolver().resolve("ST-013").meant == "ST-012"
    assert resolver().resolve("quite another thing").meant == ""


def test_links_in_code_are_no_links() -> None:
    text = "[[One]] `[[two]]` [[Three|shown]] [[Four#part]]\n```\n[[five]]\n```\n[[One]] [[not\na link]]\n"
    assert links_in(text) == ["One", "Three", "Four"]
