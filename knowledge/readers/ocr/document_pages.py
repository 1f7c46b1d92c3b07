"""The pages of a document that is nothing but pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from knowledge.readers.ocr.engine import READ_SIDE_PIXELS, TextRecognizer
from knowledge.readers.ocr.picture_page import read_picture, recognised_page
from knowledge.readers.pdf.headings import HeadingFinder
from knowledge.readers.types import Limits, PageText


class RecognisedPages:
    """Reads pictures in order; knows what a reader has to know to go on. `state` is that of one that was interrupted.
    Raises `KeyError`, `TypeError`, `ValueError` or `AttributeError` for one that is none."""

    longest_side = READ_SIDE_PIXELS

    def __init__(self, limits: Limits, *, state: dict[str, Any] | None = None) -> None:
        self._scripts = frozenset(limits.ocr_scripts)
        self._recognizer = TextRecognizer()
        self._headings = HeadingFinder.from_state(state["headings"]) if state else HeadingFinder()
        self.has_text = bool(state["text"]) if state else False

    def state(self) -> dict[str, Any]:
        return {"headings": self._headings.state(), "text": self.has_text}

    def read(self, picture: Any, *, number: int, width_points: float) -> PageText:
        """`picture` is one of Pillow's, in red, green and blue."""
        pixels = np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])
        found = read_picture(
            pixels, recognizer=self._recognizer, scale=width_points / picture.width, scripts=self._scripts
        )
        self.has_text |= any(map(str.isalnum, found.layout.text))
        return recognised_page(found, number=number, headings=self._headings)
