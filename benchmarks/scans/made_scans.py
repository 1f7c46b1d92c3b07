"""Scans of pages that have a text layer, and where each word of that layer stands on them."""

from __future__ import annotations

import io
import math
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from knowledge.readers.pdf.page_layout import PageBox, PageFrame

SKEW_DEGREES, NOISE, JPEG_QUALITY = 2.0, 12.0, 40
MIN_CHARACTERS = 200  # of a page that is worth a measurement
# PDFium gives these for a hyphen at the end of a line.
_HYPHENS = ("\x02", "\ufffe")


class TrueWord(NamedTuple):
    """A word of a text layer; `box` is in points on the page as it is shown."""

    text: str
    box: PageBox

    @property
    def centre(self) -> tuple[float, float]:
        x0, top, x1, bottom = self.box
        return (x0 + x1) / 2, (top + bottom) / 2


@dataclass(frozen=True)
class TruePage:
    """A page as its text layer has it: lines of words, and its size in points."""

    path: Path
    number: int
    width: float
    height: float
    lines: list[list[TrueWord]]

    def to_original(self, x: float, y: float) -> tuple[float, float]:
        """A place on the scan as one on the page: the scan was turned to the left about its middle."""
        angle = math.radians(SKEW_DEGREES)
        dx, dy = x - self.width / 2, y - self.height / 2
        cosine, sine = math.cos(angle), math.sin(angle)
        return self.width / 2 + dx * cosine - dy * sine, self.height / 2 + dx * sine + dy * cosine


def chosen_pages(paths: Sequence[Path], *, count: int | None, seed: int) -> list[TruePage]:
    """So many pages with text, drawn by lot from all files (None: all of them), in the order of the files."""
    places = [(path, number) for path in paths for number in _pages_with_text(path)]
    if count is not None and count < len(places):
        places = sorted(random.Random(seed).sample(places, count))
    return [true_page(path, number) for path, number in places]


def _pages_with_text(path: Path) -> list[int]:
    with pypdfium2.PdfDocument(path) as document:
        texts = [document[at].get_textpage().get_text_range() for at in range(len(document))]
    return [number for number, text in enumerate(texts, start=1) if len(text) >= MIN_CHARACTERS]


def true_page(path: Path, number: int) -> TruePage:
    with pypdfium2.PdfDocument(path) as document:
        page = document[number - 1]
        width, height = page.get_size()
        return TruePage(path, number, width, height, [line for line in _true_lines(page) if line])


def write_scan(pages: Sequence[TruePage], path: Path, *, dpi: int) -> Path:
    """A PDF of nothing but pictures: these pages as a scanner leaves them."""
    made = pypdfium2.PdfDocument.new()
    for page in pages:
        # The noise is that of the page, whatever is scanned with it.
        seed = zlib.crc32(f"{page.path.name} {page.number}".encode())
        with pypdfium2.PdfDocument(page.path) as document:
            content = _scan(document[page.number - 1], dpi=dpi, seed=seed)
        image = pypdfium2.PdfImage.new(made)
        image.load_jpeg(content)
        image.set_matrix(pypdfium2.PdfMatrix().scale(page.width, page.height))
        sheet = made.new_page(page.width, page.height)
        sheet.insert_obj(image)
        sheet.gen_content()
    made.save(path)
    return path


def write_cut(path: Path, to: Path, *, pages: int) -> Path:
    """The first pages of a PDF, as they are."""
    with pypdfium2.PdfDocument(path) as document:
        made = pypdfium2.PdfDocument.new()
        made.import_pages(document, list(range(min(pages, len(document)))))
        made.save(to)
    return to


def _scan(page: Any, *, dpi: int, seed: int) -> io.BytesIO:
    picture = page.render(scale=dpi / 72).to_pil().convert("L")
    picture = picture.rotate(SKEW_DEGREES, fillcolor=255, resample=Image.Resampling.BICUBIC)
    pixels = np.asarray(picture, dtype=np.float32)
    noisy = (pixels + np.random.default_rng(seed).normal(0, NOISE, pixels.shape)).clip(0, 255).astype(np.uint8)
    content = io.BytesIO()
    Image.fromarray(noisy).convert("RGB").save(content, "JPEG", quality=JPEG_QUALITY, dpi=(dpi, dpi))
    content.seek(0)
    return content


def _true_lines(page: Any) -> Iterator[list[TrueWord]]:
    textpage = page.get_textpage()
    left, bottom, right, top = page.get_bbox()
    frame = PageFrame(left=left, bottom=bottom, right=right, top=top, rotation=page.get_rotation())
    line: list[TrueWord] = []
    signs: list[tuple[str, PageBox]] = []
    for at in range(textpage.count_chars()):
        sign = chr(pdfium.FPDFText_GetUnicode(textpage.raw, at))
        if sign.isspace() or sign == "\0":
            line, signs = _with_word(line, signs), []
            if sign in "\r\n":
                yield from _rows(line)
                line = []
        else:
            box = frame.to_shown_box(*textpage.get_charbox(at))
            if signs and _is_next_row(signs[-1][1], box):  # a word that was divided
                line, signs = _with_word(line, signs), []
            signs.append(("-" if sign in _HYPHENS else sign, box))
    yield from _rows(_with_word(line, signs))


def _rows(line: Sequence[TrueWord]) -> Iterator[list[TrueWord]]:
    """The rows of what PDFium calls a line, which may go on in the next row."""
    row: list[TrueWord] = []
    for word in line:
        if row and _is_next_row(row[-1].box, word.box):
            yield row
            row = []
        row.append(word)
    yield row


def _is_next_row(before: PageBox, box: PageBox) -> bool:
    return box[0] < before[0] and (box[1] > before[3] or box[3] < before[1])


def _with_word(line: list[TrueWord], signs: Sequence[tuple[str, PageBox]]) -> list[TrueWord]:
    if not signs:
        return line
    x0s, tops, x1s, bottoms = zip(*(box for _, box in signs), strict=True)
    return [*line, TrueWord("".join(sign for sign, _ in signs), (min(x0s), min(tops), max(x1s), max(bottoms)))]
