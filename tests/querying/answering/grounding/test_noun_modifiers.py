"""Which word of a sentence describes which noun."""

import pytest

from querying.answering.grounding.claim_contradictions import contradicts
from querying.answering.grounding.noun_modifiers import described_nouns, describes_another

PORCH = "A beam under a porch, sheltered from severe rain, has moderate exposure and needs 30 mm."


def test_a_word_describes_the_noun_behind_it_or_the_one_that_it_is_said_of() -> None:
    assert described_nouns("The exposure is severe, and **moderate** rain falls.") >= {
        ("severe", "exposur"),
        ("moderate", "rain"),
    }
    assert described_nouns("It is severe, exposure or not.") == frozenset()


def test_a_word_without_a_noun_or_with_a_synonym_of_the_noun_is_not_taken_for_another_noun_s() -> None:
    assert describes_another("severe", "exposur", PORCH)
    for text in (
        "An exposure is severe, or moderate exposure.",
        "Severe weather exposure, moderate exposure.",
        "No word of it.",
        "Severe: 45 mm. Moderate exposure: 30 mm.",
    ):
        assert not describes_another("severe", "exposur", text)
    assert not describes_another("new", "car", "A new automobile, an old car.")


@pytest.mark.parametrize(
    "claim",
    [
        "In severe exposure a beam needs 30 mm.",
        "Where exposure is severe, a beam needs 30 mm.",
        "A severely exposed beam needs 30 mm.",
    ],
)
def test_a_noun_described_with_a_word_of_another_noun_contradicts_a_source_that_has_the_contrary_for_it(
    claim: str,
) -> None:
    assert contradicts(claim, PORCH)


@pytest.mark.parametrize(
    "claim",
    [
        "A beam sheltered from severe rain needs 30 mm.",
        "In moderate exposure a beam needs 30 mm.",
        "Moderate exposure is not severe exposure.",
    ],
)
def test_what_is_described_as_in_the_source_does_not_contradict_it(claim: str) -> None:
    assert not contradicts(claim, PORCH)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Hot drinks are sold until 8.", "Hot meals and drinks are sold until 8, cold drinks until 10."),
        ("New employees get a laptop.", "New hires and employees get a laptop; old employees keep theirs."),
    ],
)
def test_a_word_describes_all_nouns_that_are_joined_behind_it(claim: str, source: str) -> None:
    assert not contradicts(claim, source)
