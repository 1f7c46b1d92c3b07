"""The style of the letters of a PDF page."""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from knowledge.readers.pdf.pdfium_calls import get_letter_font, get_letter_matrix, get_letter_size, get_letter_weight

_BOLD_WEIGHT = 600
_MAX_NAME_BYTES = 128


class LetterStyle(NamedTuple):
    """The size of a letter in points, 0 where the file does not say, and whether it is bold."""

    size: float
    is_bold: bool


class LetterStyles:
    """Asks PDFium for one letter after another; what it writes to is made once."""

    def __init__(self) -> None:
        self._matrix = pdfium.FS_MATRIX()
        self._name = ctypes.create_string_buffer(_MAX_NAME_BYTES)
        self._bold_names: dict[bytes, bool] = {}

    def style(self, textpage: Any, index: int) -> LetterStyle:
        """The size as it is shown: some files set letters of size 1 and scale them."""
        matrix = self._matrix
        is_known = get_letter_matrix(textpage, index, ctypes.byref(matrix))
        scale = math.hypot(matrix.c, matrix.d) if is_known else 0.0
        return LetterStyle(scale * get_letter_size(textpage, index), self._is_bold(textpage, index))

    def _is_bold(self, textpage: Any, index: int) -> bool:
        if get_letter_weight(textpage, index) >= _BOLD_WEIGHT:
            return True
        self._name[0] = b"\0"  # PDFium writes nothing where it knows no name
        get_letter_font(textpage, index, ctypes.byref(self._name), ctypes.c_ulong(_MAX_NAME_BYTES), None)
        name = self._name.value
        if name not in self._bold_names:
            self._bold_names[name] = b"bold" in name.lower()
        return self._bold_names[name]
