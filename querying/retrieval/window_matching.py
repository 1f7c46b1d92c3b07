"""How well the sentences of windows match the words of a question, by the cosines of their tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from knowledge.search.passages import Passage
from language.calendar_dates import day_first_in
from querying.retrieval.late_interaction import NO_MATCH, NO_WORDS, Matrix, QuestionWords, SentenceMatch, Span
from querying.retrieval.markdown_columns import AskedRows, asked_words_by_row
from querying.retrieval.passage_tables import stems_of
from querying.retrieval.sentence_windows import Window, title_prefix
from querying.retrieval.token_states import WindowStates
from querying.types.evidence import RangeMatch

# What a match with the header row is worth beside one with the row itself: all rows have the header.
_HEADER_WEIGHT = 0.8

# Line breaks between two paragraphs.
_PARAGRAPH_BREAKS = 2
# What stands for the thing that the sentence before names.
_PRONOUN = re.compile(r"\b(?:it|its|they|their)\b", re.IGNORECASE)

Matches = list[tuple[Span, SentenceMatch]]


@dataclass(frozen=True, kw_only=True)
class _MatchBasis:
    """What the sentences of a window are matched by beside their tokens: the topic in its passage, the words of its
    title, the ranges of each sentence, and the words that ask for its rows. Other windows change it."""

    topic: NDArray[np.float32]
    in_title: NDArray[np.bool_]
    ranges: tuple[RangeMatch, ...]
    asked: AskedRows

    def is_same(self, other: _MatchBasis) -> bool:
        """Of the same window."""
        return np.array_equal(self.topic, other.topic) and self.ranges == other.ranges and self.asked == other.asked


@dataclass(frozen=True, kw_only=True)
class MatchedWindow:
    basis: _MatchBasis
    matches: Matches


def match_windows(
    words: QuestionWords,
    passages: Sequence[Passage],
    windows: Sequence[Window],
    states: Sequence[WindowStates],
    similar: Sequence[Matrix],
    *,
    known: dict[int, MatchedWindow] | None = None,
) -> list[Matches]:
    """For each passage the sentences of its windows and how they match; `states` has the model's of each window, and
    `similar` their cosines with the words. `known` has windows by their number that were matched before with fewer
    others, and gets those of today: one is matched anew only where the others change what it is matched by."""
    found: list[Matches] = [[] for _ in passages]
    in_title = [words.in_title(title_prefix(passage)) for passage in passages]
    topics = [
        words.topic(
            [each for each, window in zip(similar, windows, strict=True) if window.passage == at], in_title=titled
        )
        for at, titled in enumerate(in_title)
    ]
    rows = [window.layout.row_text(window.content, span) for window in windows for span in window.spans]
    orders = _orders_of_dates(passages) if words.names_dates else {}
    of_rows = [orders.get(passages[window.passage].document_id) for window in windows for _ in window.spans]
    ranges = iter(words.match_ranges(rows, day_first=of_rows))
    asked = _asked_rows(words, passages, windows)
    known = {} if known is None else known
    for number, (window, each, read) in enumerate(zip(windows, similar, states, strict=True)):
        at = window.passage
        basis = _MatchBasis(
            topic=topics[at],
            in_title=in_title[at],
            ranges=_beside_asked(window, list(islice(ranges, len(window.spans)))),
            asked=asked.get(at, {}),
        )
        before = known.get(number)
        if before is None or not before.basis.is_same(basis):
            matches = _match_window(words, window, each, read.places, basis)
            known[number] = before = MatchedWindow(basis=basis, matches=matches)
        found[at] += before.matches
    return found


def _orders_of_dates(passages: Sequence[Passage]) -> dict[UUID, bool | None]:
    """For each document whether its dates in figures begin with the day, as far as these passages tell."""
    found: dict[UUID, set[bool | None]] = {}
    for passage in passages:
        found.setdefault(passage.document_id, set()).add(day_first_in(passage.content))
    known = {document: orders - {None} for document, orders in found.items()}
    return {document: orders.pop() if len(orders) == 1 else None for document, orders in known.items()}


def _match_window(
    words: QuestionWords, window: Window, similar: Matrix, places: NDArray[np.intp], basis: _MatchBasis
) -> Matches:
    """The sentences of a window and how they match; `places` has where each token stands."""
    found: Matches = []
    of_other_days = None
    for span, stems, of_span in zip(window.spans, window.span_stems, basis.ranges, strict=True):
        if span in window.layout.labels:
            found.append((span, NO_MATCH))
            continue
        similar_words = _similarity_to_row(similar, places, window, span)
        if of_other_days and of_span.days and _continues_by_pronoun(window.content, of_other_days, span):
            named = _similarity_to_row(similar, places, window, of_other_days)
            similar_words = np.concatenate([similar_words, named], axis=1)
        of_other_days = span if of_span.other_days else None
        row = basis.asked.get(span)
        match = words.match(
            similar_words,
            topic=basis.topic,
            in_title=basis.in_title,
            stems=stems,
            ranges=of_span,
            covered=row.covered if row else NO_WORDS,
        )
        if header := window.layout.headers.get(span):
            match = replace(match, header=window.content[slice(*header)])
        if row:
            match = replace(match, asked_words=frozenset(row.words), is_cell_empty=row.is_empty)
        found.append((span, match))
    return found


def _beside_asked(window: Window, ranges: list[RangeMatch]) -> tuple[RangeMatch, ...]:
    """The same, told of those that speak of other days where the sentence of the paragraph, or the row of the table,
    before or behind them speaks of those asked about."""
    found = list(ranges)
    for (at, one), (behind, other) in pairwise(enumerate(ranges)):
        is_joined = window.content.count("\n", window.spans[at][1], window.spans[behind][0]) < _PARAGRAPH_BREAKS
        if is_joined and one.other_days and other.days:
            found[at] = replace(one, is_beside_asked=True)
        elif is_joined and one.days and other.other_days:
            found[behind] = replace(other, is_beside_asked=True)
    return tuple(found)


def _continues_by_pronoun(content: str, before: Span, span: Span) -> bool:
    """Whether a sentence says with a pronoun what the one before it speaks of, in the same paragraph."""
    return "\n" not in content[before[1] : span[0]].strip(" ") and _PRONOUN.search(content, *span) is not None


def _asked_rows(words: QuestionWords, passages: Sequence[Passage], windows: Sequence[Window]) -> dict[int, AskedRows]:
    """For each passage with a Markdown table the words that ask for its rows in other words than its heads."""
    best_first = sorted({window.passage for window in windows if window.layout.headers})
    if not best_first or not words.english:
        return {}
    with_tables = [passages[at] for at in best_first]
    asked = asked_words_by_row(words.english, with_tables, known=partial(stems_of, passages))
    return dict(zip(best_first, asked, strict=True))


def _similarity_to_row(similar: Matrix, places: NDArray[np.intp], window: Window, span: Span) -> Matrix:
    """The columns of the window's tokens that are those of a sentence, and with less weight those of its header row;
    `places` has where each token stands."""
    own = similar[:, _token_columns(places, (span[0] + window.offset, span[1] + window.offset))]
    header = window.header_place(span)
    if header is None:
        return own
    return np.concatenate([own, _HEADER_WEIGHT * similar[:, _token_columns(places, header)]], axis=1)


def _token_columns(places: NDArray[np.intp], span: Span) -> slice:
    starts, ends = places.T
    return slice(int(ends.searchsorted(span[0], side="right")), int(starts.searchsorted(span[1], side="left")))
