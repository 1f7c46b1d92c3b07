from __future__ import annotations

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "knowledge"
    verbose_name = "Knowledge"

    def ready(self) -> None:
        from knowledge import embedder_check  # noqa: F401 -- registers its system check
        from knowledge.documents import reading_limits  # noqa: F401 -- registers its system check
