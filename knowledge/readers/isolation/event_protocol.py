"""Events as lines of JSON, between the reader's process and ours.

The reader may have been taken over by the document it reads, so everything it says is checked again here.
"""

from __future__ import annotations

import json
import math
from typing import Any

from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import (
    ERRORS_BY_CODE,
    MAX_LABEL_LENGTH,
    DamagedDocument,
    DocumentHeader,
    Heading,
    OcrReading,
    PageText,
    ReaderEvent,
    UnreadableDocument,
)

# It goes to the next reader as an argument of its program, which Linux limits to 128 kB.
MAX_STATE_CHARACTERS = 60_000


def encode_event(event: ReaderEvent) -> bytes:
    if isinstance(event, DocumentHeader):
        return _encode_line("header", [event.title, event.page_total, event.paged, event.metadata])
    headings = [[heading.start, heading.level, heading.title] for heading in event.headings]
    ocr = event.ocr and [event.ocr.confidence, event.ocr.unsure, event.ocr.left_out, event.ocr.cpu_seconds]
    return _encode_line("page", [event.number, event.text, event.words, headings, event.state, event.label, ocr])


def encode_end() -> bytes:
    return _encode_line("end", [])


def encode_error(error: UnreadableDocument) -> bytes:
    return _encode_line("error", [error.code, error.message, error.hint])


def _encode_line(kind: str, fields: list[Any]) -> bytes:
    return json.dumps([kind, *fields], ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def decode_event(line: bytes) -> ReaderEvent | None:
    """The event of a line, `None` for the end mark. Raises the error it carries, or `DamagedDocument`."""
    try:
        kind, *fields = json.loads(line)
        if kind == "end":
            return None
        if kind == "error":
            code, message, hint = map(str, fields)
            raise ERRORS_BY_CODE.get(code, DamagedDocument)(message[:500], hint=hint[:500])
        return _decode_header(*fields) if kind == "header" else _decode_page(*fields)
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedDocument() from error


def _decode_header(title: Any, page_total: Any, paged: Any, metadata: Any) -> DocumentHeader:
    return DocumentHeader(
        title=None if title is None else str(title)[:300],
        page_total=_checked_count(page_total),
        paged=paged is True,
        metadata={str(key): str(value) for key, value in metadata.items()},
    )


def _decode_page(
    number: Any, text: Any, words: Any, headings: Any, state: Any = None, label: Any = "", ocr: Any = None
) -> PageText:
    if not isinstance(text, str) or "\0" in text:
        raise ValueError("a page is text without NUL")
    number = _checked_count(number)
    return PageText(
        number=number,
        text=text,
        words=None if words is None else [_checked_word_box(word, len(text)) for word in words],
        headings=tuple(
            Heading(page=number, start=_checked_count(start), level=_checked_count(level), title=str(title)[:200])
            for start, level, title in headings
        ),
        state=_checked_state(state),
        label=one_line(clean_text(str(label)))[:MAX_LABEL_LENGTH],
        ocr=None if ocr is None else _decode_ocr(*ocr, length=len(text)),
    )


def _decode_ocr(confidence: Any, unsure: Any, left_out: Any, cpu_seconds: Any, *, length: int) -> OcrReading:
    spans = tuple((_checked_count(start), _checked_count(end)) for start, end in unsure)
    if not 0 <= float(confidence) <= 1 or not all(start <= end <= length for start, end in spans):
        raise ValueError("a reading lies outside its page")
    if not 0 <= float(cpu_seconds) < math.inf:
        raise ValueError("a cost is a number of seconds")
    return OcrReading(
        confidence=float(confidence),
        unsure=spans,
        left_out=_checked_count(left_out),
        cpu_seconds=float(cpu_seconds),
    )


def _checked_state(state: Any) -> dict[str, Any] | None:
    """None where it is larger than what can be handed to another reader."""
    if state is None or (isinstance(state, dict) and len(json.dumps(state)) <= MAX_STATE_CHARACTERS):
        return state
    if isinstance(state, dict):
        return None
    raise ValueError("a state is an object")


def _checked_word_box(word: Any, length: int) -> list[float | int]:
    start, end, *box = word
    if not 0 <= start <= end <= length or len(box) != 4 or not all(isinstance(side, int | float) for side in box):
        raise ValueError("a word lies outside its page")
    return [start, end, *box]


def _checked_count(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("not a count")
    return value
