"""The answerer that needs no model: it quotes the sentences that answer, and so cannot make anything up."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence

from knowledge.terms import terms
from querying.llms.base import LLM
from querying.types import REFUSAL, Evidence, Prompt, Sentence, Usage

MOST_SENTENCES = 3
# A further sentence must come this close to the best one.
_CLOSE_ENOUGH = 0.88
_SHORTEST = 20  # characters; shorter ones are headings and scraps
_LONGEST = 900
_LONGEST_LABEL = 70
_SPACE = re.compile(r"\s+")
_BULLET = re.compile(r"^\s{0,8}[•●▪◦‣*–-]\s{1,8}")
_QUANTITY = re.compile(r"\d+(?:\.\d+)?")


class Extractive(LLM):
    name = "extractive"
    is_offline = True
    yields_sentences = True

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage]:
        for piece in compose(prompt):
            yield piece
        yield Usage()


def compose(prompt: Prompt) -> list[str]:
    """The answer in pieces: the tree's recommendation where a source bears it out, then the sentences that answer."""
    supporting = _supporting(prompt)
    chosen = _choose(prompt.evidence.sentences, first=supporting)
    if not chosen:
        return [REFUSAL]
    pieces = [_quote(sentence) for sentence in _in_reading_order(chosen, prompt.evidence)]
    if supporting:
        lead = f"{prompt.recommendation.rstrip(' .')} [Source {supporting.source + 1}]."
        pieces.insert(0, lead)
    return pieces


def _choose(sentences: Sequence[Sentence], *, first: Sentence | None) -> list[Sentence]:
    fitting = [sentence for sentence in sentences if _SHORTEST <= len(sentence.text) <= _LONGEST]
    candidates = [sentence for sentence in fitting if not _is_label(sentence.text)] or fitting
    best = first or next(iter(candidates), None)
    if best is None:
        return []
    chosen = [best]
    for sentence in candidates:
        if len(chosen) == MOST_SENTENCES or sentence.score < _CLOSE_ENOUGH * best.score:
            break
        if not any(_says_the_same(sentence, other) for other in chosen):
            chosen.append(sentence)
    return chosen


def _is_label(text: str) -> bool:
    """A heading or a caption: it says where the answer is, not what it is. Rows and list items are no labels."""
    is_short_line = len(text) < _LONGEST_LABEL and text.rstrip()[-1:] not in ".!?;"
    return is_short_line and "|" not in text and not _BULLET.match(text)


def _supporting(prompt: Prompt) -> Sentence | None:
    """The sentence that bears the recommendation out: it holds every figure of it, and most of the facts."""
    figures, facts = set(_QUANTITY.findall(prompt.recommendation)), set(terms(prompt.decided))
    if not prompt.recommendation:
        return None
    holding = [
        sentence
        for sentence in prompt.evidence.sentences
        if len(sentence.text) >= _SHORTEST and figures <= set(_QUANTITY.findall(sentence.text))
    ]
    return max(holding, key=lambda sentence: _fit(sentence, figures, facts), default=None)


def _fit(sentence: Sentence, figures: set[str], facts: set[str]) -> tuple[int, float]:
    """Facts that the sentence speaks of, less the other figures it brings in; then how well it answers."""
    strays = set(_QUANTITY.findall(sentence.text)) - figures
    return (len(facts & set(terms(sentence.text))) - len(strays), sentence.score)


def _says_the_same(one: Sentence, other: Sentence) -> bool:
    """Chunks overlap and documents repeat themselves: the same words need no second quotation."""
    mine, theirs = set(one.text.lower().split()), set(other.text.lower().split())
    return len(mine & theirs) >= 0.8 * min(len(mine), len(theirs))


def _in_reading_order(chosen: Sequence[Sentence], evidence: Evidence) -> list[Sentence]:
    """By document (the best one first), then down its pages."""
    documents = [evidence.passages[sentence.source].document_id for sentence in chosen]

    def place(sentence: Sentence) -> tuple[int, int, int]:
        passage = evidence.passages[sentence.source]
        return (
            documents.index(passage.document_id),
            passage.page_number or 0,
            passage.start + sentence.start,
        )

    return sorted(chosen, key=place)


def _quote(sentence: Sentence) -> str:
    text = _BULLET.sub("", _SPACE.sub(" ", sentence.text).strip())
    mark = "" if text[-1:] in ".!?" else "."
    body = text[:-1] if not mark else text
    return f"{body} [Source {sentence.source + 1}]{mark or text[-1]}"
