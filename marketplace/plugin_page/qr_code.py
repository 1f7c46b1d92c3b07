"""The address of a page as a QR code, for one path of an SVG."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

# Around the code has to be white, so many modules wide; four is what readers ask for, and our plate adds two.
_BORDER_MODULES = 2


@dataclass(frozen=True, kw_only=True)
class QrCode:
    """`path` draws rows of dark modules as strokes of width one; `size` is that of the whole drawing."""

    path: str
    size: int


@lru_cache(maxsize=512)
def build_qr_code(address: str) -> QrCode:
    import qrcode  # it looks for an imaging library, and most processes never draw one

    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_M, border=_BORDER_MODULES)
    code.add_data(address)
    code.make(fit=True)
    rows = code.get_matrix()
    strokes = (stroke for y, row in enumerate(rows) for stroke in _row_strokes(y, row))
    return QrCode(path="".join(strokes), size=len(rows))


def _row_strokes(y: int, row: list[bool]) -> list[str]:
    found, x = [], 0
    for is_dark, modules in groupby(row):
        length = len(list(modules))
        if is_dark:
            found.append(f"M{x} {y}.5h{length}")
        x += length
    return found
