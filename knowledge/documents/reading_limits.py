"""The limits of reading a document on this site, and whether it may use OCR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, register

from knowledge.readers.ocr.scripts import READ_SCRIPTS, SCRIPT_OF_LANGUAGE, scripts_of
from knowledge.readers.types import Limits

# On a busy machine a dense page takes a minute; what stands still is given up.
_OCR_STALL_SECONDS = 240.0


def reading_limits() -> Limits:
    if not settings.LEXIC_OCR:
        return Limits()
    languages = [one for one in settings.LEXIC_OCR_LANGUAGES if one in SCRIPT_OF_LANGUAGE]
    return Limits(ocr=True, ocr_scripts=tuple(sorted(scripts_of(languages))), stall_seconds=_OCR_STALL_SECONDS)


@register()
def check_ocr_languages(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    unknown = [one for one in settings.LEXIC_OCR_LANGUAGES if one not in SCRIPT_OF_LANGUAGE]
    if not unknown:
        return []
    return [
        checks.Error(
            f"LEXIC_OCR_LANGUAGES names what OCR does not read: {', '.join(unknown)}.",
            hint=f"It reads languages in the scripts {READ_SCRIPTS}, named by their codes of two letters, as en or de.",
            id="lexic.E007",
        )
    ]
