from __future__ import annotations

from django.apps import AppConfig


class SoakConfig(AppConfig):
    name = "benchmarks.soak"
    label = "soak"

    def ready(self) -> None:
        """Lets webhooks be sent to the receiver of the soak."""
        from tests.webhooks import reachable_receiver

        assert reachable_receiver
