"""Writes the text of a page anew, where tables come back row by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from knowledge.readers.pdf.page_layout import PageLayout, PlacedLine, PlacedWord
from knowledge.readers.tables import CELL_SEPARATOR


class LayoutWriter:
    """Writes a page anew and keeps the place of each word."""

    def __init__(self, source: PageLayout) -> None:
        self._source = source.text
        self._parts: list[str] = []
        self._length = 0
        self._words: list[PlacedWord] = []

    def page(self) -> PageLayout:
        return PageLayout(text="".join(self._parts).rstrip("\n"), words=self._words)

    def joined(self, words: Sequence[PlacedWord]) -> str:
        """The words with a space between them, but not within a word that was broken at the end of a line."""
        parts = [self.word_text(word) for word in words]
        breaks = ["" if left.end == right.start else " " for left, right in pairwise(words)]
        return "".join(part + gap for part, gap in zip(parts, [*breaks, ""], strict=True))

    def word_text(self, word: PlacedWord) -> str:
        return self._source[word.start : word.end]

    def text(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def words(self, words: list[PlacedWord]) -> None:
        before: int | None = None  # where the word before ends
        for word in words:
            if before is not None and before != word.start:
                self.text(" ")
            self._words.append(word.moved(self._length))
            self.text(self._source[word.start : word.end])
            before = word.end

    def cells(self, cells: Sequence[tuple[str, Sequence[PlacedWord]]]) -> None:
        """A row of cells, each with the label of its column; those that are empty are left out."""
        written = [(label, words) for label, words in cells if words]
        for position, (label, words) in enumerate(written):
            self.text(CELL_SEPARATOR if position else "")
            self.text(f"{label}: " if label else "")
            self.words(list(words))
        self.text("\n" if written else "")

    def copy(self, line: PlacedLine) -> None:
        offset = self._length - line.start
        self._words += [word.moved(word.start + offset) for word in line.words]
        self.text(self._source[line.start : line.end] + "\n")
