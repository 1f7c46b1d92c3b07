"""`POST /api/sandbox/{plugin}`: a question to the draft, or to a release, by those who work on the plugin.

The events are those of `POST /api/v1/query`, and at the end one more, `details`: what only they are shown.
"""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, user_of
from api.authentication import get_principal
from api.fields import StrictBooleanField, StrictCharField
from api.plugins.lookup import get_plugin
from api.query.answer_serializers import AnswerSerializer, event_schema
from api.query.serializers import QuerySerializer, make_options
from api.query.views import make_caller, make_question
from api.releases.views import get_release
from api.views import AuthorView
from lexic.database import release_connections
from plugins.models import Plugin, Release
from querying import json_format, releases
from querying.models import Query
from querying.presentation import question_run, sse
from querying.question.rate_limits import check_user_limit
from querying.releases import DRAFT
from querying.types import Done, Failed, Question


class SandboxSerializer(QuerySerializer):
    """A question as at /api/v1/query; the plugin stands in the address."""

    plugin = None  # type: ignore[assignment]
    version = StrictCharField(max_length=32, default=DRAFT, help_text="draft, latest, or a version such as 1.2.0.")
    stream = StrictBooleanField(default=True)


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


@extend_schema_serializer(component_name="Tried")
class SandboxAnswerSerializer(AnswerSerializer):
    details = DetailsSerializer()


_SANDBOX_EVENT = event_schema("SandboxEvent", details=DetailsSerializer)


class SandboxView(AuthorView):
    renderer_classes = [JSONRenderer, sse.EventStreamRenderer]

    @extend_schema(
        request=SandboxSerializer,
        responses={(200, "application/json"): SandboxAnswerSerializer, (200, "text/event-stream"): _SANDBOX_EVENT},
    )
    def post(self, request: Request, plugin: str) -> HttpResponseBase:
        """Ask the draft, or a release, as somebody who works on the plugin. Server-sent events as at `/api/v1/query`,
        and at the end `details`; with `stream: false` the whole answer as JSON.
        """
        with release_connections():
            found = get_plugin(request, plugin, for_reading=True)
            said = SandboxSerializer(data=request.data)
            said.is_valid(raise_exception=True)
            question = _make_sandbox_question(request, found, said.validated_data)
            reader = user_of(get_principal(request))
            may_change = Plugin.objects.editable_by(get_principal(request)).filter(pk=found.pk).exists()

        def build_final_event(asked: question_run.QuestionRun) -> dict[str, Any]:
            return _details_json(asked, reader=reader, may_change=may_change)

        if said.validated_data["stream"] or request.accepted_renderer.format == "sse":
            return sse.event_stream_response(
                question_run.stream_with_final_event(question, build_final_event=build_final_event)
            )
        return _json_response(question_run.run_to_end(question), build_final_event=build_final_event)


def _make_sandbox_question(request: Request, plugin: Plugin, body: dict[str, Any]) -> Question:
    """Raises `UnknownRelease`, `InvalidFollowup`, `AskedTooOften`."""
    principal, options = get_principal(request), make_options(body.get("options"))
    release = _get_version(plugin, body["version"])
    question = make_question(body, options=options, release=release, caller=make_caller(principal))
    if isinstance(principal, User):  # the pace of keys has been looked at
        check_user_limit(principal)
    return question


def _get_version(plugin: Plugin, version: str) -> Release:
    return releases.snapshot(plugin) if version == DRAFT else get_release(plugin, version)


def _json_response(asked: question_run.QuestionRun, *, build_final_event: Any) -> Response:
    if isinstance(asked.last, Failed):
        error = asked.last
        return Response({"error": error.error, "code": error.code, "hint": error.hint}, status=error.status)
    assert isinstance(asked.last, Done)
    answer = json_format.answer_as_json(asked.last.answer, question=asked.question)
    return Response({**answer, "details": build_final_event(asked)})


def _details_json(asked: question_run.QuestionRun, *, reader: User, may_change: bool) -> dict[str, Any]:
    row = Query.objects.filter(pk=asked.question.id).only("timings", "latency_ms").first()
    may_read = question_run.may_read_prompt(asked, user=reader, may_change=may_change)
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
