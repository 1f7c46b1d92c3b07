from __future__ import annotations

from django.apps import AppConfig


class LexicConfig(AppConfig):
    name = "lexic"
    verbose_name = "Lexic"

    def ready(self) -> None:
        from lexic import checks  # noqa: F401 -- registers the system checks
