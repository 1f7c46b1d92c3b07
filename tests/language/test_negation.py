from __future__ import annotations

import pytest

from language.negation import REACH_OF_DENIAL, has_negation, negated_stems, reverses_polarity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Travel is not covered.", True),
        ("Travel isn't covered.", True),
        ("Travel is excluded.", True),
        ("Travel is covered.", False),
        ("Cover shall be not less than 45 mm.", False),
        ("It must not exceed 20 mm.", False),
        ("Notes are kept.", False),
    ],
)
def test_a_denial_is_told_from_a_bound(text: str, expected: bool):
    assert has_negation(text) is expected


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Travel is covered.", "Travel is not covered."),
        ("Travel is not covered.", "Travel is covered."),
        ("Travel is not covered.", "Travel is covered but hotels are not covered."),
        ("Hotels are covered.", "Travel is covered but hotels are not."),
        ("Footings need cover.", "All members need cover, except footings."),
        ("Smoking is prohibited.", "Smoking is not prohibited."),
        ("Pets are allowed unless the landlord agrees.", "Pets are not allowed unless the landlord agrees."),
        ("The contract does not end if the fee is paid.", "The contract ends if the fee is paid."),
        ("The party shall disclose it.", "The party shall not disclose it without consent."),
    ],
)
def test_what_denies_the_other_clause_for_clause_is_flipped(claim: str, source: str):
    assert reverses_polarity(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Travel is covered.", "Travel is covered but hotels are not covered."),
        ("Hotels are not covered.", "Travel is covered but hotels are not covered."),
        ("Smoking is allowed.", "Smoking is not prohibited, it is allowed."),
        ("Smoking is not allowed.", "Smoking is prohibited where it is not allowed."),
        ("The party must not disclose it.", "The party shall not disclose it without consent."),
        (
            "Cosmetic surgery is not covered by the plan.",
            "The plan covers care but does not cover cosmetic surgery.",
        ),
    ],
)
def test_what_denies_the_same_is_not_flipped(claim: str, source: str):
    assert not reverses_polarity(claim, source)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Travel is not covered, and hotels are never paid.", {"cover": 1, "paid": 1}),
        ("A nonprofit pays.", {"profit": 1}),
        ("It is not prohibited.", {"prohibit": 1}),
        (f"It is not{' ' * REACH_OF_DENIAL}covered.", {}),
        ("not " * 3 + "covered", {"cover": 3}),
    ],
)
def test_a_denial_denies_the_content_word_right_after_it(text: str, expected: dict[str, int]):
    assert negated_stems(text) == expected
