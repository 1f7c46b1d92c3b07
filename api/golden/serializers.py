"""Golden questions and their runs as JSON."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import (
    FactsField,
    QueryParameters,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)
from evaluation.golden import expectation_text
from evaluation.golden.golden_file import document_page_counts
from evaluation.models import EvaluationRun, GoldenQuestion
from lexic.column_length import column_length
from lexic.http.parameters import MAX_SEARCH_LENGTH
from plugins.models import Plugin
from querying.forms import MAX_QUESTION_CHARACTERS

RESULTS = ("failed", "new", "passed")
STATUSES = ("waiting", "running", "finished", "failed", "none")


@extend_schema_serializer(component_name="Place")
class CitedPlaceSerializer(StrictSerializer):
    """A document by its title, and where it matters the page."""

    document = StrictCharField(max_length=300)
    page = StrictIntegerField(min_value=1, max_value=999_999, allow_null=True, default=None)

    def to_internal_value(self, data: Any) -> list[Any]:
        place = super().to_internal_value(data)
        if "document" not in place:  # in a PATCH the framework requires no field, not even of nested objects
            raise serializers.ValidationError({"document": "This field is required."})
        return [place["document"], place.get("page")]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        document, page = [*instance, None][:2]
        return {"document": document, "page": page}


class GoldenQuestionSerializer(StrictSerializer):
    """A question whose right behaviour is fixed. `lastPassed` is null until it was run as it stands."""

    id = serializers.IntegerField(read_only=True)
    question = StrictCharField(max_length=MAX_QUESTION_CHARACTERS)
    expectation = StrictChoiceField(GoldenQuestion.Expectation.values, required=False)
    facts = FactsField(required=False)
    mustCite = CitedPlaceSerializer(  # type: ignore[call-arg]
        source="must_cite", many=True, required=False, max_length=expectation_text.MAX_LINES
    )
    mustContain = serializers.ListField(
        source="must_contain",
        child=StrictCharField(max_length=expectation_text.MAX_PHRASE_LENGTH),
        max_length=expectation_text.MAX_LINES,
        required=False,
        help_text="Words of the answer, in any case.",
    )
    mustReach = StrictCharField(
        source="must_reach",
        max_length=column_length(GoldenQuestion, "must_reach"),
        allow_blank=True,
        required=False,
        help_text="The id of a tree's node.",
    )
    isPublic = StrictBooleanField(
        source="is_public", required=False, help_text="Shown on the plugin's page, for visitors to ask."
    )
    lastPassed = serializers.BooleanField(source="last_passed", read_only=True, allow_null=True)
    lastFailures = serializers.ListField(source="last_failures", child=serializers.CharField(), read_only=True)
    createdAt = serializers.DateTimeField(source="created_at", read_only=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Validates the question as it will be: a field that was not sent keeps its value."""
        current = self.instance if isinstance(self.instance, GoldenQuestion) else GoldenQuestion()
        names = ("must_cite", "must_contain", "expectation")
        fields = {**{name: getattr(current, name) for name in names}, **attrs}
        plugin: Plugin = self.context["plugin"]
        places, refuses = fields["must_cite"], fields["expectation"] == GoldenQuestion.Expectation.REFUSE
        if "must_cite" in attrs and (
            wrong := expectation_text.place_errors(places, titles=document_page_counts(plugin), each="Place")
        ):
            raise serializers.ValidationError({"mustCite": wrong})
        if refuses and (places or fields["must_contain"]):
            raise serializers.ValidationError({"expectation": expectation_text.REFUSAL_CONFLICT})
        return attrs

    def create(self, validated_data: dict[str, Any]) -> GoldenQuestion:
        return GoldenQuestion.objects.create(plugin=self.context["plugin"], **validated_data)

    def update(self, instance: GoldenQuestion, validated_data: dict[str, Any]) -> GoldenQuestion:
        """A change of what decides its outcome discards the last result."""
        instance.update(validated_data)
        return instance


class GoldenParameters(QueryParameters):
    """Which golden questions are listed."""

    result = serializers.ChoiceField(RESULTS, required=False)
    expectation = serializers.ChoiceField(GoldenQuestion.Expectation.values, required=False)
    q = serializers.CharField(max_length=MAX_SEARCH_LENGTH, required=False)


@extend_schema_serializer(component_name="Lines")
class GoldenImportSerializer(StrictSerializer):
    file = serializers.FileField(help_text="One JSON object a line, as …/export gives it; at most 5 MB.")


@extend_schema_serializer(component_name="TakenIn")
class GoldenImportResultSerializer(serializers.Serializer):
    added = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField()


class ProgressSerializer(serializers.Serializer):
    """How the run under way is doing, or else that the last one is finished (`run` is its id), or that there is none.

    `isQuiet`: nothing has moved for a while, so a worker may be missing. `error`: why it ended early.
    """

    status = serializers.ChoiceField(STATUSES)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    isQuiet = serializers.BooleanField()
    error = serializers.CharField(allow_blank=True)
    run = serializers.IntegerField(allow_null=True)


class RunRowSerializer(serializers.Serializer):
    """A run in a list. `version` is null for a run of the draft."""

    id = serializers.IntegerField()
    startedAt = serializers.DateTimeField(source="started")
    version = serializers.SerializerMethodField()
    passed = serializers.SerializerMethodField()
    total = serializers.SerializerMethodField()

    def get_version(self, run: EvaluationRun) -> str | None:
        return run.release.version if run.release else None

    def get_passed(self, run: EvaluationRun) -> int:
        return sum(bool(one["passed"]) for one in run.questions)

    def get_total(self, run: EvaluationRun) -> int:
        return len(run.questions)


@extend_schema_serializer(component_name="Asked")
class RunQuestionSerializer(serializers.Serializer):
    """How one golden question went."""

    id = serializers.IntegerField()
    question = serializers.CharField()
    outcome = serializers.CharField(default="")
    passed = serializers.BooleanField()
    failures = serializers.ListField(child=serializers.CharField())
    confidence = serializers.CharField(default="")
    score = serializers.FloatField(allow_null=True, default=None)


class RunSerializer(RunRowSerializer):
    """A run: its figures, as `manage.py evaluate --json` prints them, and how each question went."""

    result = serializers.DictField()
    questions = RunQuestionSerializer(many=True)
