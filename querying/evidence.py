"""How well the passages answer: each sentence is weighed against the question, word by word.

Late interaction (ColBERT's MaxSim, Khattab and Zaharia 2020) over the token states of the local embedder, which
was not trained for it but does it well: every word of the question looks for its best match among the words of
a sentence in its context, and counts by its inverse document frequency. No language model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from knowledge.chunking import title_path
from knowledge.embedders import get_embedder
from knowledge.embedders.local import LocalEmbedder
from knowledge.search import Passage
from knowledge.sentences import sentence_spans
from knowledge.terms import terms
from querying.token_states import token_states
from querying.types import Evidence, Sentence

# Passages whose sentences are weighed. Each costs some 15 ms; beyond five there is little to gain.
WEIGHED_PASSAGES = 5
# Sentences share a window of about 200 tokens, so that each is read in its context.
_WINDOW_CHARACTERS = 800
_TITLE_CHARACTERS = 160
_EARLIER_TURN_WEIGHT = 0.3
_WORD = re.compile(r"\w+(?:[.\-'’]\w+)*")

Matrix = NDArray[np.float32]
Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class AskedWords:
    """The question's content words: their token states (one row a word piece), weights that sum to 1, and stems."""

    states: Matrix
    weights: NDArray[np.float32]
    stems: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Match:
    """How much of the question's weight a sentence matches, and the same with words of the title as given."""

    bare: float
    titled: float


@dataclass(frozen=True, kw_only=True)
class _Window:
    """Sentences that the model reads together. `shift` leads from the passage's offsets to those of the text."""

    passage: int
    spans: tuple[Span, ...]
    text: str
    shift: int


def weigh(
    *, question: str, passages: Sequence[Passage], weights: Mapping[str, float], earlier: str = ""
) -> Evidence:
    """The passages in the order in which they answer, and their sentences, best first.

    `weights` has the inverse document frequency of each stem; `earlier` is the user's turn before, which counts
    less. Strength is between 0 and 1; 0 when there is nothing to weigh.
    """
    embedder = get_embedder("local")
    assert isinstance(embedder, LocalEmbedder)
    asked = _asked_words(question, earlier=earlier, weights=weights, embedder=embedder)
    if not passages or asked is None:
        return Evidence(passages=tuple(passages), sentences=(), strength=0.0)
    weighed = list(passages[:WEIGHED_PASSAGES])
    matches = _matches(asked, weighed, embedder)
    order = sorted(range(len(weighed)), key=partial(_passage_key, weighed, matches))
    sentences, strength = [], 0.0
    for source, index in enumerate(order):
        passage = weighed[index]
        for (start, end), match in matches[index]:
            score = 0.6 * match.titled + 0.4 * passage.score
            strength = max(strength, 0.6 * match.bare + 0.4 * passage.score)
            text = passage.content[start:end]
            sentences.append(Sentence(source=source, start=start, end=end, text=text, score=score))
    sentences.sort(key=lambda sentence: (-sentence.score, sentence.source, sentence.start))
    ordered = [weighed[index] for index in order] + list(passages[WEIGHED_PASSAGES:])
    return Evidence(passages=tuple(ordered), sentences=tuple(sentences), strength=strength)


def _passage_key(
    passages: Sequence[Passage], matches: Sequence[list[tuple[Span, Match]]], index: int
) -> tuple[float, int]:
    best = max((match.titled for _, match in matches[index]), default=0.0)
    return (-(0.7 * passages[index].score + 0.3 * best), index)


def _asked_words(
    question: str, *, earlier: str, weights: Mapping[str, float], embedder: LocalEmbedder
) -> AskedWords | None:
    """None when the question has no content word."""
    text = f"{earlier} {question}" if earlier else question
    last_turn_starts = len(text) - len(question)
    (states, offsets), *_ = token_states(embedder, [text])
    rows: list[int] = []
    shares: list[float] = []
    stems: list[str] = []
    for word in _WORD.finditer(text):
        stemmed = terms(word.group())
        pieces = [i for i, (start, end) in enumerate(offsets) if start < word.end() and end > word.start()]
        if not stemmed or not pieces:
            continue
        weight = max(weights.get(stem, 0.0) for stem in stemmed)
        weight *= 1.0 if word.start() >= last_turn_starts else _EARLIER_TURN_WEIGHT
        rows += pieces
        shares += [weight / len(pieces)] * len(pieces)
        stems += [stemmed[0]] * len(pieces)
    total = sum(shares)
    if total <= 0:
        return None
    share = np.asarray(shares, dtype=np.float32) / np.float32(total)
    return AskedWords(states=states[rows], weights=share, stems=tuple(stems))


def _matches(
    asked: AskedWords, passages: Sequence[Passage], embedder: LocalEmbedder
) -> list[list[tuple[Span, Match]]]:
    """For each passage its sentences and how they match. All windows go through the model in one batch."""
    windows = [window for index, passage in enumerate(passages) for window in _windows(index, passage)]
    found: list[list[tuple[Span, Match]]] = [[] for _ in passages]
    stems = np.asarray(asked.stems)
    in_title = [np.isin(stems, np.asarray(terms(_title(passage)) or [""])) for passage in passages]
    for window, (states, offsets) in zip(windows, token_states(embedder, [w.text for w in windows]), strict=True):
        similar = asked.states @ states.T
        for start, end in window.spans:
            a, b = start + window.shift, end + window.shift
            inside = [i for i, (first, last) in enumerate(offsets) if first < b and last > a and last > first]
            match = _match(asked.weights, similar[:, inside], in_title[window.passage])
            found[window.passage].append(((start, end), match))
    return found


def _match(weights: NDArray[np.float32], similar: Matrix, in_title: NDArray[np.bool_]) -> Match:
    if similar.shape[1] == 0:  # cut off at the end of the model's window
        return Match(bare=0.0, titled=0.0)
    best = np.clip(similar.max(axis=1), 0.0, 1.0)
    titled = np.where(in_title, 1.0, best)
    return Match(bare=float(weights @ best), titled=float(weights @ titled))


def _windows(index: int, passage: Passage) -> list[_Window]:
    """Neighbouring sentences together, as many as fit one window of the model, each with the title before it."""
    groups: list[list[Span]] = []
    for span in sentence_spans(passage.content):
        if groups and span[1] - groups[-1][0][0] <= _WINDOW_CHARACTERS:
            groups[-1].append(span)
        else:
            groups.append([span])
    head = f"{_title(passage)}. "
    return [
        _Window(
            passage=index,
            spans=tuple(group),
            text=head + passage.content[group[0][0] : group[-1][1]],
            shift=len(head) - group[0][0],
        )
        for group in groups
    ]


def _title(passage: Passage) -> str:
    return title_path(passage.document_title, passage.section_path)[:_TITLE_CHARACTERS]
