"""The system check of the embedder of new knowledge bases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, register


@register()
def check_embedder(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    from knowledge.embedders import UnknownEmbedder, get_embedder  # slow import

    try:
        get_embedder(settings.LEXIC_EMBEDDER)
    except UnknownEmbedder as error:
        return [checks.Error(f"LEXIC_EMBEDDER: {error.message}", hint=error.hint, id="lexic.E010")]
    return []
