from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.content_words import content_stems
from querying.answering.grounding import conflicts
from querying.answering.grounding.conflicts import sentences_disagree

SEVERE = "For severe exposure the nominal cover of a beam is 45 mm."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SEVERE, "The nominal cover of a beam for severe exposure is 50 mm."),
        (SEVERE, "For severe exposure the nominal cover of a beam is 5 cm."),
        ("The fee for late payment is $40.", "The fee for late payment is $50."),
        ("The plan covers cosmetic surgery abroad.", "The plan does not cover cosmetic surgery abroad."),
    ],
)
def test_another_value_or_a_denial_of_the_same_is_a_conflict(one: str, other: str):
    assert sentences_disagree(one, other)
    assert sentences_disagree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SEVERE, SEVERE),
        (SEVERE, "For severe exposure the nominal cover of a beam is 4.5 cm."),
        (SEVERE, "For severe exposure the nominal cover of a column is 50 mm."),  # another subject
        (SEVERE, "For mild exposure the nominal cover of a beam is 20 mm."),
        (SEVERE, "For very severe exposure the nominal cover of a beam is 50 mm."),
        (SEVERE, "For severe exposure the nominal cover of a beam is at least 40 mm."),  # another bound
        (SEVERE, "For severe exposure the nominal cover of a beam is 40–50 mm."),  # a range that holds it
        (SEVERE, "For severe exposure the nominal cover of a beam is 4–5 cm."),  # the same in another unit
        (SEVERE, "For severe exposure the nominal cover of a beam costs 50 dollars."),
        ("Preis: 1.500 Euro", "Preis: 1500 Euro"),  # which may be the same
        ("In 2019 the tax rate was 20%.", "In 2020 the tax rate was 21%."),
        ("Grade M25 concrete needs 300 kg of cement.", "Grade M30 concrete needs 320 kg of cement."),
    ],
)
def test_what_may_both_be_true_is_no_conflict(one: str, other: str):
    assert not sentences_disagree(one, other)
    assert not sentences_disagree(other, one)


SAID = """
    45mm 1×2 4.5–5 cm M25 EN1992-1-1 H2SO4 fifth anniversary of the lease 7+ years 1½ 10⁶ thirty (30) days
    clause 4.2(a) beam- column non‑slip fee's 5's 12/03/2019 March 2020 $40 US$5k ₹9 20% B500B in-network 3rd 2x4
    at least minimum naïve ﬁre kg/m³ 4WD 100m² no.7 9 a.m. twice half × ± µm
"""


@given(st.lists(st.sampled_from(SAID.split()), max_size=12).map(" ".join))
def test_the_subject_of_a_sentence_stands_in_its_words(text: str):
    assert conflicts._subject_stems(text) <= content_stems(text) | conflicts._NOTATION_STEMS


def test_figures_of_another_subject_are_not_read(monkeypatch):
    read = []
    figures = conflicts.extract_figures
    monkeypatch.setattr(conflicts, "extract_figures", lambda text: read.append(text) or figures(text))
    others = [f"Clause {number}: the lap of a column is {number} mm." for number in range(1, 40)]
    assert not any(sentences_disagree(SEVERE, other) for other in others)
    assert set(read) == {SEVERE}
