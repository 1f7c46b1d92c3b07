"""Where in a passage a claim is borne out: the sentence that says it, or a few neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from knowledge.chunking import title_path
from knowledge.search import Passage
from knowledge.sentences import sentence_spans
from querying.plain import plain
from querying.verify.cohesion import goes_on
from querying.verify.generic import content
from querying.verify.quantities import figures, unsupported_numbers
from querying.verify.quotes import quotations
from querying.verify.roles import swaps_roles
from querying.verify.support import (
    Surroundings,
    Words,
    compare,
    goes_against,
    is_ruled_out,
    is_word_for_word,
    meaning_supports,
    stems,
)

# A quotation may run over several sentences.
_WIDEST, _WIDEST_FOR_QUOTATIONS = 2, 6
# How many spans are read closely where words leave a doubt, and what share of the claim's words they must have.
_READ_CLOSELY = 3
_LEAST_KNOWN = 0.3
_MOST_MISSING = 6
# A list counts as one statement with the line that leads in to it, up to so many items.
_LONGEST_LIST = 12
_BEFORE_ITEM = re.compile(r"(?<=[^\s:;.!?])[ \t]*\n[ \t]*(?=[-*+•●▪◦‣–—·]\s)")
_ITEM = re.compile(r"[-*+•●▪◦‣–—·]\s|\(?[a-z0-9]{1,3}[.)]\s", re.IGNORECASE)
# Of equally good spans the shorter one is the better quotation.
_LONGER = 0.05


@dataclass(frozen=True, kw_only=True)
class Span:
    """`passage.content[start:end]`, and how well it bears the claim out, above 0 and up to 1."""

    start: int
    end: int
    support: float


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    start: int
    end: int
    text: str
    main: str  # the one sentence of it that shares most with the claim
    sentences: int
    words: Words

    @property
    def rank(self) -> tuple[float, int]:
        return (_LONGER * (self.sentences - 1) - self.words.share, self.start)

    def span(self, support: float) -> Span:
        return Span(start=self.start, end=self.end, support=support)


def best_span(claim: str, passage: Passage, *, least: float) -> Span | None:
    """The span that bears the claim out best by its words; None when none does.

    `least` is the share of the claim's words that it must have.
    """
    for run, text in _sharing(claim, passage.content):
        if is_word_for_word(claim, text):
            return Span(start=run[0][0], end=run[-1][1], support=1.0)
    around = _surroundings(passage)
    has_figures = figures(claim).text != figures(claim).words
    for candidate in sorted(_candidates(claim, passage.content, around), key=lambda candidate: candidate.rank):
        words = candidate.words
        enough = len(words.matched) >= 2 or (words.matched and has_figures)
        if words.share < least or not enough or words.missing:
            continue
        if not _is_ruled_out(claim, candidate, around):
            return candidate.span(words.share)
    return None


def nearest_span(claim: str, passages: Sequence[Passage]) -> tuple[Passage, Span] | None:
    """The span that says the claim in other words; None when none does."""
    known = (
        (passage, candidate)
        for passage in passages
        for candidate in _candidates(claim, passage.content, _surroundings(passage))
        if _may_mean_it(candidate.words)
    )
    nearest = sorted(known, key=lambda pair: pair[1].rank)
    allowed = (pair for pair in nearest if not _is_ruled_out(claim, pair[1], _surroundings(pair[0])))
    for passage, candidate in islice(allowed, _READ_CLOSELY):
        if support := meaning_supports(claim, candidate.text, candidate.words):
            return passage, candidate.span(support)
    return None


def _may_mean_it(words: Words) -> bool:
    total = len(words.matched) + len(words.missing)
    return (
        bool(words.matched) and len(words.matched) >= _LEAST_KNOWN * total and len(words.missing) <= _MOST_MISSING
    )


def _surroundings(passage: Passage) -> Surroundings:
    heading = title_path(passage.document_title, passage.section_path)
    return Surroundings(heading=heading, passage=passage.content)


def _candidates(claim: str, text: str, around: Surroundings) -> Iterator[_Candidate]:
    for run, piece in _sharing(claim, text):
        words = compare(claim, piece, around)
        main = _main(claim, [in_one_line(text[a:b]) for a, b in run])
        start, end = run[0][0], run[-1][1]
        yield _Candidate(start=start, end=end, text=piece, main=main, sentences=len(run), words=words)


def _sharing(claim: str, text: str) -> Iterator[tuple[Sequence[tuple[int, int]], str]]:
    """Every sentence, every two neighbours, every list with the line that leads in to it, as far as they share a word
    with the claim: the sentences, and how they read in one line."""
    wanted = stems(claim)
    for run in _runs(text, widest=_WIDEST_FOR_QUOTATIONS if quotations(claim) else _WIDEST):
        piece = in_one_line(text[run[0][0] : run[-1][1]])
        if wanted & stems(piece):
            yield run, piece


@lru_cache(maxsize=4096)
def in_one_line(text: str) -> str:
    """The text as a claim is read: plain, and without the line breaks that a page's width made. A list item stays
    apart from what is before it."""
    return " ".join(_BEFORE_ITEM.sub("; ", plain(text)).split())


@lru_cache(maxsize=512)
def _runs(text: str, *, widest: int) -> Sequence[Sequence[tuple[int, int]]]:
    spans = sentences_of(text)
    runs = [spans[at : at + count] for count in range(1, widest + 1) for at in range(len(spans) - count + 1)]
    return [*runs, *(run for at in range(len(spans)) if len(run := _list_at(text, spans, at)) > widest)]


def _list_at(text: str, spans: Sequence[tuple[int, int]], at: int) -> Sequence[tuple[int, int]]:
    """A line that ends in a colon, and the list items behind it."""
    if not text[: spans[at][1]].endswith(":"):
        return ()
    end = at + 1
    while end < len(spans) and end - at <= _LONGEST_LIST and _ITEM.match(text, spans[end][0]):
        end += 1
    return spans[at:end]


def _main(claim: str, sentences: Sequence[str]) -> str:
    wanted = content(claim)
    return max(sentences, key=lambda sentence: len(wanted & content(sentence)))


@lru_cache(maxsize=512)
def sentences_of(text: str) -> Sequence[tuple[int, int]]:
    """`(start, end)` of each sentence; remembered, for every claim is held against the same passages."""
    return sentence_spans(text)


def _adds_nothing(claim: str, candidate: _Candidate) -> bool:
    """The claim takes all its words and figures from one sentence, which alone did not bear it out."""
    mine = content(claim)
    lacking = mine & content(candidate.text) - content(candidate.main)
    return bool(mine) and not lacking and not unsupported_numbers(claim, candidate.main)


def _is_ruled_out(claim: str, candidate: _Candidate, around: Surroundings) -> bool:
    """Neither by the whole span nor by the sentence in it that speaks of the same."""
    is_joined = candidate.sentences > 1 and not goes_on(candidate.text)
    if candidate.sentences > 1 and _adds_nothing(claim, candidate):
        return True
    if (is_joined and goes_against(claim, candidate.main)) or swaps_roles(claim, candidate.main):
        return True
    return is_ruled_out(claim, candidate.text, around)
