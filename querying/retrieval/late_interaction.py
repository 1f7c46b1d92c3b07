"""Late interaction (ColBERT's MaxSim, Khattab and Zaharia 2020) over the token states of the local embedder.

Every word of the question looks for its best match among the words of a sentence in its context, and counts by its
inverse document frequency. Of phrases that mean the same the best match counts. The model was not trained for it but
does it well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from knowledge.embedders.local import LocalEmbedder
from knowledge.embedders.packed_states import ProjectedStates, project, tokens_with_states
from knowledge.search.query_words import Synonyms, canonical_phrase
from knowledge.search.wording import ENGLISH_WORDING, Wording
from language.calendar_dates import named_dates
from language.scripts import is_mostly_latin
from language.terms import terms, word_spans
from querying.question.resolve import WeightedTurn
from querying.retrieval.date_ranges import with_dates
from querying.retrieval.quantity_ranges import match_ranges
from querying.retrieval.token_states import States, token_states
from querying.retrieval.weekday_ranges import with_weekdays
from querying.types.evidence import NO_RANGE_MATCH, RangeMatch

Matrix = NDArray[np.float32]
Span = tuple[int, int]

NO_WORDS: Mapping[str, float] = MappingProxyType({})
_MAX_SYNONYMS = 6
# Each other way to put a phrase is read by the model once, so a question has only so many.
_MAX_VARIANTS = 24
# What a word is matched by where the sentence has another form of it, in a language that the model does not know.
_FORM_MATCH = 0.8
# What a word is matched by that the sentence does not say, in letters that the model does not know: about what it gives
# a word of English that is not there. So one threshold serves both. And a day of the week or a date by others.
_UNSAID_MATCH = 0.45
# A word counts as one that a sentence must match when it weighs at least this share of the question's mean word.
_MIN_DECIDING_WEIGHT = 0.6
# And so do these many, however little they weigh: a question asks for something of something.
_MIN_DECIDING_WORDS = 2


@dataclass(frozen=True, kw_only=True)
class SentenceMatch:
    """How much of the question's weight a sentence matches, by its own words and together with those of the title.
    `weakest` is the match of the word that is matched least, with the title; words that weigh little do not count.
    `ranges` says which of the question's quantities it has a range for, `header` is the header row that it was read
    with, `asked_words` and `is_cell_empty` are those of `Sentence`."""

    without_title: float
    with_title: float
    weakest: float
    ranges: RangeMatch = NO_RANGE_MATCH
    header: str = ""
    asked_words: frozenset[str] | None = None
    is_cell_empty: bool = False


NO_MATCH = SentenceMatch(without_title=0.0, with_title=0.0, weakest=0.0)


@dataclass(frozen=True, kw_only=True)
class _PhraseStates:
    """A word or phrase of the question as it stands in a text: token states, the share of each, stems, and whether the
    model was trained on its letters."""

    states: Matrix
    shares: NDArray[np.float32]  # sum to 1
    stems: tuple[str, ...]
    is_understood: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True)
class _QuestionWord:
    """A word of the question in all its phrases, its weight, and where it begins in its turn. One that only earlier
    turns say names the topic."""

    parts: tuple[_PhraseStates, ...]
    weight: float
    start: int
    is_topic: bool


class QuestionWords:
    """The question's content words, ready to be matched. Falsy when there is none."""

    def __init__(
        self, words: Sequence[_QuestionWord], wording: Wording = ENGLISH_WORDING, *, question: str = ""
    ) -> None:
        parts = [part for word in words for part in word.parts]
        self._words = words
        self._wording = wording
        self._question = question
        if not words:
            return
        self.states: Matrix = np.concatenate([part.states for part in parts])
        self._shares = np.concatenate([part.shares for part in parts])
        self._stems = [stem for part in parts for stem in part.stems]
        self._is_topic = np.asarray([word.is_topic for word in words for part in word.parts for _ in part.stems])
        self._is_understood = np.asarray([one for part in parts for one in part.is_understood])
        self._part_starts = _segment_starts([len(part.stems) for part in parts])
        self._word_starts = _segment_starts([len(word.parts) for word in words])
        weights = np.asarray([word.weight for word in words], dtype=np.float32)
        self._weights = weights / weights.sum()
        # Every document says "must" or "need", so what weighs little is no sign of what a sentence is about.
        is_asked = ~np.asarray([word.is_topic for word in words])
        heaviest = np.sort(self._weights[is_asked])[::-1][:_MIN_DECIDING_WORDS]
        least = min(_MIN_DECIDING_WEIGHT * self._weights.mean(), heaviest.min(initial=np.inf))
        self._decides = is_asked & (self._weights >= least)

    def __bool__(self) -> bool:
        return bool(self._words)

    @cached_property
    def projected(self) -> ProjectedStates:
        """The states as they are compared with those that are kept."""
        return project(self.states)

    @property
    def english(self) -> str:
        """The question; empty where it is in another language."""
        return "" if self._wording.language else self._question

    @property
    def names_dates(self) -> bool:
        """Whether the English question is about a day or a month."""
        return bool(named_dates(self.english))

    def of_span(self, span: Span) -> QuestionWords:
        """Only those between two places of the question's text, and what earlier turns name. Falsy where it has none
        of its own."""
        start, end = span
        own = [word for word in self._words if not word.is_topic and start <= word.start < end]
        topic = [word for word in self._words if word.is_topic]
        return QuestionWords([*own, *topic] if own else [], self._wording, question=self._question[start:end])

    def in_title(self, title: str) -> NDArray[np.bool_]:
        """Which rows of the states belong to words that the title says."""
        return self._is_in_stems(frozenset(terms(title)))

    def share(self, said: Set[str]) -> float:
        """How much of the question's weight these stems are, 0 to 1: quick, and rough."""
        return self._weighed(self._is_in_stems(said).astype(np.float32))

    def says_any(self, said: Set[str]) -> bool:
        """Whether these stems are of any word of the question: whether `share` is more than 0, and quicker."""
        if not self._wording.forms:
            return not self._weighing_stems.isdisjoint(said)
        return any(self._wording.is_said(stem, said) for stem in self._weighing_stems)

    @cached_property
    def _weighing_stems(self) -> frozenset[str]:
        return frozenset(stem for stem, share in zip(self._stems, self._shares, strict=True) if share > 0)

    def _is_in_stems(self, stems: Set[str]) -> NDArray[np.bool_]:
        if not self._wording.forms:
            return self._is_any(stems)
        said = (self._wording.is_said(stem, stems) for stem in self._stems)
        return np.fromiter(said, dtype=np.bool_, count=len(self._stems))

    def match_ranges(self, sentences: Sequence[str], *, day_first: Sequence[bool | None] = ()) -> list[RangeMatch]:
        """For each sentence which quantities, days and dates of the question its ranges include and exclude;
        `day_first` tells for each how its document writes dates in figures."""
        matches = match_ranges(self._question, sentences, is_english=not self._wording.language)
        with_days = with_weekdays(self.english, sentences, matches)
        return with_dates(self.english, sentences, with_days, day_first=day_first)

    def _is_any(self, stems: Set[str]) -> NDArray[np.bool_]:
        """Which rows of the states belong to these very stems."""
        return np.fromiter((stem in stems for stem in self._stems), dtype=np.bool_, count=len(self._stems))

    def topic(self, similar: Sequence[Matrix], *, in_title: NDArray[np.bool_]) -> NDArray[np.float32]:
        """For each row of the states, how well a passage or its title speaks of it anywhere, if it is the topic, else
        0."""
        is_known = self._is_topic & self._is_understood
        if not is_known.any():
            return np.zeros(len(is_known), np.float32)
        best = np.max([in_title, *(each.max(axis=1, initial=0.0) for each in similar)], axis=0)
        return np.where(is_known, np.clip(best, 0.0, 1.0), 0.0).astype(np.float32)

    def match(
        self,
        similar: Matrix,
        *,
        topic: NDArray[np.float32],
        in_title: NDArray[np.bool_],
        stems: Set[str],
        ranges: RangeMatch = NO_RANGE_MATCH,
        covered: Mapping[str, float] = NO_WORDS,
    ) -> SentenceMatch:
        """`similar` is [rows of the states, tokens of the sentence]; `stems` are those of the sentence. What earlier
        turns name needs to be in the passage; the sentence answers the last. A quantity in one of the sentence's ranges
        is as good as said. `covered` has the words that ask for the sentence in other words, and how well it matches
        them."""
        if similar.shape[1] == 0:  # cut off at the end of the model's window
            return NO_MATCH
        best = np.maximum(similar.max(axis=1).clip(0.0, 1.0), topic)
        if self._wording.language:
            said = self._is_in_stems(stems)
            best = np.where(said, np.maximum(best, _FORM_MATCH), best)
            best = np.where(self._is_understood, best, np.where(said, 1.0, _UNSAID_MATCH).astype(np.float32))
        if ranges is not NO_RANGE_MATCH:
            best = np.where(self._is_any(ranges.included), 1.0, np.where(self._is_any(ranges.excluded), 0.0, best))
            best = np.where(self._is_any(ranges.days), 1.0, best)
            most = 0.0 if ranges.is_beside_asked else _UNSAID_MATCH
            best = np.where(self._is_any(ranges.other_days), np.minimum(best, most), best)
        if covered:
            best = np.maximum(best, self._covers(covered))
        titled = self._by_word(np.where(in_title, 1.0, best))
        # A date decides, however little it weighs in a document that is full of dates.
        decides = self._decides | self._words_with(ranges.other_days) if ranges.other_days else self._decides
        return SentenceMatch(
            without_title=self._weighed(best),
            with_title=float(self._weights @ titled),
            weakest=float(titled[decides].min(initial=1.0)),
            ranges=ranges,
        )

    def match_cell(self, similar: Matrix, *, covered: Mapping[str, float], unsaid: Set[str]) -> tuple[float, float]:
        """How much of the question's weight a cell of a table matches, and the match of the word that it matches least.
        `covered` has the words that are said of it; `unsaid` are those for which nothing else will do."""
        best = np.clip(similar.max(axis=1, initial=0.0), 0.0, 1.0)
        best = np.where(self._is_any(unsaid), 0.0, np.maximum(best, self._covers(covered))).astype(np.float32)
        by_word = self._by_word(best)
        return float(self._weights @ by_word), float(by_word[self._decides].min(initial=1.0))

    def _words_with(self, stems: Set[str]) -> NDArray[np.bool_]:
        """Which words of the question have any of these stems."""
        parts = np.logical_or.reduceat(self._is_any(stems), self._part_starts)
        return np.logical_or.reduceat(parts, self._word_starts)

    def _covers(self, covered: Mapping[str, float]) -> NDArray[np.float32]:
        return np.asarray([covered.get(stem, 0.0) for stem in self._stems], dtype=np.float32)

    def _weighed(self, best: NDArray[np.float32]) -> float:
        return float(self._weights @ self._by_word(best))

    def _by_word(self, best: NDArray[np.float32]) -> NDArray[np.float32]:
        """The match of each word: that of the phrase for it that matches best."""
        parts = np.add.reduceat(best * self._shares, self._part_starts)
        return np.maximum.reduceat(parts, self._word_starts)


