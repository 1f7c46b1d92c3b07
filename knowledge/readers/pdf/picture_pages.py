"""Pages of a PDF that are pictures: drawn by PDFium and read by OCR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pypdfium2
import pypdfium2.raw as pdfium

from knowledge.readers.types import Limits

if TYPE_CHECKING:  # numpy and the models are loaded where a page needs them
    from knowledge.readers.ocr.picture_page import PicturePage

# A page that is drawn and has fewer letters and figures has no text layer: a page number, a stamp.
MIN_PAGE_CHARACTERS = 20
# The share of signs that stand for nothing, from which a text layer is none: its font does not say what they are.
_MAX_NAMELESS_SHARE = 0.3
_MAX_SCALE = 5.0


def has_usable_text(text: str) -> bool:
    """Whether the text layer of a page is one that people could have written."""
    signs = [sign for sign in text if not sign.isspace()]
    nameless = sum(sign == "\ufffd" or "\ue000" <= sign <= "\uf8ff" for sign in signs)
    return sum(map(str.isalnum, signs)) >= MIN_PAGE_CHARACTERS and nameless <= _MAX_NAMELESS_SHARE * len(signs)


class PicturePageReader:
    """Reads pages one after another; `has_read` says whether there was any."""

    def __init__(self, limits: Limits) -> None:
        self._scripts = frozenset(limits.ocr_scripts)
        self._recognizer: Any = None
        self.has_read = False

    def read(self, page: pypdfium2.PdfPage) -> PicturePage:
        from knowledge.readers.ocr.engine import READ_SIDE_PIXELS, TextRecognizer
        from knowledge.readers.ocr.picture_page import read_picture

        self._recognizer = self._recognizer or TextRecognizer()
        self.has_read = True
        scale = min(_MAX_SCALE, READ_SIDE_PIXELS / max(*page.get_size(), 1.0))
        bitmap = page.render(scale=scale, force_bitmap_format=pdfium.FPDFBitmap_BGR)
        return read_picture(bitmap.to_numpy(), recognizer=self._recognizer, scale=1 / scale, scripts=self._scripts)
