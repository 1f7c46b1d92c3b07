"""The body of a request as JSON: bounded, in UTF-8, and made of text and numbers that can be stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import JSONParser

from lexic.http.error_handlers import PayloadTooLarge
from lexic.http.strict_json import read_json


class StrictJSONParser(JSONParser):
    """What the framework's parser leaves open: the size of a body, its charset (there are some that unpack a
    megabyte out of a kilobyte), its depth, numbers without end, and characters that PostgreSQL refuses."""

    most_bytes: int | None = None  # None: as the settings have it

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Raises `TooLarge`, `ParseError` and `UnfitText`."""
        most = self.most_bytes or settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(most + 1)
        if len(body) > most:
            raise PayloadTooLarge
        return read_json(body)
