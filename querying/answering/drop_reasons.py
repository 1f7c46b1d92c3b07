"""Why a sentence was dropped: which of the conditions of a supported sentence it does not meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from knowledge.search.passages import Passage
from language.figures.figure_extraction import unsupported_figures
from querying.answering.citations import MAX_CLAIM_CHARACTERS
from querying.answering.grounding.claim_support import is_contradicted, words_with_stems
from querying.answering.grounding.quotations import find_quotations, is_verbatim
from querying.answering.grounding.supporting_spans import nearest_span
from querying.types.answer import DroppedSentence

# The most sentences that are explained, because each is compared with all passages.
MAX_EXPLAINED = 10
_MAX_WORDS = 6
_MAX_QUOTED_CHARACTERS = 300


class DropReason(StrEnum):
    """The first condition that a dropped sentence does not meet."""

    UNKNOWN_SOURCE = "unknown_source"
    TOO_LONG = "too_long"
    NUMBER = "number"
    QUOTATION = "quotation"
    CONTRADICTION = "contradiction"
    WORDS = "words"
    SCATTERED = "scattered"


@dataclass(frozen=True, kw_only=True)
class DropExplanation:
    """A sentence that was dropped, why, and the same in a sentence for people."""

    sentence: str
    reason: DropReason
    explanation: str


def explain_drops(dropped: Sequence[DroppedSentence]) -> list[DropExplanation]:
    """Why nobody got to see the sentences, at most `MAX_EXPLAINED`. Holds each against its passages once more."""
    explained = []
    for one in dropped[:MAX_EXPLAINED]:
        reason, explanation = _reason(one.claim, one.passages, cites_unknown=one.cites_unknown)
        explained.append(DropExplanation(sentence=one.claim, reason=reason, explanation=explanation))
    return explained


def _reason(claim: str, passages: Sequence[Passage], *, cites_unknown: bool) -> tuple[DropReason, str]:
    if len(claim) > MAX_CLAIM_CHARACTERS:
        return DropReason.TOO_LONG, f"It is longer than {MAX_CLAIM_CHARACTERS:,} characters."
    if cites_unknown:
        return DropReason.UNKNOWN_SOURCE, "It names a source that does not exist."
    if figures := _figures_of_no_passage(claim, passages):
        return DropReason.NUMBER, f"No passage that was read has {_listed(figures)} as it says."
    if not all(any(is_verbatim(quote, one.content) for one in passages) for quote in find_quotations(claim)):
        return DropReason.QUOTATION, "It quotes words that no passage has."
    nearest = nearest_span(claim, passages)
    if nearest is None:
        return DropReason.WORDS, "No passage that was read has a word of it."
    if is_contradicted(claim, nearest.main):
        return (
            DropReason.CONTRADICTION,
            f"The nearest passage does not say so, but: “{nearest.main[:_MAX_QUOTED_CHARACTERS]}”",
        )
    if missing := words_with_stems(claim, nearest.missing):
        return DropReason.WORDS, f"The nearest passage does not say {_listed(missing)}."
    return DropReason.SCATTERED, "Its words stand in different sentences that do not say this together."


def _figures_of_no_passage(claim: str, passages: Sequence[Passage]) -> list[str]:
    lacking = [unsupported_figures(claim, passage.content) for passage in passages]
    return sorted(set.intersection(*lacking)) if lacking else []


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words[:_MAX_WORDS])
