from __future__ import annotations

from django.apps import AppConfig


class TreesConfig(AppConfig):
    name = "trees"
    verbose_name = "Decision trees"
