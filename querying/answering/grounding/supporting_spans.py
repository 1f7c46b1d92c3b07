"""Finds the span of a passage that supports a claim: the sentence that says it, or a few neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.search.passages import Passage, content_spans
from language.cache_sizes import CACHED_PASSAGES, CACHED_SENTENCES
from language.content_words import content_stems
from language.figures.figure_extraction import extract_figures
from language.sentences import leads_into_list
from querying.answering.grounding.claim_contradictions import has_opposite_word
from querying.answering.grounding.claim_support import (
    Surroundings,
    WordOverlap,
    compare_words,
    is_contradicted,
    is_ruled_out,
    is_same_sentence,
    semantic_support,
    stem_set,
)
from querying.answering.grounding.linked_sentences import numbers_in, stems_with_subjects
from querying.answering.grounding.quotations import find_quotations
from querying.answering.grounding.quoted_lines import listed_item_spans, quoted_lines_span
from querying.retrieval.markdown_tables import table_layout
from querying.sanitize import sanitize

# A quotation may run over several sentences.
_MAX_SENTENCES, _MAX_QUOTATION_SENTENCES = 2, 6
# How many spans are read closely where words leave a doubt, and what share of the claim's words they must have.
_MAX_SEMANTIC_CHECKS = 3
_MIN_MATCHED_SHARE = 0.3
_MAX_MISSING_WORDS = 6
# A list counts as one statement with the line that leads in to it, up to so many items.
_MAX_LIST_ITEMS = 12
_BREAK_BEFORE_ITEM = re.compile(r"(?<=[^\s:;.!?])[ \t]*\n[ \t]*(?=[-*+•●▪◦‣–—·]\s)")
_LIST_ITEM = re.compile(r"[-*+•●▪◦‣–—·]\s|\(?[a-z0-9]{1,3}[.)]\s", re.IGNORECASE)
# Of equally good spans the shorter one is the better quotation.
_LENGTH_PENALTY = 0.05


@dataclass(frozen=True, kw_only=True)
class SupportingSpan:
    """`passage.content[start:end]`, and how well it supports the claim, above 0 and up to 1."""

    start: int
    end: int
    support: float


@dataclass(frozen=True, kw_only=True)
class _CandidateSpan:
    start: int
    end: int
    text: str
    sentences: Sequence[str]
    shared: Sequence[frozenset[str]]  # for each sentence the stems of the claim that it speaks of
    words: WordOverlap

    @property
    def main(self) -> str:
        """The one sentence of it that shares most with the claim."""
        return self.sentences[max(range(len(self.sentences)), key=lambda at: len(self.shared[at]))]

    def sentences_with_own_word(self) -> Iterator[str]:
        """Those that speak of something in the claim that none of the others does."""
        for at, sentence in enumerate(self.sentences):
            if self.shared[at].difference(*self.shared[:at], *self.shared[at + 1 :]):
                yield sentence

    @property
    def rank(self) -> tuple[float, int]:
        return (_LENGTH_PENALTY * (len(self.sentences) - 1) - self.words.share, self.start)

    def span(self, support: float) -> SupportingSpan:
        return SupportingSpan(start=self.start, end=self.end, support=support)


def best_span(claim: str, passage: Passage, *, least: float) -> SupportingSpan | None:
    """The span whose words support the claim best; None when no span does.

    `least` is the share of the claim's words that it must have.
    """
    for run, text in _runs_sharing_words(claim, passage):
        if is_same_sentence(claim, text):
            return SupportingSpan(start=run[0][0], end=run[-1][1], support=1.0)
    sentences = passage.sentence_spans()
    if quoted := quoted_lines_span(claim, sentences, passage.content):
        return SupportingSpan(start=quoted[0], end=quoted[1], support=1.0)
    around = _span_surroundings(passage)
    has_figures = extract_figures(claim).text != extract_figures(claim).words
    for candidate in sorted(_candidate_spans(claim, passage, around), key=lambda candidate: candidate.rank):
        words = candidate.words
        enough = len(words.matched) >= 2 or (words.matched and has_figures)
        if words.share < least or not enough or words.missing:
            continue
        if not _is_span_ruled_out(claim, candidate, around):
            return candidate.span(words.share)
    return None


def item_spans(claim: str, passage: Passage) -> list[SupportingSpan]:
    """The line that leads in to a list, and each of its items that the claim quotes behind this line: "Not covered are:
    frost", where other items stand between them. Empty where the claim says anything else."""
    spans = listed_item_spans(claim, passage.sentence_spans(), passage.content)
    return [SupportingSpan(start=start, end=end, support=1.0) for start, end in spans]


def paraphrasing_span(claim: str, passages: Sequence[Passage]) -> tuple[Passage, SupportingSpan] | None:
    """The span that says the claim in other words; None when none does."""
    known = (
        (passage, candidate)
        for passage in passages
        for candidate in _candidate_spans(claim, passage, _span_surroundings(passage))
        if _may_paraphrase(candidate.words) and not _is_named_elsewhere(candidate.words, passage)
    )
    nearest = sorted(known, key=lambda pair: pair[1].rank)
    allowed = (pair for pair in nearest if not _is_span_ruled_out(claim, pair[1], _span_surroundings(pair[0])))
    for passage, candidate in islice(allowed, _MAX_SEMANTIC_CHECKS):
        if support := semantic_support(claim, candidate.text, candidate.words):
            return passage, candidate.span(support)
    return None


@dataclass(frozen=True, kw_only=True)
class NearestSpan:
    """The words of a page that come closest to a claim, whether they support it or not."""

    main: str  # the one sentence of it that shares most with the claim
    missing: frozenset[str]  # stems of the claim that it lacks


