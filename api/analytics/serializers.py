"""The JSON of analytics: the questions, their figures, and the days that these cover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from api.fields import QueryParameters
from lexic.errors import InvalidInput
from querying.models import Query
from querying.query_log.date_range import EARLIEST_DAY, LATEST_DAY, resolve_days
from querying.types.answer import Outcome
from querying.types.confidence import Confidence

OUTCOMES = [outcome.value for outcome in Outcome]
CONFIDENCE_LEVELS = [level.value for level in Confidence]


class DateRangeParameters(QueryParameters):
    """Days in UTC, both included. The last thirty unless they are given; three years at most."""

    first = serializers.DateField(source="first_day", required=False, help_text="First day, such as 2026-01-31.")
    last = serializers.DateField(source="last_day", required=False, help_text="Last day.")

    def get_fields(self) -> dict[str, Any]:
        """`from` is no name that Python takes."""
        fields = super().get_fields()
        return {"from": fields.pop("first"), "to": fields.pop("last"), **fields}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for name, column in (("from", "first_day"), ("to", "last_day")):
            if column in attrs and not EARLIEST_DAY <= attrs[column] <= LATEST_DAY:
                raise serializers.ValidationError({name: "A day from 2000-01-01 to 2999-12-31."})
        try:
            first, last = resolve_days(attrs.get("first_day"), attrs.get("last_day"))
        except InvalidInput as error:
            raise serializers.ValidationError({"from": error.message}) from None
        return {**attrs, "first_day": first, "last_day": last}


class AnalyticsParameters(DateRangeParameters):
    version = serializers.CharField(max_length=32, default="", help_text="draft, or a release such as 1.2.0.")
    by = serializers.ChoiceField(["keys", "hand"], default="", help_text="Asked with keys, or by people.")
    interval = serializers.ChoiceField(["day", "week"], default="day")


class QueryListParameters(DateRangeParameters):
    version = serializers.CharField(max_length=32, default="", help_text="draft, or a release such as 1.2.0.")
    outcome = serializers.ChoiceField(OUTCOMES, required=False)
    confidence = serializers.ChoiceField(CONFIDENCE_LEVELS, required=False)


@extend_schema_serializer(component_name="Pace")
class LatencySerializer(serializers.Serializer):
    """Milliseconds within which half of them, and 95 %, were done with; null where there were none."""

    half = serializers.FloatField(allow_null=True)
    most = serializers.FloatField(allow_null=True)


class DayFiguresSerializer(serializers.Serializer):
    """A day (or a week, by its Monday) on which something was asked."""

    day = serializers.DateField()
    outcomes = serializers.DictField(child=serializers.IntegerField())
    latency = LatencySerializer()


class KeyFiguresSerializer(serializers.Serializer):
    """`key` is null for people, and for the keys of others: an author reads what was asked, not who asked."""

    key = serializers.UUIDField(allow_null=True)
    name = serializers.CharField()
    questions = serializers.IntegerField()
    refused = serializers.IntegerField()


@extend_schema_serializer(component_name="Cited")
class CitedDocumentSerializer(serializers.Serializer):
    """A document that answers rest on; `documentId` is null once it is gone."""

    documentId = serializers.UUIDField(allow_null=True)
    title = serializers.CharField()
    answers = serializers.IntegerField()


class FiguresSerializer(serializers.Serializer):
    """How a plugin was asked, and how it answered. `before`: how many were asked in as many days right before.
    `uncited`: ready documents that no answer of these days rests on."""

    first = serializers.DateField(source="first_day")
    last = serializers.DateField(source="last_day")
    total = serializers.IntegerField()
    before = serializers.IntegerField()
    outcomes = serializers.DictField(child=serializers.IntegerField())
    confidence = serializers.DictField(child=serializers.IntegerField())
    days = DayFiguresSerializer(many=True)
    steps = serializers.DictField(child=LatencySerializer(), help_text="By step; `whole` is the whole answer.")
    promptTokens = serializers.IntegerField()
    completionTokens = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True)
    keys = KeyFiguresSerializer(many=True, source="by_key")
    cited = CitedDocumentSerializer(many=True)
    uncited = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        return {"from": fields.pop("first"), "to": fields.pop("last"), **fields}


class OwnKeySerializer(serializers.Serializer):
    id = serializers.UUIDField(source="pk")
    name = serializers.CharField()


class QueryRowSerializer(serializers.Serializer):
    """A question and how it ended. `key` is only there when it is one's own: an author reads what was asked, not who
    asked. `why`: for a refusal, its reasons; for a failure, what happened."""

    id = serializers.UUIDField()
    createdAt = serializers.DateTimeField(source="created_at")
    release = serializers.CharField(source="release_name")
    question = serializers.CharField()
    facts = serializers.DictField()
    outcome = serializers.ChoiceField(OUTCOMES)
    reason = serializers.CharField()
    why = serializers.CharField(source="error")
    answer = serializers.CharField()
    confidence = serializers.ChoiceField(CONFIDENCE_LEVELS)
    citations = serializers.ListField(child=serializers.DictField())
    decisionPath = serializers.ListField(source="decision_path", child=serializers.DictField())
    latencyMs = serializers.IntegerField(source="latency_ms")
    timings = serializers.DictField(child=serializers.IntegerField())
    promptTokens = serializers.IntegerField(source="prompt_tokens")
    completionTokens = serializers.IntegerField(source="completion_tokens")
    model = serializers.CharField(source="llm")
    key = serializers.SerializerMethodField()

    @extend_schema_field(OwnKeySerializer(allow_null=True))
    def get_key(self, query: Query) -> Mapping[str, Any] | None:
        is_own = query.api_key is not None and query.api_key.owner_id == self.context["reader"].pk
        return OwnKeySerializer(query.api_key).data if is_own else None
