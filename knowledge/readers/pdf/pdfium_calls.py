"""Functions of PDFium that are called for each word or object, without ctypes' check of each argument.

The check takes longer than what they do. So the caller answers for the arguments: handles as pypdfium2 gives them,
whole numbers that fit 32 bits, and places by `ctypes.byref`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium


def _unchecked(function: Any, result: Any) -> Callable[..., Any]:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address
    return ctypes.CFUNCTYPE(result)(address)


get_unicode = _unchecked(pdfium.FPDFText_GetUnicode, ctypes.c_uint)
get_loose_box = _unchecked(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int)
get_letter_origin = _unchecked(pdfium.FPDFText_GetCharOrigin, ctypes.c_int)
get_text_object_address = _unchecked(pdfium.FPDFText_GetTextObject, ctypes.c_void_p)
get_letter_matrix = _unchecked(pdfium.FPDFText_GetMatrix, ctypes.c_int)
get_letter_size = _unchecked(pdfium.FPDFText_GetFontSize, ctypes.c_double)
get_letter_weight = _unchecked(pdfium.FPDFText_GetFontWeight, ctypes.c_int)
get_letter_font = _unchecked(pdfium.FPDFText_GetFontInfo, ctypes.c_ulong)

get_object = _unchecked(pdfium.FPDFPage_GetObject, pdfium.FPDFPage_GetObject.restype)
get_object_kind = _unchecked(pdfium.FPDFPageObj_GetType, ctypes.c_int)
get_object_bounds = _unchecked(pdfium.FPDFPageObj_GetBounds, ctypes.c_int)
get_object_matrix = _unchecked(pdfium.FPDFPageObj_GetMatrix, ctypes.c_int)
get_text_mode = _unchecked(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.c_int)
count_segments = _unchecked(pdfium.FPDFPath_CountSegments, ctypes.c_int)
get_segment = _unchecked(pdfium.FPDFPath_GetPathSegment, pdfium.FPDFPath_GetPathSegment.restype)
get_segment_point = _unchecked(pdfium.FPDFPathSegment_GetPoint, ctypes.c_int)
get_segment_kind = _unchecked(pdfium.FPDFPathSegment_GetType, ctypes.c_int)
is_segment_closing = _unchecked(pdfium.FPDFPathSegment_GetClose, ctypes.c_int)
