"""What an answer looks like, whole and as events, for the description of the API. The values are made in
`querying.json_format`, and a test holds the two together."""

from __future__ import annotations

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers

from querying.types import Confidence, Outcome, Step

_OUTCOMES = [Outcome.ANSWERED.value, Outcome.REFUSED.value, Outcome.CLARIFY.value]
_CONFIDENCE_LEVELS = [level.value for level in Confidence]


class CitationSerializer(serializers.Serializer):
    """A span of a page that bears out a sentence. `page` and `section` are left out where the source has none."""

    id = serializers.CharField(help_text="`src_1` is `[Source 1]` in the answer.")
    document = serializers.CharField(help_text="Its title.")
    page = serializers.IntegerField(required=False)
    section = serializers.CharField(required=False)
    excerpt = serializers.CharField(help_text="The words of the page, letter for letter.")
    documentId = serializers.UUIDField()
    start = serializers.IntegerField(help_text="Where the excerpt begins in the page's text, in characters.")
    end = serializers.IntegerField()
    url = serializers.CharField(help_text="Opens the frozen page with the excerpt marked.")
    score = serializers.FloatField()


class NearestSerializer(serializers.Serializer):
    """Where to look next after a refusal: a place, never its text."""

    document = serializers.CharField()
    page = serializers.IntegerField(required=False)
    section = serializers.CharField(required=False)
    documentId = serializers.UUIDField()
    score = serializers.FloatField()


class ClarificationSerializer(serializers.Serializer):
    """The question we ask back. Answer with the same question and `facts: {field: answer}`, or with
    `followup: {token, answer}`."""

    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField(), help_text="Empty: any answer will do.")
    field = serializers.CharField()
    token = serializers.CharField(help_text="Signed, short-lived, and good for this key and this question alone.")


class BasisSerializer(serializers.Serializer):
    calibrated = serializers.BooleanField()
    probability = serializers.FloatField(allow_null=True)
    explanation = serializers.CharField()


class AnswerUsageSerializer(serializers.Serializer):
    promptTokens = serializers.IntegerField()
    completionTokens = serializers.IntegerField()


class AnswerSerializer(serializers.Serializer):
    """An answer, a refusal, or a question back: `outcome` says which."""

    answer = serializers.CharField()
    citations = CitationSerializer(many=True)
    decisionPath = serializers.ListField(child=serializers.DictField(), help_text="Steps through a decision tree.")
    confidence = serializers.ChoiceField(_CONFIDENCE_LEVELS)
    confidenceBasis = BasisSerializer(allow_null=True)
    pluginVersion = serializers.CharField()
    outcome = serializers.ChoiceField(_OUTCOMES)
    reason = serializers.CharField(allow_null=True, help_text="Of a refusal: a code such as `weak_evidence`.")
    why = serializers.ListField(child=serializers.CharField(), help_text="Of a refusal: the same in sentences.")
    nearest = NearestSerializer(many=True)
    clarification = ClarificationSerializer(allow_null=True)
    queryId = serializers.UUIDField()
    release = serializers.CharField(help_text="What answered, pinned: `cover@1.2.0`.")
    usage = AnswerUsageSerializer()


class StatusEventSerializer(serializers.Serializer):
    """What is being done."""

    type = serializers.ChoiceField(["status"])
    status = serializers.ChoiceField([step.value for step in Step])
    message = serializers.CharField()


class DeltaEventSerializer(serializers.Serializer):
    """The next verified words of the answer. Put together, they are the answer."""

    type = serializers.ChoiceField(["delta"])
    text = serializers.CharField()


class DoneEventSerializer(AnswerSerializer):
    """The whole answer, at the end."""

    type = serializers.ChoiceField(["done"])


class ErrorEventSerializer(serializers.Serializer):
    """It failed after the stream had begun. Nothing follows."""

    type = serializers.ChoiceField(["error"])
    error = serializers.CharField()
    code = serializers.CharField()
    hint = serializers.CharField()


_EVENT_SERIALIZERS = {
    "status": StatusEventSerializer,
    "delta": DeltaEventSerializer,
    "done": DoneEventSerializer,
    "error": ErrorEventSerializer,
}


def event_schema(name: str, **more: type[serializers.Serializer]) -> PolymorphicProxySerializer:
    """One event of a stream, by its `type`."""
    return PolymorphicProxySerializer(
        component_name=name, serializers={**_EVENT_SERIALIZERS, **more}, resource_type_field_name="type"
    )


ANSWER_EVENT = event_schema("AnswerEvent")
