"""How well the passages answer: each sentence is scored against the question, word by word, by the late interaction
of querying/retrieval/late_interaction.py. No language model is called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from types import MappingProxyType

from knowledge.embedders import local_embedder
from knowledge.embedders.local import LocalEmbedder
from knowledge.embedders.packed_states import PackedStates
from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.search.passages import Passage
from knowledge.search.query_words import NO_SYNONYMS, Synonyms
from knowledge.search.wording import ENGLISH_WORDING, Wording
from querying.question.resolve import WeightedTurn
from querying.question.sub_questions import sub_question_spans
from querying.retrieval.late_interaction import (
    Matrix,
    QuestionWords,
    SentenceMatch,
    question_words,
)
from querying.retrieval.passage_tables import NO_PAGES
from querying.retrieval.sentence_windows import Window, split_into_windows
from querying.retrieval.table_evidence import judge_rows, read_asked_tables
from querying.retrieval.token_states import WindowStates, read_states
from querying.retrieval.value_rows import prefer_asked_cells, with_value_rows
from querying.retrieval.window_matching import MatchedWindow, Matches, match_windows
from querying.types.evidence import Evidence, Sentence, SubQuestion, best_first

NO_STATES: Mapping[int, PackedStates] = MappingProxyType({})

# How many passages have their sentences scored. Each that is not in the cache costs some 10 ms.
MAX_SCORED_PASSAGES = 10
# How many windows of them the model reads, chosen by their words. This is what an answer costs in time.
MAX_WINDOWS = 12
# The model reads this many first. When they have evidence this strong, the others would not change the answer: three
# fifths of northwind's questions end here, with the same figures (docs/evaluation.md).
FIRST_BATCH_WINDOWS = 4
CLEAR_STRENGTH = 0.72
# What the share of the question's words is worth as an estimate, compared with a match by the model.
_LEXICAL_DISCOUNT = 0.8
# A row of a table without a number that is asked about (a year, mostly) is another row.
_MISSING_NUMBER_PENALTY = 0.1
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, kw_only=True)
class _ScoredPassage:
    """A passage whose sentences were matched. One that the model did not read has no matches, but `lexical_estimate`:
    what its words alone are worth. `relevance` is a reranker's opinion."""

    passage: Passage
    relevance: float | None
    matches: Matches
    lexical_estimate: float
    numbers: frozenset[str] = frozenset()  # that the question asks about
    sub_matches: tuple[Matches, ...] = ()  # of the same sentences with each sub-question

    @property
    def prior_score(self) -> float:
        """The score of the whole passage: that of the search, or the mean of that and the reranker's opinion."""
        return self.passage.score if self.relevance is None else (self.passage.score + self.relevance) / 2

    @property
    def rank_score(self) -> float:
        """Passages are ordered by this."""
        best = max((match.with_title for _, match in self.matches), default=self.lexical_estimate)
        return 0.7 * self.prior_score + 0.3 * best if self.relevance is None else self.relevance

    def sentences_for(self, sub_question: int, source: int) -> Iterator[Sentence]:
        """The sentences, half by how well each answers the sub-question and half by the whole: "what are the
        exceptions" alone does not say to what."""
        for sentence, (_, match) in zip(self.sentences(source), self.sub_matches[sub_question], strict=True):
            yield replace(sentence, score=(sentence.score + self._sentence_score(match)) / 2)

    def _sentence_score(self, match: SentenceMatch) -> float:
        return 0.6 * match.with_title + 0.4 * self.prior_score

    def sentences(self, source: int) -> Iterator[Sentence]:
        for (start, end), match in self.matches:
            score = self._sentence_score(match)
            row = f"{match.header} {self.passage.content[start:end]}"
            score -= _MISSING_NUMBER_PENALTY * _lacks_number(self.passage, row, self.numbers - match.ranges.numbers)
            yield Sentence(
                source=source,
                start=start,
                end=end,
                text=self.passage.content[start:end],
                score=max(0.0, score),
                weakest=match.weakest,
                strength=_match_strength(self.passage, match),
                ranges=match.ranges,
                header=match.header,
                asked_words=match.asked_words,
                is_cell_empty=match.is_cell_empty,
            )


