from __future__ import annotations

from django.apps import AppConfig


class QueryingConfig(AppConfig):
    name = "querying"
    verbose_name = "Questions and answers"
