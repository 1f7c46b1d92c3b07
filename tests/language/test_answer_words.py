"""The “yes” before a sentence is no part of what it states."""

from __future__ import annotations

import pytest

from language.answer_words import without_leading_yes


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Yes: a keelboat carries five.", "a keelboat carries five."),
        ("yes, dogs may travel.", "dogs may travel."),
        ("Ja, Hunde dürfen mit.", "Hunde dürfen mit."),
        ("Sí: se puede.", "se puede."),
        ("是，可以。", "可以。"),
        ("  Yes – it is covered.", "it is covered."),
    ],
)
def test_a_leading_yes_is_left_out(text: str, stated: str) -> None:
    assert without_leading_yes(text) == stated


@pytest.mark.parametrize(
    "text",
    ["Yes", "Yes.", "Yesterday, it rained.", "Yes men agree.", "No: dogs stay at home.", "", "Jack, the vet, says so."],
)
def test_other_words_stay(text: str) -> None:
    assert without_leading_yes(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Yes, no refund is possible after 30 days.",
        "Yes: dogs are not allowed.",
        "Ja, eine Erstattung ist nicht möglich.",
        "Oui, ce n’est possible qu’en mai.",
        "Sí, no se puede.",
        "Sim, não é possível.",
        "हाँ, यह संभव नहीं है।",
        "是的，不可以。",
    ],
)
def test_a_yes_to_what_denies_stays_for_it_may_be_wrong(text: str) -> None:
    assert without_leading_yes(text) == text
