from __future__ import annotations

from django.apps import AppConfig


class ConnectorsConfig(AppConfig):
    name = "connectors"
