"""Cuts pages into chunks: contiguous spans of one page, small enough to embed, large enough to make sense alone.

A chunk ends where a section, paragraph, clause or list item ends if one ends in its second half, else where a
sentence ends, else between two words; only a single word longer than a chunk is cut. Neighbours within a section
share whole sentences. A heading begins a new chunk, so that a chunk stands under one heading; it is never left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from knowledge.chunking.outline import Outline, chunk_sections
from knowledge.readers.types import Heading, PageText
from language.sentences import sentences_by_block
from lexic.errors import InvalidInput

Strategy = Literal["characters", "tokens"]
CountTokens = Callable[[str], int]

# A chunk by tokens is never longer than this many characters per token: a tokenizer may call a page of
# unbroken characters one unknown token.
_MAX_CHARACTERS_PER_TOKEN = 8
_NON_SPACE = re.compile(r"\S+")


class InvalidChunking(InvalidInput):
    """The overlap of chunks must be smaller than their size, and chunks by tokens need a token counter."""

    code = "invalid_chunking"


@dataclass(frozen=True, kw_only=True)
class ChunkSpan:
    """`page.text[start:end]` of the page with this number, and the headings it stands under, outermost first."""

    page_number: int
    start: int
    end: int
    section_path: tuple[str, ...]


def chunk_pages(
    pages: Sequence[PageText],
    headings: Sequence[Heading],
    *,
    strategy: Strategy = "characters",
    size: int = 1500,
    overlap: int = 200,
    count_tokens: CountTokens | None = None,
) -> list[ChunkSpan]:
    """The chunks of a document in reading order; the position in the list is the chunk's index.

    `size` and `overlap` are in the strategy's unit. No chunk is larger than `size`, except a single character
    that costs more tokens than that. Every character that is not white space is in some chunk; chunks neither
    begin nor end with white space. Raises `InvalidChunking`.
    """
    if not 0 <= overlap < size or (strategy == "tokens" and count_tokens is None):
        raise InvalidChunking
    outline = Outline(headings)
    return [
        ChunkSpan(page_number=page.number, start=start, end=end, section_path=path)
        for page in pages
        for start, end, path in _chunk_page(page, outline, size, overlap, count_tokens)
    ]


def _chunk_page(
    page: PageText, outline: Outline, size: int, overlap: int, count_tokens: CountTokens | None
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    text = page.text
    ruler = _TokenRuler(text, size, count_tokens) if count_tokens else _CharacterRuler(text, size)
    spans = _SentenceCursor(text)
    for section in chunk_sections(outline.sections(page), text=text):
        atoms = list(_atoms(spans.between(section.start, section.end), ruler))
        for start, end in _pack_atoms(atoms, ruler, overlap):
            yield start, end, section.path


# --- Measures ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Atom:
    """What is not divided further: a sentence, or a word (or piece of one) of a sentence larger than a chunk."""

    start: int
    end: int
    starts_block: bool
    starts_sentence: bool


class _CharacterRuler:
    """Sizes in characters."""

    def __init__(self, text: str, size: int) -> None:
        self.text = text
        self.size = size

    def prepare(self, atoms: Sequence[_Atom]) -> None:
        """Called once before the two searches."""
        self._starts = [atom.start for atom in atoms]
        self._ends = [atom.end for atom in atoms]

    def length(self, start: int, end: int) -> int:
        return end - start

    def fits(self, start: int, end: int) -> bool:
        return self.length(start, end) <= self.size

    def last_atom_within(self, atoms: Sequence[_Atom], first: int) -> int:
        """The largest `last` for which atoms[first:last] is no larger than a chunk; at least `first + 1`."""
        return max(first + 1, bisect_right(self._ends, atoms[first].start + self.size))

    def first_atom_within(self, atoms: Sequence[_Atom], last: int, limit: int) -> int:
        """The smallest `first` for which atoms[first:last] is no larger than the limit; at most `last`."""
        return min(last, bisect_left(self._starts, atoms[last - 1].end - limit))


class _TokenRuler(_CharacterRuler):
    """Sizes in tokens. Adds up the tokens of atoms to find a place quickly, then counts what really stands there."""

    def __init__(self, text: str, size: int, count_tokens: CountTokens) -> None:
        super().__init__(text, size)
        self._count = count_tokens
        self._most_characters = size * _MAX_CHARACTERS_PER_TOKEN

    def prepare(self, atoms: Sequence[_Atom]) -> None:
        self._ends = [atom.end for atom in atoms]
        self._sums = [0, *accumulate(self.length(atom.start, atom.end) for atom in atoms)]

    def length(self, start: int, end: int) -> int:
        return self._count(self.text[start:end])

    def fits(self, start: int, end: int) -> bool:
        return end - start <= self._most_characters and self.length(start, end) <= self.size

    def last_atom_within(self, atoms: Sequence[_Atom], first: int) -> int:
        start = atoms[first].start
        by_tokens = bisect_right(self._sums, self._sums[first] + self.size) - 1
        by_characters = bisect_right(self._ends, start + self._most_characters)
        last = max(first + 1, min(by_tokens, by_characters))
        if self.fits(start, self._ends[last - 1]):
            return last
        # The white space between atoms costs tokens as well.
        ends = self._ends[first : last - 1]
        return first + max(1, bisect_right(ends, self.size, key=lambda end: self.length(start, end)))

    def first_atom_within(self, atoms: Sequence[_Atom], last: int, limit: int) -> int:
        end = self._ends[last - 1]
        by_tokens = bisect_left(self._sums, self._sums[last] - limit)
        by_characters = bisect_left(atoms, end - limit * _MAX_CHARACTERS_PER_TOKEN, key=lambda atom: atom.start)
        candidates = range(max(by_tokens, by_characters), last)
        return next((at for at in candidates if self.length(atoms[at].start, end) <= limit), last)


# --- Packing ----------------------------------------------------------------------------------------------


class _SentenceCursor:
    """The sentences of a page, handed out from left to right."""

    def __init__(self, text: str) -> None:
        self._spans = [
            (start, end, number == 0) for block in sentences_by_block(text) for number, (start, end) in enumerate(block)
        ]
        self._next = 0

    def between(self, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        """What lies in `[start, end)`; a sentence over the edge is clipped. Calls must not go backwards."""
        while self._next < len(self._spans):
            begins, ends, starts_block = self._spans[self._next]
            if begins >= end:
                return
            if ends > start:
                yield max(begins, start), min(ends, end), starts_block or begins < start
            if ends > end:
                return
            self._next += 1


def _atoms(spans: Iterable[tuple[int, int, bool]], ruler: _CharacterRuler) -> Iterator[_Atom]:
    for start, end, starts_block in spans:
        sentence = ruler.text[start:end]
        start, end = end - len(sentence.lstrip()), start + len(sentence.rstrip())
        if start >= end:
            continue
        if ruler.fits(start, end):
            yield _Atom(start, end, starts_block, True)
            continue
        for number, (begins, ends) in enumerate(_word_spans(start, end, ruler)):
            yield _Atom(begins, ends, starts_block and number == 0, number == 0)


def _word_spans(start: int, end: int, ruler: _CharacterRuler) -> Iterator[tuple[int, int]]:
    for word in _NON_SPACE.finditer(ruler.text, start, end):
        yield from _split_word(word.start(), word.end(), ruler)


def _split_word(start: int, end: int, ruler: _CharacterRuler) -> Iterator[tuple[int, int]]:
    """The word itself, or as few cuts as a word larger than a chunk needs."""
    step = min(end - start, ruler.size)
    while start < end:
        stop = min(end, start + step)
        while not ruler.fits(start, stop) and stop - start > 1:
            stop = start + (stop - start) // 2
        yield start, stop
        start = stop


def _pack_atoms(atoms: Sequence[_Atom], ruler: _CharacterRuler, overlap: int) -> Iterator[tuple[int, int]]:
    ruler.prepare(atoms)
    first = last = 0
    while last < len(atoms):
        last = _chunk_end(atoms, first, last, ruler)
        yield atoms[first].start, atoms[last - 1].end
        first = _next_chunk_start(atoms, first, last, ruler, overlap)


def _chunk_end(atoms: Sequence[_Atom], first: int, done: int, ruler: _CharacterRuler) -> int:
    """Where the chunk that begins at `first` ends: behind everything that is `done`, at the best boundary."""
    furthest = ruler.last_atom_within(atoms, first)
    if furthest >= len(atoms):
        return len(atoms)
    candidates = range(furthest, max(first, done), -1)
    start = atoms[first].start
    reach = atoms[furthest - 1].end - start

    def best(is_boundary: Callable[[_Atom], bool], share: float) -> int | None:
        far_enough = (at for at in candidates if atoms[at - 1].end - start >= share * reach)
        return next((at for at in far_enough if is_boundary(atoms[at])), None)

    paragraph = best(lambda atom: atom.starts_block, 0.5)
    return paragraph or best(lambda atom: atom.starts_sentence, 0.25) or furthest


def _next_chunk_start(atoms: Sequence[_Atom], first: int, last: int, ruler: _CharacterRuler, overlap: int) -> int:
    """The first atom of the next chunk: so far back as the overlap allows, if the next atom still fits in."""
    if last >= len(atoms) or not overlap:
        return last
    begin = max(first + 1, ruler.first_atom_within(atoms, last, overlap))
    fitting = (at for at in range(begin, last) if ruler.last_atom_within(atoms, at) > last)
    return next(fitting, last)