def nearest_span(claim: str, passages: Sequence[Passage]) -> NearestSpan | None:
    """The span that shares most words with the claim; None where none shares any."""
    candidates = (
        candidate for passage in passages for candidate in _candidate_spans(claim, passage, _span_surroundings(passage))
    )
    best = min(candidates, key=lambda candidate: candidate.rank[0], default=None)
    return NearestSpan(main=best.main, missing=best.words.missing) if best else None


def _may_paraphrase(words: WordOverlap) -> bool:
    total = len(words.matched) + len(words.missing)
    return (
        bool(words.matched)
        and len(words.matched) >= _MIN_MATCHED_SHARE * total
        and len(words.missing) <= _MAX_MISSING_WORDS
    )


def _is_named_elsewhere(words: WordOverlap, passage: Passage) -> bool:
    """Whether a span that shares one word with the claim lacks one that its passage has elsewhere: where dogs are named
    as well, "pets are not allowed" says nothing of them."""
    return len(words.matched) == 1 and bool(words.missing & stem_set(passage.content))


def _span_surroundings(passage: Passage) -> Surroundings:
    heading = passage.titles
    return Surroundings(heading=heading, passage=passage.content)


def _candidate_spans(claim: str, passage: Passage, around: Surroundings) -> Iterator[_CandidateSpan]:
    text, wanted = passage.content, content_stems(claim) | numbers_in(claim)
    for run, piece in _runs_sharing_words(claim, passage):
        words = compare_words(claim, piece, around)
        sentences = [_sentence_text(text, span, passage.source_type) for span in run]
        shared = [wanted & stems for stems in stems_with_subjects(sentences)]
        start, end = run[0][0], run[-1][1]
        yield _CandidateSpan(start=start, end=end, text=piece, sentences=sentences, shared=shared, words=words)


def _runs_sharing_words(claim: str, passage: Passage) -> Iterator[tuple[Sequence[tuple[int, int]], str]]:
    """The runs of sentences that share a word with the claim, and how each reads in one line. A run is a sentence, two
    neighbouring ones, a row of a Markdown table as it stands or with its headers, or a list with the line that leads in
    to it."""
    wanted, text = stem_set(claim), passage.content
    widest = _MAX_QUOTATION_SENTENCES if find_quotations(claim) else _MAX_SENTENCES
    layout = table_layout(text, passage.source_type)
    for row in layout.headers:
        piece = as_one_line(layout.row_text(text, row))
        if wanted & stem_set(piece):
            yield [row], piece
    for run in _sentence_runs(text, passage.source_type, widest=widest):
        piece = _run_text(text, run, passage.source_type)
        if wanted & stem_set(piece):
            yield run, piece


def _run_text(text: str, run: Sequence[tuple[int, int]], source_type: str) -> str:
    """The run in one line; rows of one table stay on lines of their own, with the names of their columns."""
    headers = table_layout(text, source_type).headers
    lines, start = [], run[0][0]
    for before, after in pairwise(run):
        is_in_table = before in headers and headers[before] == headers.get(after)
        if is_in_table:
            return "\n".join(_sentence_text(text, span, source_type) for span in run)
        if _row_labels(text[slice(*before)]) & _row_labels(text[slice(*after)]):
            lines.append(as_one_line(text[start : before[1]]))
            start = after[0]
    return "\n".join([*lines, as_one_line(text[start : run[-1][1]])])


def _sentence_text(text: str, span: tuple[int, int], source_type: str) -> str:
    return as_one_line(table_layout(text, source_type).row_text(text, span))


def _row_labels(sentence: str) -> frozenset[str]:
    """The names of the columns in a row that is read with them: "Member: beam | Cover: 45 mm"."""
    cells = sentence.split(CELL_SEPARATOR) if CELL_SEPARATOR in sentence else []
    return frozenset(label for label, colon, _ in (cell.partition(":") for cell in cells) if colon)


@lru_cache(maxsize=CACHED_SENTENCES)
def as_one_line(text: str) -> str:
    """The text as a claim is read: plain, and without the line breaks that a page's width made. A list item stays
    apart from what is before it."""
    return " ".join(_BREAK_BEFORE_ITEM.sub("; ", sanitize(text)).split())


@lru_cache(maxsize=CACHED_PASSAGES)
def _sentence_runs(text: str, source_type: str, *, widest: int) -> Sequence[Sequence[tuple[int, int]]]:
    spans = content_spans(text, source_type)
    runs = [spans[at : at + count] for count in range(1, widest + 1) for at in range(len(spans) - count + 1)]
    return [*runs, *(run for at in range(len(spans)) if len(run := _list_run(text, spans, at)) > widest)]


def _list_run(text: str, spans: Sequence[tuple[int, int]], at: int) -> Sequence[tuple[int, int]]:
    """A line that leads into a list, and the list items behind it."""
    if not leads_into_list(text[slice(*spans[at])]):
        return ()
    end = at + 1
    while end < len(spans) and end - at <= _MAX_LIST_ITEMS and _LIST_ITEM.match(text, spans[end][0]):
        end += 1
    return spans[at:end]


def _is_span_ruled_out(claim: str, candidate: _CandidateSpan, around: Surroundings) -> bool:
    """Whether the whole span rules the claim out, or one of its sentences does: the one that shares most with it, or
    one that alone has a word of it ("It is closed on Sundays")."""
    if len(candidate.sentences) > 1 and (
        is_contradicted(claim, candidate.main)
        or any(has_opposite_word(claim, sentence) for sentence in candidate.sentences_with_own_word())
    ):
        return True
    return is_ruled_out(claim, candidate.text, around)
