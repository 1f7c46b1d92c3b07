"""Releases as JSON, and what publishing takes and says."""

from __future__ import annotations

from rest_framework import serializers

from api.fields import StrictCharField, StrictSerializer
from plugins.models import CitationMode, GoldenGate, Planner

MAX_NOTES_LENGTH = 20_000


def _count_pair_field() -> serializers.ListField:
    return serializers.ListField(
        child=serializers.IntegerField(min_value=0), min_length=2, max_length=2, required=False
    )


class ScorecardSerializer(serializers.Serializer):
    """How it did on its golden questions. Empty when none were asked; shares are from 0 to 1.

    `answered`, `refused`, `asked_back`: `[right, asked]` of the questions that must end so; `cited`: of those whose
    sources are prescribed. Scorecards of early releases lack them."""

    golden_total = serializers.IntegerField(required=False)
    golden_passed = serializers.IntegerField(required=False)
    answered = _count_pair_field()
    refused = _count_pair_field()
    asked_back = _count_pair_field()
    cited = _count_pair_field()
    citation_precision = serializers.FloatField(required=False, allow_null=True)
    refusal_accuracy = serializers.FloatField(required=False, allow_null=True)
    p50_ms = serializers.FloatField(required=False, allow_null=True)
    p95_ms = serializers.FloatField(required=False, allow_null=True)
    answerer = serializers.CharField(required=False, help_text="The language model that answered.")
    calibrated = serializers.BooleanField(required=False)
    date = serializers.DateField(required=False)


class ReleaseRowSerializer(serializers.Serializer):
    """A release in a list. It never changes, apart from its notes."""

    id = serializers.UUIDField(read_only=True)
    version = serializers.CharField(read_only=True)
    notes = serializers.CharField(read_only=True)
    scorecard = ScorecardSerializer(read_only=True)
    createdAt = serializers.DateTimeField(source="created_at", read_only=True)
    createdBy = serializers.SerializerMethodField()

    def get_createdBy(self, release: object) -> str | None:
        person = getattr(release, "created_by", None)
        return str(person) if person else None


class PinnedTreeSerializer(serializers.Serializer):
    id = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    treeData = serializers.JSONField(source="tree_data")


class PinnedBaseSerializer(serializers.Serializer):
    knowledgeBase = serializers.IntegerField(source="knowledge_base")
    revision = serializers.IntegerField()


class ReleaseSerializer(ReleaseRowSerializer):
    """A release: everything that decides its answers."""

    systemPrompt = serializers.CharField(source="system_prompt")
    audience = serializers.CharField()
    tone = serializers.CharField()
    limits = serializers.CharField()
    disclaimer = serializers.CharField()
    citationMode = serializers.ChoiceField(CitationMode.values, source="citation_mode")
    topK = serializers.IntegerField(source="top_k")
    threshold = serializers.FloatField()
    evidenceThreshold = serializers.FloatField(source="evidence_threshold", allow_null=True)
    synonyms = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    planner = serializers.ChoiceField(Planner.values)
    publicOnly = serializers.BooleanField(source="public_only")
    trees = PinnedTreeSerializer(many=True)
    knowledge = PinnedBaseSerializer(many=True)


class NotesSerializer(StrictSerializer):
    notes = StrictCharField(max_length=MAX_NOTES_LENGTH, allow_blank=True)


class PublishSerializer(StrictSerializer):
    version = StrictCharField(
        max_length=32,
        required=False,
        allow_null=True,
        default=None,
        help_text="Such as 1.2.0, newer than the latest. Left out: the next one.",
    )
    notes = StrictCharField(max_length=MAX_NOTES_LENGTH, allow_blank=True, default="")


class PublicationSerializer(serializers.Serializer):
    """`isNew` is false where the latest release says the same already. `warning`: what the golden gate has to say."""

    release = ReleaseRowSerializer()
    isNew = serializers.BooleanField(source="is_new")
    warning = serializers.CharField(allow_blank=True)


class GateSerializer(serializers.Serializer):
    """The golden gate. `passed` is null until the draft's golden questions were run as it stands."""

    policy = serializers.ChoiceField(GoldenGate.values)
    questions = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.IntegerField(allow_null=True)
    isMet = serializers.BooleanField()


class UnsupportedEndSerializer(serializers.Serializer):
    """An end of a tree whose recommendation no page says. `label` is that of its node."""

    tree = serializers.CharField(allow_blank=True)
    label = serializers.CharField()  # type: ignore[assignment]
    recommendation = serializers.CharField()
    why = serializers.CharField()


class ReadinessSerializer(serializers.Serializer):
    """`missing`: what blocks publishing. `changes`: what the next release would change, against the
    latest one."""

    isReady = serializers.BooleanField()
    missing = serializers.ListField(child=serializers.CharField())
    warning = serializers.CharField(allow_blank=True)
    nextVersion = serializers.CharField()
    latestVersion = serializers.CharField(allow_null=True)
    changes = serializers.ListField(child=serializers.CharField())
    golden = GateSerializer()
    unsupportedEnds = UnsupportedEndSerializer(many=True)
