"""The fields of a question, its options and its answer, whole and as events.

This is the only declaration of them. The REST API checks requests with it, OpenAPI is made from it, and `api.mcp` makes
the schemas of its tools from it. `querying.json_format` makes the values; a test compares the two.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_serializer
from rest_framework import serializers

from api.fields import (
    FactsField,
    FactValueField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    in_tools,
)
from api.query.joined_answer_serializers import ConflictSerializer, ExpertFailureSerializer, PluginsField
from lexic.column_length import column_length
from plugins.slugs import MAX_REFERENCE_LENGTH
from querying.forms import MAX_QUESTION_CHARACTERS, MAX_TOKEN_CHARACTERS, MAX_TURN_CHARACTERS
from querying.models import Feedback
from querying.question.planning.query_plan import parse_time_zone
from querying.types.answer import Outcome
from querying.types.confidence import Confidence
from querying.types.events import Step
from querying.types.question import CitationStyle

MAX_TURNS = 50


class TurnSerializer(serializers.Serializer):
    role = StrictChoiceField(["user", "assistant"])
    content = StrictCharField(max_length=MAX_TURN_CHARACTERS, allow_blank=True, trim_whitespace=False)


class OptionsSerializer(StrictSerializer):
    """How the answer is given, and what it may be made from. A name that is not known is refused: an answer that was
    given otherwise than asked for would look like one that was not."""

    citationMode = StrictChoiceField(
        [style.value for style in CitationStyle],
        default="inline",
        help_text="inline keeps `[Source N]`, footnote lists the sources below the text, off takes them out.",
        style=in_tools(description="inline keeps [Source N], footnote lists the sources below, off strips them."),
    )
    maxSources = StrictIntegerField(
        min_value=1, max_value=50, allow_null=True, default=None, help_text="How many passages may be read."
    )
    includeDecisionPath = StrictBooleanField(default=True)
    includeCitations = StrictBooleanField(
        allow_null=True,
        default=None,
        help_text="With citationMode off: give `citations` all the same.",
        style=in_tools(description="With citationMode off: give them all the same."),
    )
    asOf = serializers.DateField(allow_null=True, default=None, help_text="Answer from what was in force on this day.")
    filters = serializers.DictField(
        child=serializers.JSONField(allow_null=True),
        allow_null=True,
        default=None,
        help_text="Which documents may be read, by their labels: docTypes, tagsAny, tagsAll, projects, dateFrom …; "
        "put together by `and`, `or` and `not`, each with a list of such conditions.",
        style=in_tools(
            description="Which documents may be read: docTypes, tagsAny, tagsAll, projects, statuses, dateFrom, "
            "dateTo, isPublic, excludeTemplates, documentIds."
        ),
    )
    timezone = StrictCharField(
        max_length=64,
        default="UTC",
        help_text="Where the asker's days begin, such as Europe/Oslo: for “yesterday” and “this month”.",
    )

    def validate_timezone(self, value: str) -> str:
        if parse_time_zone(value) is None:
            raise serializers.ValidationError("There is no such time zone. A name looks like Europe/Oslo.")
        return value


class FollowupSerializer(StrictSerializer):
    """The answer to a question back; the question itself need not be sent again."""

    token = StrictCharField(max_length=MAX_TOKEN_CHARACTERS, help_text="Out of the clarification.")
    answer = FactValueField(help_text="A text, a number, true or false.")


class QuestionExtrasSerializer(serializers.Serializer):
    """What a question may carry besides its words, in each form of the API."""

    options = OptionsSerializer(required=False, allow_null=True)
    facts = FactsField(
        min_name_length=0,  # a caller may know more than the plugin needs; a fact without a name is not used
        required=False,
        allow_null=True,
        help_text="What is known already, by name: a text, a number, true or false for each.",
    )
    followup = FollowupSerializer(required=False, allow_null=True)


class QuestionSerializer(StrictSerializer, QuestionExtrasSerializer):
    """A question to a plugin."""

    plugin = StrictCharField(
        max_length=MAX_REFERENCE_LENGTH,
        help_text="Its slug or id; `slug@1.2.0` for one release, `slug@draft` for the draft.",
    )
    query = StrictCharField(
        max_length=MAX_QUESTION_CHARACTERS,
        required=False,
        allow_blank=True,
        default="",
        help_text="The question. May be left out with a `followup`.",
    )
    # The base class has an attribute of this name too.
    context = TurnSerializer(many=True, required=False, allow_null=True, max_length=MAX_TURNS)  # type: ignore[assignment, call-arg]
    stream = StrictBooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["query"] and not attrs.get("followup"):
            raise serializers.ValidationError({"query": "Write a question here, or send a followup."})
        return attrs


class QuerySerializer(QuestionSerializer):
    """A question to a plugin, or to several."""

    plugin = StrictCharField(
        max_length=MAX_REFERENCE_LENGTH,
        required=False,
        help_text="Its slug or id; `slug@1.2.0` for one release, `slug@draft` for the draft.",
    )
    plugins = PluginsField(
        required=False,
        help_text="In place of `plugin`: up to five that answer one by one. Every citation says whose it is.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "plugin" not in attrs and "plugins" not in attrs:
            raise serializers.ValidationError({"plugin": "Name the plugin here, or several in `plugins`."})
        if "plugin" in attrs and "plugins" in attrs:
            raise serializers.ValidationError({"plugins": "Name one plugin in `plugin`, or several here; not both."})
        if "plugins" in attrs and attrs.get("followup"):
            raise serializers.ValidationError({"followup": "A token is of one plugin: send it with `plugin`."})
        return super().validate(attrs)


class FilePlaceSerializer(serializers.Serializer):
    """Which lines of which file; all are left out where the document is no file of a repository."""

    path = serializers.CharField(
        required=False,
        help_text="Of a file of a repository: its path there.",
        style=in_tools(description="Of a file of a repository."),
    )
    startLine = serializers.IntegerField(
        required=False,
        help_text="The first of its lines, counted from 1.",
        style=in_tools(description="The first line, from 1."),
    )
    endLine = serializers.IntegerField(
        required=False, help_text="The last of them.", style=in_tools(description="The last line.")
    )
    fileHash = serializers.CharField(
        required=False,
        help_text="SHA-256 of the file as it was read.",
        style=in_tools(description="SHA-256 of the file as it was read."),
    )
    commit = serializers.CharField(
        required=False,
        help_text="What was checked out then. Left out without git.",
        style=in_tools(description="What was checked out then."),
    )


class CitationSerializer(FilePlaceSerializer):
    """A span of a page that supports a sentence. `page` and `section` are left out where the source has none."""

    id = serializers.CharField(
        help_text="`src_1` is `[Source 1]` in the answer.",
        style=in_tools(description="src_N belongs to the mark [Source N] in the answer."),
    )
    document = serializers.CharField(help_text="Its title.", style=in_tools(description=None))
    page = serializers.IntegerField(
        required=False, style=in_tools(description="Left out where the document has no pages.")
    )
    ocr = serializers.BooleanField(
        required=False,
        help_text="There, and true, where the page was read by OCR and nobody has corrected its text.",
        style=in_tools(description="True where the page was read by OCR."),
    )
    pageLabel = serializers.CharField(
        required=False,
        help_text="What people call the page where that is not its number: `slide 3`, `sheet Prices, rows 2–40`.",
        style=in_tools(description="What the page is called where that is not its number."),
    )
    section = serializers.CharField(required=False)
    excerpt = serializers.CharField(
        help_text="The words of the page, letter for letter.",
        style=in_tools(description="Word for word as it stands in the document."),
    )
    documentId = serializers.UUIDField()
    start = serializers.IntegerField(
        help_text="Where the excerpt begins in the page's text, in characters.",
        style=in_tools(description="Where the excerpt starts in the text of its page."),
    )
    end = serializers.IntegerField()
    url = serializers.CharField(
        help_text="Opens the frozen page with the excerpt marked.",
        style=in_tools(description="Opens the page for people who may read the document. get_source takes it too."),
    )
    score = serializers.FloatField()
    plugin = serializers.CharField(
        required=False,
        help_text="Whose it is, by slug. There where several plugins were asked.",
        style=in_tools(description="Whose it is, where several experts were asked."),
    )


class NearestSerializer(FilePlaceSerializer):
    """Where to look next after a refusal, with the closest sentence there where the key may read the page."""

    document = serializers.CharField()
    page = serializers.IntegerField(required=False)
    pageLabel = serializers.CharField(required=False)
    ocr = serializers.BooleanField(required=False)
    section = serializers.CharField(required=False)
    excerpt = serializers.CharField(
        required=False,
        help_text="The sentence that comes closest, word for word. Not verified as an answer. There where the key has "
        "`read` or `author` and may open the page, and the sentence has at most 600 characters.",
        style=in_tools(description="The closest sentence, where you may read the page. It is no answer."),
    )
    documentId = serializers.UUIDField()
    score = serializers.FloatField()


class SiblingSerializer(serializers.Serializer):
    """What the nearest passage gives in place of what was asked, in its own words, and where it stands."""

    asked = serializers.CharField()
    found = serializers.CharField()
    place = serializers.CharField()


class ClarificationSerializer(serializers.Serializer):
    """The question we ask back. Answer with the same question and `facts: {field: answer}`, or with
    `followup: {token, answer}`."""

    question = serializers.CharField()
    options = serializers.ListField(
        child=serializers.CharField(),
        help_text="Empty: any answer will do.",
        style=in_tools(description="Empty where any answer will do."),
    )
    field = serializers.CharField(style=in_tools(description="The name of the missing fact."))
    token = serializers.CharField(
        help_text="Signed, short-lived, and good for this key and this question alone.",
        style=in_tools(description="For `followup`."),
    )


class BasisSerializer(serializers.Serializer):
    calibrated = serializers.BooleanField()
    probability = serializers.FloatField(allow_null=True, style=in_tools(default=None))
    explanation = serializers.CharField()


class AnswerUsageSerializer(serializers.Serializer):
    promptTokens = serializers.IntegerField()
    completionTokens = serializers.IntegerField()


class TreeStepSerializer(serializers.Serializer):
    """A question was answered by `value`; of a condition or an action, `result` says what came out."""

    step = serializers.IntegerField(help_text="From 1.", style=in_tools(description=None))
    node = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    value = serializers.CharField(required=False, style=in_tools(description="The fact that was looked at."))
    result = serializers.CharField(
        required=False,
        style=in_tools(description="What came of it; of the last step, what is recommended."),
    )


class AnswerSerializer(serializers.Serializer):
    """An answer, a refusal, or a question back: `outcome` says which."""

    answer = serializers.CharField()
    citations = CitationSerializer(many=True)
    decisionPath = serializers.ListField(
        child=serializers.DictField(),
        help_text="Steps through a decision tree.",
        style=in_tools(description=None, items=TreeStepSerializer),
    )
    confidence = serializers.ChoiceField([level.value for level in Confidence])
    confidenceBasis = BasisSerializer(allow_null=True)
    pluginVersion = serializers.CharField()
    outcome = serializers.ChoiceField([Outcome.ANSWERED.value, Outcome.REFUSED.value, Outcome.CLARIFY.value])
    reason = serializers.CharField(
        allow_null=True,
        help_text="Of a refusal, a question back or a less sure answer: a code such as `weak_evidence`.",
        style=in_tools(description="Of a refusal or a question back: why, as a code."),
    )
    why = serializers.ListField(
        child=serializers.CharField(),
        help_text="Of a refusal, or of a question back: the same in sentences.",
        style=in_tools(description="Of a refusal, or of a question back: why, in sentences."),
    )
    about = SiblingSerializer(
        allow_null=True,
        help_text="Of a refusal: what the nearest passage gives this of, where that is certainly another of the kind "
        "that was asked about. There for a key that has `read` or `author` and may open the page.",
        style=in_tools(description="Of a refusal: what the nearest passage is about instead. Do not answer from it."),
    )
    nearest = NearestSerializer(many=True, style=in_tools(description="Of a refusal: what came nearest. Not evidence."))
    clarification = ClarificationSerializer(allow_null=True)
    queryId = serializers.UUIDField()
    release = serializers.CharField(
        help_text="What answered, pinned: `cover@1.2.0`.",
        style=in_tools(description="Which version answered, such as cover@1.2.0. It can be asked by this name."),
    )
    usage = AnswerUsageSerializer()


@extend_schema_serializer(component_name="ExpertAnswer")
class ExpertAnswerSerializer(AnswerSerializer):
    """What one of several plugins answers, in numbers of its own."""

    plugin = serializers.CharField()
    name = serializers.CharField()


@extend_schema_serializer(component_name="Answer")
class QueryAnswerSerializer(AnswerSerializer):
    """An answer, a refusal, or a question back: `outcome` says which. Of several plugins it is their answers together:
    `release` and `pluginVersion` name all of them, and the path of a tree stands with its plugin's own answer."""

    answers = ExpertAnswerSerializer(many=True, required=False, help_text="With `plugins`: what each of them answers.")
    failed = ExpertFailureSerializer(many=True, required=False)
    agreementLevel = serializers.FloatField(
        required=False, help_text="0 to 1, over all pairs of those who answered; 0 where one answered alone."
    )
    conflicts = ConflictSerializer(many=True, required=False)


