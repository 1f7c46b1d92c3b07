"""JSON between the editor and the server."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpResponse

from accounts.signed_in_request import SignedInRequest
from knowledge.readers.text_cleaning import replace_unstorable
from lexic.errors import InvalidInput, LexicError
from lexic.http.error_handlers import PayloadTooLarge, error_response
from trees.drafts import MAX_TREE_BYTES


class InvalidTreeJson(InvalidInput):
    """This is not JSON."""

    code = "not_json"
    hint = "Nothing was changed."

    def __init__(self, message: str | None = None, *, line: int = 1, column: int = 1) -> None:
        self.line, self.column = line, column
        super().__init__(message)

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "line": self.line, "column": self.column}


def parse_json(text: str | bytes) -> Any:
    """The value in this text. Raises InvalidTreeJson, which names the line and column, and PayloadTooLarge."""
    if len(text) > MAX_TREE_BYTES:
        raise PayloadTooLarge("A tree has at most 2 MB.", hint="Split it into several trees.")
    try:
        return json.loads(
            text, object_pairs_hook=_object_of_pairs, parse_float=_finite_number, parse_constant=_finite_number
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidTreeJson(
            f"This is not JSON: {error.msg} at {where}.", line=error.lineno, column=error.colno
        ) from error
    except (RecursionError, ValueError) as error:  # nested without end, a number without end, no UTF-8
        raise InvalidTreeJson("This cannot be read as JSON.") from error


def _object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object. Of two nodes with one id the first would be lost. Raises InvalidTreeJson."""
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise InvalidTreeJson(f"“{replace_unstorable(twice):.100}” stands twice in one object of this JSON.")
    return found


def _finite_number(text: str) -> float:
    """The number. Raises InvalidTreeJson for NaN, for Infinity, and for one that is too large."""
    if math.isfinite(number := float(text)):
        return number
    raise InvalidTreeJson(f"{text:.20} is no number that can be stored.")


def read_body(request: SignedInRequest) -> dict[str, Any]:
    """The object that was sent. Raises InvalidTreeJson, PayloadTooLarge and InvalidInput."""
    try:
        data = parse_json(request.body)
    except RequestDataTooBig as error:
        raise PayloadTooLarge("A tree has at most 2 MB.", hint="Split it into several trees.") from error
    if not isinstance(data, dict):
        raise InvalidInput("An object is needed.")
    return data


def json_errors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Errors that were foreseen become `{"error", "code", "hint"}` with their status."""

    @wraps(view)
    def answering(request: SignedInRequest, *args: Any, **captured: Any) -> HttpResponse:
        try:
            return view(request, *args, **captured)
        except LexicError as error:
            return error_response(error)

    return answering