def score_evidence(
    *,
    turns: Sequence[WeightedTurn],
    passages: Sequence[Passage],
    weights: Mapping[str, float],
    synonyms: Synonyms = NO_SYNONYMS,
    relevance: Sequence[float] | None = None,
    max_passages: int = MAX_SCORED_PASSAGES,
    max_windows: int = MAX_WINDOWS,
    wording: Wording = ENGLISH_WORDING,
    pages: Mapping[int, str] = NO_PAGES,
    kept: Mapping[int, PackedStates] = NO_STATES,
) -> Evidence:
    """The passages in the order in which they answer, and their sentences, best first.

    `turns` are the question and, at less weight, the turns before it; `weights` has the inverse document frequency of
    each stem; `relevance` is a reranker's opinion of each passage, 0 to 1, and decides their order. The sentences of
    `max_passages` are scored, and the model reads `max_windows` of them. The strength is between 0 and 1, and 0 where
    there is nothing to score. `pages` has texts of pages by their ids, for the captions of tables; `kept` has the token
    states of passages by the ids of their chunks, and the model reads the others.
    """
    embedder = local_embedder()
    words = question_words(turns, weights=weights, synonyms=synonyms, embedder=embedder, wording=wording)
    if not passages or not words:
        return Evidence(passages=tuple(passages), sentences=(), strength=0.0, wording=wording)
    # Sorting keeps the order of equals, here and below.
    ranked = sorted(zip(passages, relevance or repeat(None)), key=lambda pair: -(pair[1] or 0.0))  # noqa: B905
    head, tail = ranked[:max_passages], ranked[max_passages:]
    numbers = frozenset(_NUMBER.findall(turns[0].text)) if turns else frozenset()
    sub_questions = _sub_questions(turns, words)
    sub_words = [each for _, each in sub_questions]
    scored = _score_passages(
        head, words=words, sub_words=sub_words, numbers=numbers, embedder=embedder, max_windows=max_windows, kept=kept
    )
    found = _as_evidence(scored, [one for one, _ in tail], asked=[text for text, _ in sub_questions], wording=wording)
    if wording.language or sub_questions:
        return found
    question = turns[0].text
    tables = read_asked_tables(question, found.passages, pages)
    judged = judge_rows(found, question=question, words=words, weights=weights, embedder=embedder, tables=tables)
    return with_value_rows(prefer_asked_cells(judged, question=question), question=question, tables=tables)


def _as_evidence(
    scored: Sequence[_ScoredPassage], others: Sequence[Passage], *, asked: Sequence[str], wording: Wording
) -> Evidence:
    """The scored passages and behind them the others; `asked` are the texts of the sub-questions."""
    return Evidence(
        passages=(*(one.passage for one in scored), *others),
        sentences=best_first(chain.from_iterable(one.sentences(source) for source, one in enumerate(scored))),
        strength=max(_passage_strength(one.passage, one.matches) for one in scored),
        wording=wording,
        sub_questions=tuple(_scored_sub_question(scored, number, text) for number, text in enumerate(asked)),
    )


def _scored_sub_question(scored: Sequence[_ScoredPassage], number: int, text: str) -> SubQuestion:
    each = (one.sentences_for(number, source) for source, one in enumerate(scored))
    return SubQuestion(text=text, sentences=best_first(chain.from_iterable(each)))


def _score_passages(
    head: Sequence[tuple[Passage, float | None]],
    *,
    words: QuestionWords,
    sub_words: Sequence[QuestionWords],
    numbers: frozenset[str],
    embedder: LocalEmbedder,
    max_windows: int,
    kept: Mapping[int, PackedStates],
) -> list[_ScoredPassage]:
    """The passages, each with a reranker's opinion of it, in the order in which they answer."""
    matched = _match_passages(
        [one for one, _ in head],
        words=words,
        sub_words=sub_words,
        embedder=embedder,
        max_windows=max_windows,
        kept=kept,
    )
    scored = [
        _ScoredPassage(
            passage=passage,
            relevance=opinion,
            matches=matches,
            lexical_estimate=estimate,
            numbers=numbers,
            sub_matches=sub_matches,
        )
        for (passage, opinion), (matches, sub_matches, estimate) in zip(head, matched, strict=True)
    ]
    return sorted(scored, key=lambda one: -one.rank_score)