def question_words(
    turns: Sequence[WeightedTurn],
    *,
    weights: Mapping[str, float],
    synonyms: Synonyms,
    embedder: LocalEmbedder,
    wording: Wording = ENGLISH_WORDING,
) -> QuestionWords:
    """The content words of the turns, each in its context; a word that is said twice counts where it weighs most.

    `weights` has the inverse document frequency of each stem. The work is bounded whatever the text: what the model
    does not read is left out, and each word is looked at once.
    """
    reader = _TurnParser(weights=weights, synonyms=synonyms, embedder=embedder)
    # Turns come by weight, so the first mention is the one that counts.
    words = [word for turn in turns for word in reader.words(turn)]
    return QuestionWords(words, wording, question=turns[0].text if turns else "")


@dataclass(frozen=True, kw_only=True)
class _TextWord:
    """A word of a text, its terms, and what it weighs."""

    start: int
    end: int
    text: str
    stems: tuple[str, ...]
    weight: float


class _TurnParser:
    """Takes turns apart into words that no turn before had, and finds the token states of each."""

    def __init__(self, *, weights: Mapping[str, float], synonyms: Synonyms, embedder: LocalEmbedder) -> None:
        self._weights = weights
        self._synonyms = synonyms
        self._embedder = embedder
        self._known: set[tuple[str, ...]] = set()
        self._variants_left = _MAX_VARIANTS

    def words(self, turn: WeightedTurn) -> Iterator[_QuestionWord]:
        """The words with a weight, in order. A phrase that has synonyms is one word."""
        text = f"{turn.preceding_text} {turn.text}" if turn.preceding_text else turn.text
        (read,) = token_states(self._embedder, [text])
        read_to = read[1][-1][1] if read[1] else 0
        first = len(text) - len(turn.text)
        said = [word for word in self._text_words(text[:read_to]) if word.start >= first]
        for group, others in self._phrases(said):
            weight = turn.weight * sum(word.weight for word in group)
            stems = tuple(word.stems[0] for word in group)
            if weight > 0 and stems not in self._known:
                self._known.add(stems)
                parts = [_phrase_states(group, read), *self._variant_states(text, group, others)]
                yield _QuestionWord(
                    parts=tuple(parts), weight=weight, start=group[0].start - first, is_topic=turn.weight < 1
                )

    def _phrases(self, said: Sequence[_TextWord]) -> Iterator[tuple[Sequence[_TextWord], tuple[str, ...]]]:
        """Each word by itself, or the words of a phrase together with how else it is put."""
        at = 0
        while at < len(said):
            length, others = self._longest_phrase(said, at)
            yield said[at : at + length], others
            at += length

    def _longest_phrase(self, said: Sequence[_TextWord], at: int) -> tuple[int, tuple[str, ...]]:
        for length in range(min(self._synonyms.longest, len(said) - at), 0, -1):
            phrase = canonical_phrase(" ".join(word.text for word in said[at : at + length]))
            if others := self._synonyms.spellings(phrase):
                return length, others[:_MAX_SYNONYMS]
        return 1, ()

    def _text_words(self, text: str, *, offset: int = 0) -> Iterator[_TextWord]:
        for start, end in word_spans(text):
            word = text[start:end]
            if stems := tuple(terms(word)):
                weight = max(self._weights.get(stem, 0.0) for stem in stems)
                yield _TextWord(start=start + offset, end=end + offset, text=word, stems=stems, weight=weight)

    def _variant_states(self, text: str, group: Sequence[_TextWord], others: Sequence[str]) -> Iterator[_PhraseStates]:
        """The states of the other ways to put a phrase, each in the text in its place."""
        others = others[: self._variants_left]
        self._variants_left -= len(others)
        start, end = group[0].start, group[-1].end
        texts = [text[:start] + other + text[end:] for other in others]
        for other, read in zip(others, token_states(self._embedder, texts), strict=True):
            words = [word for word in self._text_words(other, offset=start) if word.weight > 0]
            if read[1] and words and words[0].start < read[1][-1][1]:
                yield _phrase_states(words, read)


