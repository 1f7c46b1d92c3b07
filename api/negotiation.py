"""What a view answers with where the body decides it, and not the header of whoever asks."""

from __future__ import annotations

from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class IgnoreAcceptNegotiation(DefaultContentNegotiation):
    """Whether an answer is a stream, text or JSON is known when it comes; clients accept what comes to their mind."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type
