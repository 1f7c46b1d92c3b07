"""JSON from outside: in UTF-8, of bounded depth, made of text and numbers that can be stored."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from lexic.errors import InvalidInput

# No meaningful body is nested deeper, so code that walks through a value may be recursive.
MAX_JSON_DEPTH = 20

_SURROGATES = re.compile(r"[\ud800-\udfff]")
_UNSTORABLE_CHARACTERS = re.compile(r"[\x00\ud800-\udfff]")


class InvalidJson(InvalidInput):
    """The body is not valid JSON in UTF-8."""

    code = "invalid_json"
    hint = "Send JSON in UTF-8."


class NestedTooDeeply(InvalidJson):
    __doc__ = f"The JSON is nested too deeply: it may have {MAX_JSON_DEPTH} levels."
    hint = "Send it with fewer levels."


class UnstorableText(InvalidInput):
    """The request holds a null character or half a character, which no text can hold."""

    code = "invalid_text"


def read_json(body: bytes) -> Any:
    """The value of a JSON text. Raises `InvalidJson` and `UnstorableText`."""
    value = parse_json(body)
    check_json(value)
    return value


class _UnreadableNumber(str):
    """The beginning of a number that no int or float can hold."""

    __slots__ = ()


def parse_json(body: bytes) -> Any:
    """The value of a JSON text, for `check_json`: it may be too deep, or hold unreadable numbers and unstorable text.
    Raises `InvalidJson`."""
    try:
        text = body.decode()
        return json.loads(text, parse_int=_parse_int, parse_float=_parse_float, parse_constant=_parse_float)
    except UnicodeDecodeError as error:
        raise InvalidJson(_encoding_problem(body, error)) from None
    except RecursionError:
        raise NestedTooDeeply from None
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unexpected UTF-8 BOM"):
            raise InvalidJson("The JSON begins with a byte order mark.", hint="Send UTF-8 without one.") from None
        place = f"line {error.lineno}, column {error.colno}"
        raise InvalidJson(f"This is not valid JSON, at {place}: {error.msg}.") from None


def escape_surrogates(value: Any) -> str:
    """The value as JSON in which each half character is a null character. Other parsers refuse the first and read the
    second, so that `check_json` can refuse the text where it is used."""
    return _SURROGATES.sub(r"\\u0000", json.dumps(value, ensure_ascii=False))


def check_json(value: Any) -> None:
    """Raises `InvalidJson` for JSON that is nested too deeply or has an unreadable number; where it is neither,
    `UnstorableText` for text that cannot be stored."""
    level, is_storable = [value], True
    for _ in range(MAX_JSON_DEPTH):
        for item in level:
            if isinstance(item, _UnreadableNumber):
                raise InvalidJson(f"{item} is no number that can be read.", hint="Send a finite number, or a text.")
            is_storable = is_storable and not (isinstance(item, str) and _UNSTORABLE_CHARACTERS.search(item))
        level = [child for item in level for child in _child_values(item)]
        if not level:
            break
    else:
        raise NestedTooDeeply
    if not is_storable:
        raise UnstorableText


def _child_values(item: Any) -> Iterator[Any]:
    if isinstance(item, dict):
        yield from item.keys()
        yield from item.values()
    elif isinstance(item, list):
        yield from item


def _parse_float(text: str) -> float | _UnreadableNumber:
    return number if math.isfinite(number := float(text)) else _unreadable(text)


def _parse_int(text: str) -> int | _UnreadableNumber:
    try:
        return int(text)
    except ValueError:  # it has thousands of digits
        return _unreadable(text)


def _unreadable(text: str) -> _UnreadableNumber:
    return _UnreadableNumber(text if len(text) <= 20 else f"{text[:20]}…")


def _encoding_problem(body: bytes, error: UnicodeDecodeError) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "The JSON is in UTF-16 and not in UTF-8."
    return f"The JSON is not in UTF-8: its byte {error.start + 1} cannot be read."
