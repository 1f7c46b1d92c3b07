"""Input and output of a text review, whole and as events. `collaboration.text_review` makes the values."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import StrictBooleanField, StrictCharField, StrictSerializer, in_tools
from api.query.serializers import CitationSerializer, ErrorEventSerializer, union_of_events
from collaboration.text_review.review_types import (
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    Category,
    Compliance,
    Severity,
)
from lexic.errors import LexicError
from plugins.slugs import MAX_REFERENCE_LENGTH
from querying.types.confidence import Confidence

_LEVELS = [level.value for level in Confidence]


class TextTooLong(LexicError):
    """The text is too long to be reviewed at once."""

    code = "too_large"
    status = 413
    hint = f"Send it in parts of at most {MAX_TEXT_CHARACTERS:,} characters."


class ReviewRequestSerializer(StrictSerializer):
    """A text that is held against what a plugin's documents say."""

    plugin = StrictCharField(max_length=MAX_REFERENCE_LENGTH, help_text="Its slug or id, as of a question.")
    document = StrictCharField(
        trim_whitespace=False,
        help_text=f"The text, plain or Markdown; at most {MAX_TEXT_CHARACTERS:,} characters.",
        style=in_tools(description="The text, plain or Markdown."),
    )
    title = StrictCharField(max_length=MAX_TITLE_CHARACTERS, required=False, default="Untitled")
    stream = StrictBooleanField(default=False)

    def validate_document(self, value: str) -> str:
        if len(value) > MAX_TEXT_CHARACTERS:
            raise TextTooLong
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs["title"] = " ".join(attrs["title"].split())
        return attrs


class ReviewAnnotationSerializer(serializers.Serializer):
    """What is said of some words of the text."""

    id = serializers.CharField()
    segmentIndex = serializers.IntegerField(help_text="From 0.")
    startLine = serializers.IntegerField(help_text="From 1.")
    endLine = serializers.IntegerField()
    start = serializers.IntegerField(help_text="Where the words begin in the text, in characters.")
    end = serializers.IntegerField()
    originalText = serializers.CharField(allow_blank=True, help_text="The words, letter for letter.")
    severity = serializers.ChoiceField(
        [one.value for one in Severity], help_text="error goes against the documents, warning may."
    )
    category = serializers.ChoiceField([one.value for one in Category])
    issue = serializers.CharField()
    suggestedFix = serializers.CharField(allow_null=True, help_text="What the source says, or the playbook proposes.")
    citations = CitationSerializer(many=True)
    confidence = serializers.ChoiceField(_LEVELS)


class ReviewSummarySerializer(serializers.Serializer):
    errorCount = serializers.IntegerField()
    warningCount = serializers.IntegerField()
    infoCount = serializers.IntegerField()
    passCount = serializers.IntegerField()
    overallCompliance = serializers.ChoiceField(
        [one.value for one in Compliance],
        help_text="compliant: the documents bear something out, and go against nothing.",
    )
    topIssues = serializers.ListField(child=serializers.CharField())


class TextReviewSerializer(serializers.Serializer):
    documentTitle = serializers.CharField()
    totalSegments = serializers.IntegerField()
    annotations = ReviewAnnotationSerializer(many=True)
    summary = ReviewSummarySerializer()
    confidence = serializers.ChoiceField(_LEVELS)
    pluginVersion = serializers.CharField()
    release = serializers.CharField()
    queryId = serializers.UUIDField()
    latencyMs = serializers.IntegerField()


class ReviewStatusEventSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["status"])
    status = serializers.ChoiceField(["segmented"])
    message = serializers.CharField()


class AnnotationEventSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["annotation"])
    annotation = ReviewAnnotationSerializer()


class BatchCompleteEventSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["batch_complete"])
    batchIndex = serializers.IntegerField(help_text="From 0.")
    totalBatches = serializers.IntegerField()


class ReviewDoneEventSerializer(TextReviewSerializer):
    type = serializers.ChoiceField(["done"])


REVIEW_EVENT = union_of_events(
    "ReviewEvent",
    status=ReviewStatusEventSerializer,
    annotation=AnnotationEventSerializer,
    batch_complete=BatchCompleteEventSerializer,
    done=ReviewDoneEventSerializer,
    error=ErrorEventSerializer,
)