class StatusEventSerializer(serializers.Serializer):
    """What is being done."""

    type = serializers.ChoiceField(["status"])
    status = serializers.ChoiceField([step.value for step in Step])
    message = serializers.CharField()


class DeltaEventSerializer(serializers.Serializer):
    """The next verified words of the answer. Put together, they are the answer."""

    type = serializers.ChoiceField(["delta"])
    text = serializers.CharField()


@extend_schema_serializer(component_name="DoneEvent")
class DoneEventSerializer(QueryAnswerSerializer):
    """The whole answer, at the end."""

    type = serializers.ChoiceField(["done"])


class ErrorEventSerializer(serializers.Serializer):
    """It failed after the stream had begun. Nothing follows."""

    type = serializers.ChoiceField(["error"])
    error = serializers.CharField()
    code = serializers.CharField()
    hint = serializers.CharField()


def event_schema(name: str, **more: type[serializers.Serializer]) -> PolymorphicProxySerializer:
    """One event of a stream, by its `type`; `more` are types of events besides those of every answer."""
    answer = {"status": StatusEventSerializer, "delta": DeltaEventSerializer, "done": DoneEventSerializer}
    return union_of_events(name, **answer, error=ErrorEventSerializer, **more)


def union_of_events(name: str, **by_type: type[serializers.Serializer]) -> PolymorphicProxySerializer:
    """Any one of these events, told apart by `type`."""
    return PolymorphicProxySerializer(component_name=name, serializers={**by_type}, resource_type_field_name="type")


class FeedbackSerializer(StrictSerializer):
    """What whoever asked thinks of the answer. The latest opinion counts."""

    verdict = StrictChoiceField(Feedback.Verdict.values)
    comment = StrictCharField(source="note", max_length=column_length(Feedback, "note"), allow_blank=True, default="")
    createdAt = serializers.DateTimeField(source="created_at", read_only=True)
