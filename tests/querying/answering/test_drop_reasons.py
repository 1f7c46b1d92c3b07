from __future__ import annotations

import pytest

from querying.answering.citations import MAX_CLAIM_CHARACTERS
from querying.answering.drop_reasons import MAX_EXPLAINED, DropReason, explain_drops
from querying.answering.guard import Guard
from querying.answering.verified_text import VerifiedText
from querying.types.answer import DroppedSentence
from tests.querying.passages import passage

COVER = passage("The nominal cover of a beam in severe exposure is 45 mm. Spacers are made of mortar.")


@pytest.mark.parametrize(
    ("claim", "reason", "words"),
    [
        ("The nominal cover of a beam in severe exposure is 60 mm.", DropReason.NUMBER, "60 mm"),
        ("The code calls it “a cover of steel and stone”.", DropReason.QUOTATION, "quotes words"),
        ("The nominal cover of a beam in severe exposure is not 45 mm.", DropReason.CONTRADICTION, "45 mm"),
        ("The nominal cover of a prestressed beam in severe exposure is 45 mm.", DropReason.WORDS, "“prestressed”"),
        ("Giraffes sleep standing.", DropReason.WORDS, "No passage"),
        ("Cover " * MAX_CLAIM_CHARACTERS, DropReason.TOO_LONG, "4,000 characters"),
    ],
)
def test_the_reason_is_the_condition_that_the_sentence_does_not_meet(
    claim: str, reason: DropReason, words: str
) -> None:
    [found] = explain_drops([DroppedSentence(claim=claim, passages=(COVER,))])
    assert (found.sentence, found.reason) == (claim, reason)
    assert words in found.explanation


def test_a_source_that_does_not_exist_is_named_as_the_reason() -> None:
    [found] = explain_drops([DroppedSentence(claim="The cover is thick.", passages=(COVER,), cites_unknown=True)])
    assert found.reason == DropReason.UNKNOWN_SOURCE


def test_as_many_are_explained_as_a_page_shows() -> None:
    dropped = [DroppedSentence(claim="Giraffes sleep.", passages=(COVER,))] * (MAX_EXPLAINED + 5)
    assert len(explain_drops(dropped)) == MAX_EXPLAINED


def test_the_guard_hands_on_what_it_dropped_with_the_passages_that_it_names() -> None:
    other = passage("Doors are painted green.", number=2)
    text = VerifiedText([COVER, other], mode="mandatory")
    for sentence in (
        "The nominal cover of a beam in severe exposure is 45 mm [Source 1].",
        "The nominal cover of a slab is 20 mm [Source 1].",
        "Giraffes sleep standing.",
        "Doors are painted red [Source 7].",
    ):
        text._show(text._guard.add(text._citer.cite(sentence)))
    text.finish()
    _, answer = text.conclude()
    assert answer.sentences == 4
    assert [(one.claim, one.passages) for one in answer.dropped] == [
        ("The nominal cover of a slab is 20 mm.", (COVER,)),
        ("Giraffes sleep standing.", (COVER, other)),
        ("Doors are painted red.", (COVER, other)),
    ]
    assert [one.cites_unknown for one in answer.dropped] == [False, False, True]


def test_in_optional_mode_nothing_is_dropped() -> None:
    guard = Guard(mode="optional")
    text = VerifiedText([COVER], mode="optional")
    guard.add(text._citer.cite("Giraffes sleep standing."))
    guard.finish()
    assert guard.verdict(text="", tree_decided=False).dropped == ()
