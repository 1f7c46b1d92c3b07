"""JSON from outside: in UTF-8, of bounded depth, made of text and numbers that can be stored."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from lexic.errors import InvalidInput

# No meaningful body is nested deeper, so code that walks through a value may be recursive.
MAX_JSON_DEPTH = 20

_SURROGATES = re.compile(r"[\ud800-\udfff]")
_UNSTORABLE_CHARACTERS = re.compile(r"[\x00\ud800-\udfff]")


class InvalidJson(InvalidInput):
    """The body is not valid JSON in UTF-8."""

    code = "invalid_json"


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
        return json.loads(body.decode(), parse_constant=_reject_constant, parse_float=_parse_finite_float)
    except (ValueError, RecursionError):
        raise InvalidJson from None


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
    raise InvalidJson("The JSON is nested too deeply.")


def _child_values(item: Any) -> Iterator[Any]:
    if isinstance(item, str) and _UNSTORABLE_CHARACTERS.search(item):
        raise UnstorableText
    if isinstance(item, dict):
        yield from item.keys()
        yield from item.values()
    elif isinstance(item, list):
        yield from item


def _parse_finite_float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _reject_constant(text)


def _reject_constant(text: str) -> NoReturn:
    raise ValueError(f"{text:.20} is no number of JSON.")
