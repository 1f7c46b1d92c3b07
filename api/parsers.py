"""The body of a request as JSON: bounded, in UTF-8, and made of text and numbers that can be stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import JSONParser

from lexic.http.error_handlers import PayloadTooLarge
from lexic.http.strict_json import read_json


class StrictJSONParser(JSONParser):
    """Limits what the framework's parser does not: size, charset (some unpack a megabyte from a kilobyte), depth,
    infinite numbers, and characters that PostgreSQL refuses."""

    max_bytes: int | None = None  # None: as the settings have it

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Raises `PayloadTooLarge`, `InvalidJson` and `UnstorableText`."""
        max_bytes = self.max_bytes or settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(max_bytes + 1)
        if len(body) > max_bytes:
            raise PayloadTooLarge
        return read_json(body)
