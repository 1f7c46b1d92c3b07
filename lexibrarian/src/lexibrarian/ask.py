"""Answers out of the library and its sources: sentences as they stand there, with their place, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import takewhile

from lexibrarian.artefacts.design import read_design
from lexibrarian.config import Config
from lexibrarian.errors import LibraryError
from lexibrarian.lookup import is_stale
from lexibrarian.passages import Sentence, code_lines, sentences
from lexibrarian.project import LIBRARY, Project
from lexibrarian.sources import hash_of
from lexibrarian.spelling import meant_by
from lexibrarian.stemming import asked_words, is_empty_word, question_terms, terms
from lexibrarian.store import read_text
from lexibrarian.text_index import Hit, TextIndex, is_text, open_text_index, text_of

_PASSAGES = 100
_NEAREST = 3
# The share of a question's words, by their weight, that a passage and a sentence of it must have.
_ENOUGH = 0.5
_ENOUGH_IN_SENTENCE = 0.35
_ENOUGH_IN_CODE = 0.65
# An answer that is worse than the best one by more is no answer.
_CLOSE = 0.8
_LONGEST_QUOTE = 400
# A file says at its beginning what it is for; a signature has at most so many lines.
_OPENING_LINES, _SIGNATURE_LINES = 2, 8
_DECLARES = re.compile(r"\b(?:def|class|func|fn|function|interface|struct|enum|trait|type)\s+\w")
_WORDS_OF_PROSE = 3
_CODE = re.compile(r"[\w\])]\(\w*[^)]*\)|[=<>]{1,2} |^(from|import|return|def|class|assert) |[{};]$|\": ")


@dataclass(frozen=True)
class Quote:
    """A sentence of a file, lines `line` to `end_line`; `hash` is SHA-256 of the file, CRLF counted as LF."""

    text: str
    path: str
    line: int
    end_line: int
    hash: str
    stale: bool

    def __str__(self) -> str:
        old = " (older than its source)" if self.stale else ""
        return f"{self.text}\n  {self.path}:{self.line}{old}"


@dataclass(frozen=True)
class _Candidate:
    """A sentence that may be shown, and how well it answers."""

    score: float
    path: str
    sentence: Sentence


@dataclass(frozen=True)
class Answers:
    """What was found, the best first; without an answer, the files that are nearest.

    `corrected` has the misspelt words of the question, each with the word that was searched for instead.
    """

    quotes: list[Quote]
    nearest: list[str]
    corrected: dict[str, str] = field(default_factory=dict)

    def as_text(self) -> str:
        """For people."""
        instead = ", ".join(f"{meant} instead of {word}" for word, meant in self.corrected.items())
        searched = [f"Searched for: {instead}."] if instead else []
        return "\n\n".join([*searched, *(map(str, self.quotes) if self.quotes else [self._refusal()])])

    def _refusal(self) -> str:
        near = f" Nearest: {', '.join(self.nearest)}." if self.nearest else ""
        return f"The library and the sources do not say.{near}"

    def as_data(self) -> dict[str, object]:
        """For programs."""
        return {"answers": [vars(quote) for quote in self.quotes], "nearest": self.nearest, "corrected": self.corrected}


def ask(project: Project, config: Config, question: str, *, limit: int = 3) -> Answers:
    """The sentences that answer a question, at most `limit`; raises `LibraryError` for one without any word."""
    words = question_terms(question) or terms(question)
    if not words:
        raise LibraryError("Ask a question.", code="usage", hint='Run `lexi ask "How are tokens rotated?"`.')
    with open_text_index(project, config) as index:
        words, corrected = _corrected(index, words, asked_words(question))
        weights = index.weights(words)
        hits = index.find(words, _PASSAGES)
        changed = [path for path in {hit.path for hit in hits} if _changed(project, path, index.stamp(path))]
        for path in changed:
            index.renew(project, config, path)
        hits = index.find(words, _PASSAGES) if changed else hits
        candidates = _candidates(project, config, hits, weights)
    if not candidates:
        return Answers([], list(dict.fromkeys(hit.path for hit in hits))[:_NEAREST], corrected)
    best = max(each.score for each in candidates)
    chosen: dict[str, _Candidate] = {}
    for each in sorted(candidates, key=lambda each: (-each.score, each.path, each.sentence.start)):
        if each.score >= _CLOSE * best:
            chosen.setdefault(" ".join(terms(each.sentence.text)), each)
    return Answers([_quote(project, each) for each in list(chosen.values())[:limit]], [], corrected)


def _corrected(index: TextIndex, words: list[str], asked: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """The stems to search for, and the misspelt words of a question with what they stand for."""
    stems, corrected = [], {}
    for word in words:
        meant = meant_by(asked[word], index.beginning_with) if word in asked and not index.holds(word) else None
        if meant is None:
            stems.append(word)
        elif not is_empty_word(meant.word):
            stems.append(meant.stem)
            corrected[asked[word]] = meant.word
    return list(dict.fromkeys(stems)) or words, corrected


def _candidates(project: Project, config: Config, hits: list[Hit], weights: dict[str, float]) -> list[_Candidate]:
    texts: dict[str, list[str]] = {}
    found = []
    for hit in hits:
        if hit.path not in texts:
            texts[hit.path] = (text_of(project, config, hit.path) or "").split("\n")
        best = _best(hit, texts[hit.path], weights)
        if best:
            sentence, score = best
            text = sentence.text if len(sentence.text) <= _LONGEST_QUOTE else f"{sentence.text[:_LONGEST_QUOTE]}…"
            found.append(_Candidate(score, hit.path, replace(sentence, text=text)))
    return found


def _quote(project: Project, chosen: _Candidate) -> Quote:
    path, sentence = chosen.path, chosen.sentence
    current = hash_of(_bytes(project, path))
    return Quote(sentence.text, path, sentence.start, sentence.end, current, _is_stale(project, path))


def _best(hit: Hit, whole_text: list[str], weights: dict[str, float]) -> tuple[Sentence, float] | None:
    """The sentence of a passage that has most of the words; words around it, in headings and the path, count less."""
    whole = sum(weights.values())
    is_code = not is_text(hit.path)
    lines = whole_text[hit.first - 1 : hit.last]
    around = set(terms(f"{hit.path} {hit.head}"))
    if is_code:
        around |= set(terms(" ".join(whole_text[:_OPENING_LINES])))
    passage = around | set(terms("\n".join(lines)))
    if _share(weights, passage, whole) < _ENOUGH:
        return None
    read = code_lines if is_code else sentences
    tested = 0.15 * hit.path.removeprefix(f"{LIBRARY}/").startswith(("test/", "tests/"))
    scored = []
    for sentence in read(lines, hit.first):
        words = set(terms(sentence.text))
        prose = _is_prose(sentence.text)
        declared = set(terms(_declaration(whole_text, sentence))) if is_code and prose else set[str]()
        own = _share(weights, words | declared, whole)
        if own >= (_ENOUGH_IN_SENTENCE if prose else _ENOUGH_IN_CODE):
            near = words | declared | around
            score = 0.6 * own + 0.25 * _share(weights, near, whole) + 0.15 * _share(weights, passage, whole)
            # Of two that have the same words the shorter one says more about them.
            scored.append((score - 0.002 * min(len(words), 50) + 0.3 * prose - tested, sentence))
    if not scored:
        return None
    score, best = max(scored, key=lambda each: (each[0], -each[1].start))
    return best, score


def _declaration(lines: list[str], sentence: Sentence) -> str:
    """The line that declares what a docstring or a comment is about: above it, or right below; empty where none is."""
    above = takewhile(str.strip, reversed(lines[max(0, sentence.start - 1 - _SIGNATURE_LINES) : sentence.start - 1]))
    below = lines[sentence.end : sentence.end + 1]
    return next((line for line in [*above, *below] if _DECLARES.search(line)), "")


def _is_prose(text: str) -> bool:
    """Whether words were written for readers, and are no code."""
    return len(text.split()) > _WORDS_OF_PROSE and text[-1] in ".!?)`" and not _CODE.search(text)


def _share(weights: dict[str, float], words: Iterable[str], whole: float) -> float:
    held = set(words)
    return sum(weight for word, weight in weights.items() if word in held) / whole


def _changed(project: Project, path: str, stamp: str) -> bool:
    """Whether a source is not as the last update read it; times and sizes were compared just now."""
    return ":" not in stamp and hash_of(_bytes(project, path)) != stamp


def _bytes(project: Project, path: str) -> bytes:
    try:
        return (project.root / path).read_bytes()
    except OSError:
        return b""


def _is_stale(project: Project, path: str) -> bool:
    """Whether a file of the library is older than the source that it is about."""
    if not path.startswith(f"{LIBRARY}/") or not path.endswith(".md"):
        return False
    design = read_design(read_text(project.root / path) or "")
    source = design.meta.get("source", "")
    return bool(source) and is_stale(project, source, design)
