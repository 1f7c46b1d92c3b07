"""Bodies of one JSON value a line."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from api.batch.create_batch import MAX_QUESTIONS
from lexic.errors import InvalidInput
from lexic.http.error_handlers import PayloadTooLarge
from lexic.http.strict_json import read_json

MEDIA_TYPES = ("application/x-ndjson", "application/jsonl")


class InvalidLine(InvalidInput):
    """A line is no JSON object."""

    code = "invalid_line"
    hint = "Send one JSON object a line, in UTF-8."


class JsonLinesParser(BaseParser):
    """The lines as a list of objects; empty lines are left out."""

    media_type = MEDIA_TYPES[0]

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Raises `PayloadTooLarge`, `InvalidLine`, `InvalidJson` and `UnstorableText`."""
        body = stream.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        if len(body) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise PayloadTooLarge
        lines = ((number, line) for number, line in enumerate(body.split(b"\n"), start=1) if line.strip())
        # One more than a batch may have is enough to refuse it.
        return [_read_line(line, number) for number, line in islice(lines, MAX_QUESTIONS + 1)]


class JsonlParser(JsonLinesParser):
    """The same by the media type's other name."""

    media_type = MEDIA_TYPES[1]


def _read_line(line: bytes, number: int) -> dict[str, Any]:
    try:
        value = read_json(line)
    except InvalidInput as error:
        raise InvalidLine(f"Line {number}: {error.message}", param=str(number)) from None
    if not isinstance(value, dict):
        raise InvalidLine(f"Line {number} is no JSON object.", param=str(number))
    return value
