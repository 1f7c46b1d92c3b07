"""Content negotiation for views whose body decides the media type of the answer, and not the Accept header."""

from __future__ import annotations

from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class IgnoreAcceptNegotiation(DefaultContentNegotiation):
    """Only the answer shows whether it is a stream, text or JSON, and many clients send a wrong Accept header."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type
