"""The address of a page as a QR code, drawn as one path of an SVG."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

# The white margin around the code, in modules. Readers ask for four; the plate on the page adds the other two.
_BORDER_MODULES = 2


@dataclass(frozen=True, kw_only=True)
class QrCode:
    """`path` draws rows of dark modules as strokes of width one; `size` is that of the whole drawing."""

    path: str
    size: int


@lru_cache(maxsize=512)
def build_qr_code(address: str) -> QrCode:
    """The code of this address."""
    import qrcode  # it looks for an imaging library, and most processes never draw one

    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_M, border=_BORDER_MODULES)
    code.add_data(address)
    code.make(fit=True)
    rows = code.get_matrix()
    strokes = []
    for y, row in enumerate(rows):
        x = 0
        for is_dark, modules in groupby(row):
            length = len(list(modules))
            if is_dark:
                strokes.append(f"M{x} {y}.5h{length}")
            x += length
    return QrCode(path="".join(strokes), size=len(rows))
