"""`POST /api/sandbox/{plugin}`: a question to the draft, or to a release, by those who work on the plugin.

The events are those of `POST /api/v1/query`, and at the end one more, `details`: what only they are shown.
"""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, person_of
from api.answer_body import AnswerSerializer, events
from api.authentication import principal_of
from api.fields import Flag, Text
from api.query import asker_of, make_question
from api.query_body import QuerySerializer, make_options
from api.releases import release_of
from api.scope import plugin_of
from api.views import AuthorView
from lexic.database import release_connections
from plugins.models import Plugin, Release
from querying import live, releases, sse, wire
from querying.models import Query
from querying.pace import check_pace
from querying.releases import DRAFT
from querying.types import Done, Failed, Question


class SandboxSerializer(QuerySerializer):
    """A question as at /api/v1/query; the plugin stands in the address."""

    plugin = None  # type: ignore[assignment]
    version = Text(max_length=32, default=DRAFT, help_text="draft, latest, or a version such as 1.2.0.")
    stream = Flag(default=True)


class PromptMessageSerializer(serializers.Serializer):
    role = serializers.CharField()
    content = serializers.CharField()


class DetailsSerializer(serializers.Serializer):
    """`timings`: milliseconds by step. `prompt`: what the language model was given; null when none was asked, and when
    it is withheld, because it holds what the caller may not read."""

    type = serializers.ChoiceField(["details"])
    queryId = serializers.UUIDField()
    release = serializers.CharField()
    model = serializers.CharField()
    latencyMs = serializers.IntegerField(allow_null=True)
    timings = serializers.DictField(child=serializers.IntegerField())
    prompt = PromptMessageSerializer(many=True, allow_null=True)
    promptWithheld = serializers.BooleanField()


class TriedSerializer(AnswerSerializer):
    details = DetailsSerializer()


_EVENTS = events("SandboxEvent", details=DetailsSerializer)


class SandboxView(AuthorView):
    renderer_classes = [JSONRenderer, sse.EventStreamRenderer]

    @extend_schema(
        request=SandboxSerializer,
        responses={(200, "application/json"): TriedSerializer, (200, "text/event-stream"): _EVENTS},
    )
    def post(self, request: Request, plugin: str) -> HttpResponseBase:
        """Ask the draft, or a release, as somebody who works on the plugin. Server-sent events as at `/api/v1/query`,
        and at the end `details`; with `stream: false` the whole answer as JSON.
        """
        with release_connections():
            found = plugin_of(request, plugin, to_look=True)
            said = SandboxSerializer(data=request.data)
            said.is_valid(raise_exception=True)
            question = _question(request, found, said.validated_data)
            reader = person_of(principal_of(request))
            may_change = Plugin.objects.editable_by(principal_of(request)).filter(pk=found.pk).exists()

        def conclude(asked: live.Asked) -> dict[str, Any]:
            return _details(asked, reader=reader, may_change=may_change)

        if said.validated_data["stream"] or request.accepted_renderer.format == "sse":
            return sse.response(live.body(question, conclude=conclude))
        return _whole(live.answered(question), conclude=conclude)


def _question(request: Request, plugin: Plugin, body: dict[str, Any]) -> Question:
    """Raises `UnknownRelease`, `InvalidFollowup`, `AskedTooOften`."""
    principal, options = principal_of(request), make_options(body.get("options"))
    release = _release(plugin, body["version"])
    question = make_question(body, options=options, release=release, asker=asker_of(principal))
    if isinstance(principal, User):  # the pace of keys has been looked at
        check_pace(principal)
    return question


def _release(plugin: Plugin, version: str) -> Release:
    return releases.snapshot(plugin) if version == DRAFT else release_of(plugin, version)


def _whole(asked: live.Asked, *, conclude: Any) -> Response:
    if isinstance(asked.last, Failed):
        error = asked.last
        return Response({"error": error.error, "code": error.code, "hint": error.hint}, status=error.status)
    assert isinstance(asked.last, Done)
    answer = wire.answer_as_json(asked.last.answer, question=asked.question)
    return Response({**answer, "details": conclude(asked)})


def _details(asked: live.Asked, *, reader: User, may_change: bool) -> dict[str, Any]:
    row = Query.objects.filter(pk=asked.question.id).only("timings", "latency_ms").first()
    may_read = live.may_read_prompt(asked, user=reader, may_change=may_change)
    prompt = asked.prompt.messages if asked.prompt and may_read else None
    shown = {
        "type": "details",
        "queryId": asked.question.id,
        "release": str(asked.question.release),
        "model": asked.llm.name,
        "latencyMs": row.latency_ms if row else None,
        "timings": row.timings if row else {},
        "prompt": prompt,
        "promptWithheld": asked.prompt is not None and not may_read,
    }
    return dict(DetailsSerializer(shown).data)
