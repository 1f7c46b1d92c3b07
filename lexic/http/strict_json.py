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


def parse_json(body: bytes) -> Any:
    """The value of a JSON text, which may still be too deep or hold unstorable text. Raises `InvalidJson`."""
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
    """Raises `InvalidJson` for JSON that is nested too deeply, `UnstorableText` for text that cannot be stored."""
    level = [value]
    for _ in range(MAX_JSON_DEPTH):
        level = [child for item in level for child in _child_values(item)]
        if not level:
            return
    raise NestedTooDeeply


def _child_values(item: Any) -> Iterator[Any]:
    if isinstance(item, str) and _UNSTORABLE_CHARACTERS.search(item):
        raise UnstorableText
    if isinstance(item, dict):
        yield from item.keys()
        yield from item.values()
    elif isinstance(item, list):
        yield from item


def _parse_float(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise _invalid_number(text)
    return number


def _parse_int(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # it has thousands of digits
        raise _invalid_number(text) from None


def _invalid_number(text: str) -> InvalidJson:
    shown = text if len(text) <= 20 else f"{text[:20]}…"
    return InvalidJson(f"{shown} is no number that can be read.", hint="Send a finite number, or a text.")


def _encoding_problem(body: bytes, error: UnicodeDecodeError) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "The JSON is in UTF-16 and not in UTF-8."
    return f"The JSON is not in UTF-8: its byte {error.start + 1} cannot be read."
