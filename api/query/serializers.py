"""What `POST /api/v1/query` accepts: the seed's body, and the keys that Lexic adds."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from rest_framework import serializers

from api.fields import MAX_FACT_COUNT, FactsField, FactValueField, StrictSerializer
from knowledge.search.filters import Filters
from querying.question.planning.query_plan import parse_time_zone
from querying.types import CitationStyle, Options, Turn

MAX_QUESTION = 4000
MAX_TURNS = 50
MAX_FACTS = MAX_FACT_COUNT


class TurnSerializer(serializers.Serializer):
    role = serializers.ChoiceField(["user", "assistant"])
    content = serializers.CharField(max_length=20_000, allow_blank=True, trim_whitespace=False)


class OptionsSerializer(StrictSerializer):
    """How the answer is given, and what it may be made from. A name that is not known is refused: an answer that was
    given otherwise than asked for would look like one that was not."""

    citationMode = serializers.ChoiceField(
        [style.value for style in CitationStyle],
        default="inline",
        help_text="inline keeps `[Source N]`, footnote lists the sources below the text, off takes them out.",
    )
    maxSources = serializers.IntegerField(
        min_value=1, max_value=50, allow_null=True, default=None, help_text="How many passages may be read."
    )
    includeDecisionPath = serializers.BooleanField(default=True)
    includeCitations = serializers.BooleanField(
        allow_null=True, default=None, help_text="With citationMode off: give `citations` all the same."
    )
    asOf = serializers.DateField(
        allow_null=True, default=None, help_text="Answer from what was in force on this day."
    )
    filters = serializers.DictField(
        child=serializers.JSONField(allow_null=True),
        allow_null=True,
        default=None,
        help_text="Which documents may be read, by their labels: docTypes, tagsAny, tagsAll, projects, dateFrom …; "
        "put together by `and`, `or` and `not`, each with a list of such conditions.",
    )
    timezone = serializers.CharField(
        max_length=64,
        default="UTC",
        help_text="Where the asker's days begin, such as Europe/Oslo: for “yesterday” and “this month”.",
    )

    def validate_timezone(self, value: str) -> str:
        if parse_time_zone(value) is None:
            raise serializers.ValidationError("There is no such time zone. A name looks like Europe/Oslo.")
        return value


class FollowupSerializer(serializers.Serializer):
    """The answer to a question back; the question itself need not be sent again."""

    token = serializers.CharField(max_length=20_000, help_text="Out of the clarification.")
    answer = FactValueField(help_text="A text, a number, true or false.")


class QuestionExtrasSerializer(serializers.Serializer):
    """What a question may carry besides its words, at every door."""

    options = OptionsSerializer(required=False, allow_null=True)
    facts = FactsField(
        min_name_length=0,  # whoever asks may know more than the plugin wants; what has no name is not used
        required=False,
        allow_null=True,
        help_text="What is known already, by name: a text, a number, true or false for each.",
    )
    followup = FollowupSerializer(required=False, allow_null=True)


class QuerySerializer(QuestionExtrasSerializer):
    """A question to a plugin."""

    plugin = serializers.CharField(
        max_length=120, help_text="Its slug or id; `slug@1.2.0` for one release, `slug@draft` for the draft."
    )
    query = serializers.CharField(
        max_length=MAX_QUESTION,
        required=False,
        allow_blank=True,
        default="",
        help_text="The question. May be left out with a `followup`.",
    )
    # `context` is also a name of the base class, which is its problem.
    context = TurnSerializer(many=True, required=False, allow_null=True, max_length=MAX_TURNS)  # type: ignore
    stream = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["query"] and not attrs.get("followup"):
            raise serializers.ValidationError({"query": "This field may not be blank."})
        return attrs


def make_options(fields: dict[str, Any] | None) -> Options:
    if not fields:
        return Options()
    return Options(
        citation_style=CitationStyle(fields["citationMode"]),
        max_sources=fields["maxSources"],
        include_decision_path=fields["includeDecisionPath"],
        include_citations=fields["includeCitations"],
        filters=_make_filters(fields["filters"], as_of=fields["asOf"]),
        timezone=fields["timezone"],
    )


def _make_filters(given: dict[str, Any] | None, *, as_of: date | None) -> Filters | None:
    filters = Filters.parse(given or {})
    if as_of:
        filters = replace(filters, as_of=as_of)
    return filters or None


def make_turns(turns: list[dict[str, str]] | None) -> tuple[Turn, ...]:
    return tuple(Turn(role=turn["role"], content=turn["content"]) for turn in turns or [])
