"""Input and output of the routes of contract reviews."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.fields import QueryParameters, StrictCharField, StrictChoiceField, StrictSerializer, StrictUUIDField
from contracts.models import MAX_NOTE_CHARACTERS, ContractReview, Decision, Finding, ReviewKind, ReviewState, Verdict
from contracts.playbook.playbook_sources import PlaybookSummary
from contracts.report.report_formats import FORMATS
from contracts.report.review_report import review_report
from contracts.risk import Classification, RiskLevel
from lexic.column_length import column_length

_CLASSES = [one.value for one in Classification]


class NewContractReviewSerializer(StrictSerializer):
    documentId = StrictUUIDField(help_text="A document that you may change.")
    playbook = StrictCharField(
        max_length=60, required=False, help_text="From GET /api/playbooks; the one that fits the contract unless named."
    )
    side = StrictCharField(
        max_length=column_length(ContractReview, "side"), required=False, help_text="Whose side you are on."
    )

    compareWith = StrictUUIDField(
        required=False, help_text="An earlier version, as a document that you may read: what changed is reviewed."
    )


class ContractReviewsParameters(QueryParameters):
    documentId = serializers.UUIDField(required=False, help_text="Only reviews of this document.")


class ContractReviewParameters(QueryParameters):
    include = serializers.ChoiceField(["structure"], required=False, help_text="The clauses of the contract, too.")


class ContractReviewSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    documentId = serializers.UUIDField(source="document_id")
    title = serializers.CharField(source="document.title")
    comparedWith = serializers.UUIDField(
        source="compared_document_id", allow_null=True, help_text="The earlier version, of a comparison."
    )
    revision = serializers.IntegerField(help_text="Of the knowledge base, as it was reviewed.")
    kind = serializers.ChoiceField(ReviewKind.values)
    side = serializers.CharField()
    state = serializers.ChoiceField(ReviewState.values)
    progress = serializers.CharField(help_text="“12 of 30 positions”.")
    positionsDone = serializers.IntegerField(source="positions_done")
    positionsTotal = serializers.IntegerField(source="positions_total")
    playbook = serializers.CharField(source="playbook_key")
    playbookName = serializers.CharField(source="playbook_name")
    playbookVersion = serializers.CharField(source="playbook_version")
    playbookSha256 = serializers.CharField(source="playbook_sha256")
    classification = serializers.ChoiceField(_CLASSES, allow_null=True)
    summary = serializers.CharField()
    checkedBy = serializers.CharField(source="checked_by")
    language = serializers.CharField(help_text="Of the contract. Rules read `en` alone, a model other languages too.")
    error = serializers.CharField()
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")

    def to_representation(self, instance: ContractReview) -> dict[str, Any]:
        shown = super().to_representation(instance)
        return {**shown, "classification": shown["classification"] or None}


class TextSpanSerializer(serializers.Serializer):
    pageId = serializers.IntegerField(allow_null=True, help_text="null: of a playbook that ships with Lexic.")
    page = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField(help_text="What stands there, word for word.")


class ContractSpanSerializer(TextSpanSerializer):
    clause = serializers.CharField(help_text="Number and heading of its clause.")


class PlaybookSpanSerializer(TextSpanSerializer):
    kind = serializers.ChoiceField(["preferred", "acceptable", "walk_away", "suggestion"])


class ModelOpinionSerializer(serializers.Serializer):
    """What a language model says beside the rules. A verdict whose quotations do not stand is null."""

    model = serializers.CharField()
    verdict = serializers.ChoiceField(Verdict.values, allow_null=True)
    classification = serializers.ChoiceField(_CLASSES, allow_null=True)
    contract = ContractSpanSerializer(many=True)
    playbook = PlaybookSpanSerializer(many=True)
    rulesVerdict = serializers.ChoiceField(Verdict.values)
    rulesClassification = serializers.ChoiceField(_CLASSES)
    agrees = serializers.BooleanField(help_text="Both come to the same class.")
    counts = serializers.BooleanField(help_text="Its class became that of the finding.")
    problem = serializers.CharField(help_text="Why it does not count.")
    isUnanswered = serializers.BooleanField(help_text="The provider failed, or was not asked.")


class ContractFindingSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    position = serializers.CharField()
    verdict = serializers.ChoiceField(Verdict.values)
    classification = serializers.ChoiceField(_CLASSES)
    reason = serializers.CharField()
    contract = ContractSpanSerializer(source="contract_spans", many=True)
    nearest = ContractSpanSerializer(source="nearest_spans", many=True)
    earlier = ContractSpanSerializer(
        source="compared_spans", many=True, help_text="Of a comparison: what the earlier version said."
    )
    playbook = PlaybookSpanSerializer(source="playbook_spans", many=True)
    severity = serializers.IntegerField(min_value=1, max_value=5)
    likelihood = serializers.IntegerField(min_value=1, max_value=5)
    score = serializers.IntegerField(min_value=1, max_value=25)
    level = serializers.ChoiceField([one.value for one in RiskLevel])
    strength = serializers.FloatField(allow_null=True, help_text="Of the evidence, 0 to 1.")
    suggestion = serializers.CharField()
    model = ModelOpinionSerializer(source="model_opinion", allow_null=True, help_text="null: no model was asked.")
    modelRemark = serializers.CharField(source="model_remark", help_text="In what the model and the rules differ.")
    decision = serializers.ChoiceField(Decision.values, allow_null=True)
    note = serializers.CharField()
    decidedAt = serializers.DateTimeField(source="decided_at", allow_null=True)

    def to_representation(self, instance: Finding) -> dict[str, Any]:
        shown = super().to_representation(instance)
        return {**shown, "decision": shown["decision"] or None}


class OneContractReviewSerializer(ContractReviewSerializer):
    """A review with its findings, as far as they have come, and its report once it is done."""

    findings = ContractFindingSerializer(many=True)
    escalations = serializers.JSONField(help_text="To whom the contract goes, and why.")
    structure = serializers.JSONField(
        required=False, help_text="With `include=structure`: `{metadata, clauses, clausesTotal}`, the texts clipped."
    )
    report = serializers.SerializerMethodField(help_text="null until it is done.")

    @extend_schema_field({"type": ["object", "null"], "additionalProperties": True})
    def get_report(self, review: ContractReview) -> dict[str, Any] | None:
        return review_report(review) if review.state == ReviewState.DONE else None


class FindingDecisionSerializer(StrictSerializer):
    decision = StrictChoiceField(Decision.values, allow_null=True, help_text="null takes an earlier one back.")
    note = StrictCharField(max_length=MAX_NOTE_CHARACTERS, allow_blank=True, required=False)


class ExportParameters(QueryParameters):
    format = StrictChoiceField(sorted(FORMATS), default="json")


class PlaybookSerializer(serializers.Serializer):
    """A playbook that may be named in a review. One that cannot be used says why."""

    id = serializers.CharField(source="key")
    name = serializers.CharField()
    version = serializers.CharField()
    scope = serializers.CharField()
    side = serializers.CharField()
    positions = serializers.IntegerField()
    documentId = serializers.UUIDField(allow_null=True, help_text="null: it ships with Lexic.")
    problem = serializers.CharField(help_text="Empty: none.")


def playbook_row(key: str, document: UUID | None, head: PlaybookSummary) -> dict[str, Any]:
    """A playbook as the serializer takes it, by what a review names it by and the document that it is."""
    return {"key": key, "documentId": document, **asdict(head)}
