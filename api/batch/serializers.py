"""Input and output of `/api/v1/batch`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import StrictCharField
from api.models import Batch
from api.query.serializers import QuestionSerializer


class BatchLineSerializer(QuestionSerializer):
    """One line: a question with an `id` of your own, by which you find its answer. Streams and follow-ups are not for
    batches."""

    id = StrictCharField(max_length=64)

    def validate_stream(self, value: bool) -> bool:
        if value:
            raise serializers.ValidationError("A batch has no streams.")
        return value

    def validate_followup(self, value: Any) -> Any:
        if value:
            raise serializers.ValidationError("A batch asks whole questions; send the fact in `facts`.")
        return value


class BatchSerializer(serializers.Serializer):
    """How far a batch is."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(Batch.State.values)
    total = serializers.IntegerField()
    answered = serializers.IntegerField(help_text="Refusals and questions back are answers.")
    failed = serializers.IntegerField()
    waiting = serializers.IntegerField()
    createdAt = serializers.DateTimeField(source="created_at")
    endedAt = serializers.DateTimeField(source="ended_at", allow_null=True)
    waitsUntil = serializers.DateTimeField(
        source="waits_until", allow_null=True, help_text="A limit of the key is used up until then."
    )
