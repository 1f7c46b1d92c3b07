"""What was read of a scan, held against the text layer of its page: line by line, where the words stand.

A word that was read belongs to the line of the text layer on which it lies, so the order of columns and cells does not
count here, and a word in the wrong place is as wrong as one that was misread.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from benchmarks.scans.made_scans import TruePage, TrueWord
from knowledge.readers.types import PageText

# So many points beside the end of a line a word still belongs to it.
_BESIDE = 12.0
# Lines that are typed, of dashes, dots and the like: to fill in, or below a heading.
_RULE = re.compile(r"([-_.=*~])\1{2,}")
_ALIKE = {
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a`\u00b4"), "'"),
    **dict.fromkeys(map(ord, "\u2013\u2014\u2212\u2010\u2011"), "-"),
    **dict.fromkeys(map(ord, "\u25cf\u00b7\uf0b7"), "\u2022"),
}
SIGN_OF_NUMBER = re.compile(r"\d|(?<=\d)[.,:/](?=\d)")


class ReadWord(NamedTuple):
    """A word that was read: the middle of its box on the page before it was skewed."""

    text: str
    x: float
    y: float
    is_unsure: bool


class Pair(NamedTuple):
    """A sign of the text layer beside what was read for it, by their places; None where the other has no such sign."""

    true: int | None
    read: int | None


@dataclass
class Score:
    """Counts over pages. `digits` are figures and the points, commas, colons and strokes between them."""

    characters: int = 0
    wrong: int = 0
    pages: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    confidences: list[float] = field(default_factory=list)
    digits: int = 0
    wrong_digits: int = 0
    missing_digits: int = 0
    unmarked_digits: int = 0
    numbers: int = 0
    right_and_unsure: int = 0
    worst: list[tuple[float, str]] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)

    @property
    def accuracy(self) -> float:
        return 1 - self.wrong / max(1, self.characters)

    def add(self, truth: TruePage, page: PageText) -> None:
        read = read_words(truth, page)
        lines, strays = _by_line(truth.lines, read)
        wrong = sum(len(plain_text(word.text)) for word in strays)
        for line, found in zip(truth.lines, lines, strict=True):
            wrong += self._add_line(line, found)
        characters = sum(len(plain_text(word.text)) for line in truth.lines for word in line)
        self.characters += characters
        self.wrong += wrong
        self.pages += 1
        self.confidences.append(page.ocr.confidence if page.ocr else 0.0)
        self.cpu_seconds += page.ocr.cpu_seconds if page.ocr else 0.0
        self.worst.append((1 - wrong / max(1, characters), f"{truth.path.name[:40]}, page {truth.number}"))

    def _add_line(self, line: Sequence[TrueWord], found: Sequence[ReadWord]) -> int:
        """How many of the signs of a line are wrong."""
        true, read = [plain_text(word.text) for word in line], [plain_text(word.text) for word in found]
        self.digits += sum(len(SIGN_OF_NUMBER.findall(word)) for word in true)
        self.numbers += sum(any(map(str.isdigit, word)) for word in read)
        pairs = aligned("".join(true), "".join(read))
        changed = [pair for pair in pairs if not _is_equal(pair, "".join(true), "".join(read))]
        wrong_words = self._add_digits(true, read, found, pairs, changed)
        self.right_and_unsure += sum(word.is_unsure for at, word in enumerate(found) if at not in wrong_words)
        return len(changed)

    def _add_digits(
        self,
        true: list[str],
        read: list[str],
        found: Sequence[ReadWord],
        pairs: Sequence[Pair],
        changed: Sequence[Pair],
    ) -> set[int]:
        """Counts the wrong signs of numbers; returns the words that were read with any."""
        true_signs, read_signs = _signs_of_numbers(true), _signs_of_numbers(read)
        wrong_words: set[int] = set()
        for pair in changed:
            if pair.true not in true_signs and pair.read not in read_signs:
                continue
            at = _word_of(pair, pairs, true, read)
            if at is None:
                self.missing_digits += 1
                continue
            wrong_words.add(at)
            self.wrong_digits += 1
            if not found[at].is_unsure:
                self.unmarked_digits += 1
                self.unmarked.append(f"{found[at].text!r} is sure: {' '.join(true)!r} was read as {' '.join(read)!r}")
        return wrong_words

    def line(self) -> str:
        return (
            f"{self.accuracy:.4f} of {self.characters:,} characters right on {self.pages} pages, read with "
            f"{sum(self.confidences) / max(1, self.pages):.3f}; {self.cpu_seconds / max(1, self.pages):.2f} processor "
            f"seconds a page, {60 * self.pages / max(self.seconds, 0.001):.0f} pages a minute; {self.digits} digits: "
            f"{self.wrong_digits} wrong, {self.unmarked_digits} of them not marked, {self.missing_digits} missing; "
            f"{self.right_and_unsure} of {self.numbers} numbers marked though right"
        )


def read_words(truth: TruePage, page: PageText) -> list[ReadWord]:
    """The words of a page that was read, each once, though a table names its columns in every row."""
    unsure = page.ocr.unsure if page.ocr else ()
    words = {}
    for start, end, x0, top, x1, bottom in page.words or ():
        x, y = truth.to_original((x0 + x1) / 2, (top + bottom) / 2)
        is_unsure = any(first < end and start < last for first, last in unsure)
        words[x0, top, x1, bottom] = ReadWord(page.text[int(start) : int(end)], x, y, is_unsure)
    return list(words.values())


def aligned(true: str, read: str) -> list[Pair]:
    """Both texts beside each other with the fewest signs put in, left out or changed."""
    if true == read:
        return [Pair(at, at) for at in range(len(true))]
    costs = [list(range(len(read) + 1))]
    for at, sign in enumerate(true):
        above, row = costs[-1], [at + 1]
        for other, found in enumerate(read):
            row.append(min(above[other] + (sign != found), above[other + 1] + 1, row[other] + 1))
        costs.append(row)
    return _walked_back(true, read, costs)


def _walked_back(true: str, read: str, costs: Sequence[Sequence[int]]) -> list[Pair]:
    pairs = []
    at, other = len(true), len(read)
    while at or other:
        cost = costs[at][other]
        if at and other and cost == costs[at - 1][other - 1] + (true[at - 1] != read[other - 1]):
            at, other = at - 1, other - 1
            pairs.append(Pair(at, other))
        elif at and cost == costs[at - 1][other] + 1:
            at -= 1
            pairs.append(Pair(at, None))
        else:
            other -= 1
            pairs.append(Pair(None, other))
    return pairs[::-1]


def similarity(true: str, read: str) -> float:
    """The share of signs of the longer one that both have, in order."""
    if not true or not read:
        return 0.0
    same = sum(_is_equal(pair, true, read) for pair in aligned(true, read))
    return same / max(len(true), len(read))


def _is_equal(pair: Pair, true: str, read: str) -> bool:
    return pair.true is not None and pair.read is not None and true[pair.true] == read[pair.read]


def _word_of(pair: Pair, pairs: Sequence[Pair], true: Sequence[str], read: Sequence[str]) -> int | None:
    """The word that was read with this sign, or with another figure of the same number; None where none was."""
    owners = [at for at, word in enumerate(read) for _ in word]
    if pair.read is not None:
        return owners[pair.read]
    of_true = [at for at, word in enumerate(true) for _ in word]
    assert pair.true is not None
    signs = "".join(true)
    for other in pairs:
        if other.true is None or other.read is None or not signs[other.true].isdigit():
            continue
        if of_true[other.true] == of_true[pair.true]:
            return owners[other.read]
    return None


def _signs_of_numbers(words: Sequence[str]) -> set[int]:
    """The places, in the words put together, of figures and of the signs between figures."""
    places, start = set(), 0
    for word in words:
        places |= {start + found.start() for found in SIGN_OF_NUMBER.finditer(word)}
        start += len(word)
    return places


def _by_line(
    lines: Sequence[Sequence[TrueWord]], words: Sequence[ReadWord]
) -> tuple[list[list[ReadWord]], list[ReadWord]]:
    """The words that lie on each line, from left to right, and those that lie on none."""
    boxes = np.array([_bounds(line) for line in lines])
    found: list[list[ReadWord]] = [[] for _ in lines]
    strays = []
    for word in words:
        beside = np.maximum(boxes[:, 0] - word.x, word.x - boxes[:, 2]).clip(0)
        above = np.abs((boxes[:, 1] + boxes[:, 3]) / 2 - word.y)
        is_on = (beside <= _BESIDE) & (above <= np.maximum(boxes[:, 3] - boxes[:, 1], 4.0))
        if is_on.any():
            found[int(np.where(is_on, above + beside, np.inf).argmin())].append(word)
        else:
            strays.append(word)
    return [sorted(line, key=lambda word: word.x) for line in found], strays


def _bounds(line: Sequence[TrueWord]) -> tuple[float, float, float, float]:
    x0s, tops, x1s, bottoms = zip(*(word.box for word in line), strict=True)
    return min(x0s), min(tops), max(x1s), max(bottoms)


def plain_text(text: str) -> str:
    """Without white space and drawn rules; ligatures as their letters, and quotation marks and dashes of one kind."""
    return _RULE.sub("", "".join(unicodedata.normalize("NFKC", text).translate(_ALIKE).split()))
