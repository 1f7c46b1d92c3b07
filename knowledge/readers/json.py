"""JSON as lines that can be read and found: `path.to.key: value`, one paragraph for each object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from knowledge.readers.single_page import single_page_events
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.text_lines import TextLines
from knowledge.readers.types import DamagedDocument, Heading, Limits, ReaderEvent, TooLarge

MAX_DEPTH = 100
# Objects in lists nested deeper than this read better in the paragraph of their parent.
_MAX_PARAGRAPH_DEPTH = 2
_LINE_END = re.compile(r"[\r\n]")


class RawScalar(str):
    """A number or constant exactly as it was written: `1.10` stays `1.10`."""

    __slots__ = ()


class JsonObject(list[tuple[str, Any]]):
    """An object with all its keys in order, even those that occur twice."""


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    flat = JsonFlattener(limit=limits.max_unpaged_characters)
    flat.add_document(parse_json(decode_bytes(path.read_bytes())))
    yield from single_page_events(text=flat.text(), limits=limits, title=flat.title, headings=flat.headings)


def parse_json(text: str) -> Any:
    """The value in the text. Lines of one JSON value each (JSONL) count as a list."""
    try:
        return _load_raw(text)
    except json.JSONDecodeError as error:
        return _parse_lines(text, error)
    except RecursionError as error:
        raise TooLarge("The JSON is nested too deeply.") from error


def _parse_lines(text: str, error: json.JSONDecodeError) -> list[Any]:
    # Only these end a line: other separators, such as U+2028, may stand inside a string.
    lines = [line for line in _LINE_END.split(text) if line.strip()]
    try:
        if len(lines) > 1:
            return [_load_raw(line) for line in lines]
    except (json.JSONDecodeError, RecursionError):
        pass
    raise DamagedDocument(
        f"The JSON is not valid: {error.msg} in line {error.lineno}.", hint="Correct it and upload it again."
    ) from error


def _load_raw(text: str) -> Any:
    return json.loads(
        text, parse_int=RawScalar, parse_float=RawScalar, parse_constant=RawScalar, object_pairs_hook=JsonObject
    )


class JsonFlattener(TextLines):
    """Collects the lines of a document and where its top-level parts begin."""

    def __init__(self, *, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.title: str | None = None

    def text(self) -> str:
        return super().text().lstrip("\n")

    def add_document(self, value: Any) -> None:
        if isinstance(value, JsonObject):
            self._add_object(value)
        else:
            self._add(value, path="", depth=0)

    def _add_object(self, pairs: JsonObject) -> None:
        self.title = next((str(v) for k, v in pairs if k in ("title", "name") and isinstance(v, str)), None)
        for key, value in pairs:
            if isinstance(value, list):
                self.append_blank_line()
            start = self.length
            self._add(value, path=_clean_key(key), depth=1)
            if isinstance(value, list) and self.length > start:
                self.headings.append(Heading(page=1, start=start, level=1, title=_clean_key(key)[:200]))

    def _add(self, value: Any, *, path: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise TooLarge("The JSON is nested too deeply.")
        if isinstance(value, JsonObject):
            for key, child in value:
                self._add(child, path=f"{path}.{_clean_key(key)}" if path else _clean_key(key), depth=depth + 1)
        elif isinstance(value, list):
            self._add_list(value, path=path, depth=depth)
        else:
            self._line(path, _scalar_text(value))

    def _add_list(self, items: list[Any], *, path: str, depth: int) -> None:
        if not any(isinstance(item, list) for item in items):
            self._line(path, ", ".join(map(_scalar_text, items)))
            return
        for number, item in enumerate(items):
            if depth <= _MAX_PARAGRAPH_DEPTH:
                self.append_blank_line()
            self._add(item, path=f"{path}[{number}]", depth=depth + 1)

    def _line(self, path: str, value: str) -> None:
        self.append(f"{path}: {value}" if path else value)

    def append(self, line: str) -> None:
        super().append(line)
        # Checked while building: long paths repeated on every line can outgrow the file a hundredfold.
        if self.length > self.limit:
            raise TooLarge()


def _clean_key(key: str) -> str:
    return one_line(clean_text(key)) or '""'


_CONSTANTS: Iterable[tuple[Any, str]] = ((True, "true"), (False, "false"), (None, "null"))


def _scalar_text(value: Any) -> str:
    for constant, name in _CONSTANTS:
        if value is constant:
            return name
    return one_line(clean_text(str(value)))
