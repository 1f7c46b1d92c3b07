"""Output of the health check of the API."""

from __future__ import annotations

from rest_framework import serializers


class HealthSerializer(serializers.Serializer):
    status = serializers.ChoiceField(["healthy"])
    timestamp = serializers.DateTimeField(help_text="Now, by the server's clock (ISO 8601, UTC).")