def _sub_questions(turns: Sequence[WeightedTurn], words: QuestionWords) -> list[tuple[str, QuestionWords]]:
    """The questions of a text that asks several, each with its words; none where less than two have words."""
    text = turns[0].text
    found = [(text[slice(*span)], words.of_span(span)) for span in sub_question_spans(text)]
    with_words = [(part, own) for part, own in found if own]
    return with_words if len(with_words) > 1 else []


def _lacks_number(passage: Passage, row: str, numbers: frozenset[str]) -> bool:
    """Whether a row of a table lacks a number that is asked about, and its caption as well: it is another row."""
    if not numbers or CELL_SEPARATOR not in row:
        return False
    return not numbers <= set(_NUMBER.findall(f"{' '.join(passage.section_path)} {row}"))


def _passage_strength(passage: Passage, matches: Matches) -> float:
    return max((_match_strength(passage, match) for _, match in matches), default=0.0)


def _match_strength(passage: Passage, match: SentenceMatch) -> float:
    """Without the title's words: these show the right document, not that the sentence answers."""
    return 0.6 * match.without_title + 0.4 * passage.score


def _match_passages(
    passages: Sequence[Passage],
    *,
    words: QuestionWords,
    sub_words: Sequence[QuestionWords],
    embedder: LocalEmbedder,
    max_windows: int,
    kept: Mapping[int, PackedStates],
) -> list[tuple[Matches, tuple[Matches, ...], float]]:
    """For each passage its sentences and how they match, the same with each sub-question, and what its words alone are
    worth. The most promising windows go through the model in one batch; the others in a second one, unless the first
    are clear enough and one thing is asked."""
    ranked = _rank_windows(
        [window for at, each in enumerate(passages) for window in split_into_windows(at, each)],
        words,
        most=max_windows,
    )
    estimates = [0.0 for _ in passages]
    for window, share in ranked:
        estimates[window.passage] = max(estimates[window.passage], _LEXICAL_DISCOUNT * share)
    is_much = len(ranked) == max_windows
    windows = [_trim_window(window, words) if is_much else window for window, _ in ranked]
    states: list[WindowStates] = []
    similar: list[Matrix] = []
    known: dict[int, MatchedWindow] = {}
    for batch in (windows[:FIRST_BATCH_WINDOWS], windows[FIRST_BATCH_WINDOWS:]):
        read = _states_of(batch, kept=kept, embedder=embedder)
        states += read
        similar += [each.cosines(words) for each in read]
        matches = match_windows(words, passages, windows[: len(states)], states, similar, known=known)
        is_clear = not sub_words and max(map(_passage_strength, passages, matches)) >= CLEAR_STRENGTH
        if is_clear or len(states) == len(windows):
            break
    by_sub_question = [
        match_windows(each, passages, windows[: len(states)], states, [one.cosines(each) for one in states])
        for each in sub_words
    ]
    sub_matches = zip(*by_sub_question, strict=True) if by_sub_question else repeat((), len(passages))
    return list(zip(matches, sub_matches, estimates, strict=True))


def _states_of(
    windows: Sequence[Window], *, kept: Mapping[int, PackedStates], embedder: LocalEmbedder
) -> list[WindowStates]:
    unread = [window.text for window in windows if window.chunk_id not in kept]
    read = iter(read_states(embedder, unread))
    return [window.kept_states(kept[window.chunk_id]) if window.chunk_id in kept else next(read) for window in windows]


def _rank_windows(windows: Sequence[Window], words: QuestionWords, *, most: int) -> list[tuple[Window, float]]:
    """At most so many of them, each with the share of the question's words that it holds: the best of each
    passage, then the best of the others. The most promising first: a quarter of the words is worth a place of the
    ranking."""
    shared = sorted(((window, words.share(window.stems)) for window in windows), key=lambda pair: -pair[1])
    firsts = list({window.passage: (window, share) for window, share in reversed(shared)}.values())
    firsts.sort(key=lambda pair: pair[0].passage)
    others = [pair for pair in shared if pair not in firsts]
    chosen = [*firsts, *others][:most]
    return sorted(chosen, key=lambda pair: pair[0].passage - 4 * pair[1])


def _trim_window(window: Window, words: QuestionWords) -> Window:
    """Without the sentences before the first and after the last that say a word of the question: an eighth of what the
    model would read where there is much to read. A window without any such word stays whole."""
    matching = [at for at, stems in enumerate(window.span_stems) if words.says_any(stems)]
    return window.part(matching[0], matching[-1]) if matching else window
