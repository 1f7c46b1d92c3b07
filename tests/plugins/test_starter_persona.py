from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.models import Plugin
from plugins.starter_persona import GENERAL_PROFESSION, PROFESSIONS, compose_persona, find_profession

TEXT = st.text(max_size=120)


@pytest.mark.parametrize(
    ("domain", "name", "place"),
    [
        ("structural-engineering", "Concrete cover", "the clause, table or figure"),
        ("emergency medicine", "Adult sepsis", "the recommendation, its grade and the section"),
        ("veterinary medicine", "Riverside practice", "the protocol, its section and page"),
        ("data privacy", "GDPR for product teams", "the section and paragraph"),
        ("tax", "VAT in Austria", "the paragraph of the standard, law or policy"),
        ("beekeeping", "Varroa", "the section or page"),
    ],
)
def test_a_field_has_its_own_way_of_answering(domain: str, name: str, place: str) -> None:
    draft = compose_persona(name=name, domain=domain)
    assert place in draft.system_prompt
    assert f"You answer questions about {name}." in draft.system_prompt


def test_short_words_are_words_and_not_beginnings() -> None:
    assert find_profession("items of hrvatska") == GENERAL_PROFESSION
    assert find_profession("hr") != GENERAL_PROFESSION


def test_a_domain_is_written_in_words() -> None:
    assert (
        "in the field of structural engineering"
        in compose_persona(name="Cover", domain="structural-engineering").system_prompt
    )


@given(name=TEXT, domain=TEXT)
def test_any_name_and_field_give_words_that_fit_their_columns(name: str, domain: str) -> None:
    draft = compose_persona(name=name, domain=domain)
    assert draft.system_prompt.startswith("You are ")
    for column in ("audience", "tone"):
        assert 0 < len(getattr(draft, column)) <= Plugin._meta.get_field(column).max_length  # type: ignore[operator]
    assert draft == compose_persona(name=name, domain=domain)


def test_every_practice_ends_its_sentences() -> None:
    for practice in (*PROFESSIONS, GENERAL_PROFESSION):
        assert all(limit.endswith(".") for limit in practice.limits)
        assert not practice.disclaimer or practice.disclaimer.endswith(".")
