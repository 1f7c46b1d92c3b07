"""A picture of a page as text: its words in reading order, where each stands, and how surely it was read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from knowledge.readers.ocr.engine import Picture, TextRecognizer
from knowledge.readers.ocr.reading_order import PlacedItem, reading_rows
from knowledge.readers.ocr.recognised_page import RecognisedPage, RecognisedWord, levelled
from knowledge.readers.ocr.scripts import is_of_scripts
from knowledge.readers.pdf.headings import HeadingFinder
from knowledge.readers.pdf.letter_styles import LetterStyle
from knowledge.readers.pdf.page_layout import PageLayout, PlacedWord
from knowledge.readers.pdf.page_tables import inline_all_tables
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import OcrReading, PageText

# Words that are less sure are left out: they would be evidence.
MIN_WORD_SCORE = 0.6
# Stands for words that were left out, so that nobody takes what is around them for a whole sentence.
LEFT_OUT = "…"
# Letters whose height differs by less than this are of one size: boxes of lines are not that exact.
_SAME_SIZE = 0.25


@dataclass(frozen=True)
class PicturePage:
    """`layout` is that of the level page; `reading` is about the words of a layout that was made of it."""

    layout: PageLayout
    _words: Sequence[RecognisedWord]
    _page: RecognisedPage
    _scale: float
    _cpu_seconds: float

    def word_boxes(self, layout: PageLayout) -> list[list[float | int]]:
        """`[start, end, x0, top, x1, bottom]` of the words of a layout, in points, on the page as it is shown."""
        boxes = []
        for word in layout.words:
            box = self._page.to_picture(self._words[word.character].corners)
            boxes.append([word.start, word.end, *(round(side * self._scale, 1) for side in box)])
        return boxes

    def reading(self, layout: PageLayout) -> OcrReading:
        words = [(word, self._words[word.character]) for word in layout.words]
        letters = sum(len(read.text) for _, read in words)
        sure = sum(len(read.text) * read.score for _, read in words)
        return OcrReading(
            confidence=round(sure / letters, 4) if letters else 0.0,
            unsure=tuple((word.start, word.end) for word, read in words if read.is_unsure),
            left_out=sum(not is_sure(word) for line in self._page.lines for word in line.words),
            cpu_seconds=round(self._cpu_seconds, 2),
        )


def is_sure(word: RecognisedWord) -> bool:
    return word.score >= MIN_WORD_SCORE


def read_picture(
    picture: Picture, *, recognizer: TextRecognizer, scale: float, scripts: frozenset[str] = frozenset()
) -> PicturePage:
    """`scale`: points in a pixel. `scripts`: letters of others are not believed; none: of all that the models know."""
    began = time.process_time()
    page = recognizer.read(picture)
    words: list[RecognisedWord] = []
    layout = _layout(page, words, scale, lambda word: is_sure(word) and is_of_scripts(word.text, scripts))
    return PicturePage(layout, words, page, scale, time.process_time() - began)


def recognised_page(found: PicturePage, *, number: int, headings: HeadingFinder) -> PageText:
    """The page with its headings, and its tables row by row."""
    layout, _ = inline_all_tables(found.layout)
    return PageText(
        number=number,
        text=layout.text,
        words=found.word_boxes(layout),
        headings=headings.find(layout, number=number, style=lambda _: LetterStyle(0.0, False)),
        ocr=found.reading(layout),
    )


def _layout(
    page: RecognisedPage, words: list[RecognisedWord], scale: float, is_kept: Callable[[RecognisedWord], bool]
) -> PageLayout:
    """The text of a page; `words` gets the words that it holds, each at the place that its `character` names."""
    skew = page.skew()
    usual = median(line.height for line in page.lines) if page.lines else 0.0
    items = [
        PlacedItem(levelled(line.corners, skew), len(line.text), at)
        for at, line in enumerate(page.lines)
        if any(map(is_kept, line.words))
    ]
    parts: list[str] = []
    placed: list[PlacedWord] = []
    length = 0
    for row in reading_rows(items):
        for text, word, size in _row_texts(page, row, usual, is_kept):
            gap = "" if not parts or parts[-1].endswith("\n") or _joins(parts[-1], text) else " "
            parts.append(gap + text)
            start, length = length + len(gap), length + len(gap) + len(text)
            if word is not None:
                x0, top, x1, bottom = (side * scale for side in levelled(word.corners, skew))
                placed.append(PlacedWord(start, length, (x0, top, x1, bottom), size * scale, len(words)))
                words.append(word)
        parts.append("\n")
        length += 1
    return PageLayout(text="".join(parts).rstrip("\n"), words=placed)


def _row_texts(
    page: RecognisedPage, row: Sequence[PlacedItem], usual: float, is_kept: Callable[[RecognisedWord], bool]
) -> Iterator[tuple[str, RecognisedWord | None, float]]:
    """The words of a row with the height of their letters; a sign without a word for those that are left out."""
    was_left_out = False
    for item in row:
        line = page.lines[item.line]
        size = usual if abs(line.height - usual) <= _SAME_SIZE * usual else line.height
        for word in line.words:
            text = one_line(clean_text(word.text))
            if text and is_kept(word):
                yield text, word, size
                was_left_out = False
            elif text and not was_left_out:
                yield LEFT_OUT, None, size
                was_left_out = True


def _joins(before: str, text: str) -> bool:
    """Whether both are of a script without spaces."""
    return before[-1:] >= "\u2e80" and text[:1] >= "\u2e80"