def _phrase_states(words: Sequence[_TextWord], read: States) -> _PhraseStates:
    """The token states of words of a text that was read at least as far as the first of them."""
    states, offsets = read
    starts, ends = np.asarray(offsets, dtype=np.intp).T
    rows: list[int] = []
    shares: list[float] = []
    stems: list[str] = []
    understood: list[bool] = []
    for word in words:
        pieces = _tokens_of(word, starts, ends)
        rows += pieces
        shares += [word.weight / len(pieces)] * len(pieces) if pieces else []
        stems += [word.stems[0]] * len(pieces)
        understood += [is_mostly_latin(word.text)] * len(pieces)
    share = np.asarray(shares, dtype=np.float32) / np.float32(sum(shares))
    return _PhraseStates(states=states[rows], shares=share, stems=tuple(stems), is_understood=tuple(understood))


def _tokens_of(word: _TextWord, starts: NDArray[np.intp], ends: NDArray[np.intp]) -> list[int]:
    """The tokens of the word. Its hyphens and points are not looked for: passages keep no states of punctuation."""
    first, after = np.searchsorted(ends, word.start, side="right"), np.searchsorted(starts, word.end, side="left")
    tokens = list(range(int(first), int(after)))
    places = [(max(0, int(starts[at]) - word.start), int(ends[at]) - word.start) for at in tokens]
    return [tokens[number] for number in tokens_with_states(places, word.text)] or tokens


def _segment_starts(lengths: Sequence[int]) -> NDArray[np.intp]:
    return np.cumsum([0, *lengths[:-1]])
