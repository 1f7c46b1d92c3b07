"""`POST /api/v1/query`: who asks, may they, is the body valid. JSON or server-sent events, one pipeline."""

from __future__ import annotations

from typing import Any

from asgiref.sync import async_to_sync
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiKey, Principal
from api.parsers import StrictJSONParser
from api.permissions import MayQuery
from api.query.answer_serializers import ANSWER_EVENT, AnswerSerializer
from api.query.serializers import QuerySerializer, make_options, make_turns
from api.schema import examples
from api.throttling import ApiKeyThrottle
from lexic.database import release_connections
from plugins.models import Release
from querying import json_format, pipeline, releases
from querying.presentation import sse
from querying.question import clarifications
from querying.types import Caller, Failed, Options, Question


class QueryView(APIView):
    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer, sse.EventStreamRenderer]
    permission_classes = [IsAuthenticated, MayQuery]
    throttle_classes = [ApiKeyThrottle]

    @extend_schema(
        request=QuerySerializer,
        responses={(200, "application/json"): AnswerSerializer, (200, "text/event-stream"): ANSWER_EVENT},
        examples=examples.QUERY_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Ask a plugin. The answer holds only what its documents bear out, each sentence with the span that says so;
        or it is a refusal that says why, or a question back when a fact is missing.

        With `stream: true`, or `Accept: text/event-stream`, it comes as server-sent events: `status` while it is
        looked for, `delta` with verified words, `done` with the whole answer. What is wrong before the first event
        is a plain JSON error.
        """
        serializer = QuerySerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        body = serializer.validated_data
        assert isinstance(request.auth, ApiKey)
        with release_connections():
            question = read_question(body, key=request.auth)
        streams = body["stream"] or request.accepted_renderer.format == "sse"
        answered = (
            sse.event_stream_response(sse.stream_question(question)) if streams else _answer_response(question)
        )
        answered["X-Request-Id"] = str(question.id)
        return answered


def read_question(body: dict[str, Any], *, key: ApiKey) -> Question:
    """The valid body as a question to one release. Raises `UnknownPlugin`, `UnknownRelease`, `InvalidFollowup`."""
    # Before the plugin is looked up: what is wrong in itself comes first.
    options = make_options(body.get("options"))
    release = releases.resolve(body["plugin"], principal=key)
    return make_question(body, options=options, release=release, caller=make_caller(key))


def make_caller(principal: Principal) -> Caller:
    if isinstance(principal, ApiKey):
        return Caller(name=f"key:{principal.pk}", api_key_id=principal.pk, user_id=principal.owner_id)
    return Caller(name=f"user:{principal.pk}", user_id=principal.pk)


def make_question(body: dict[str, Any], *, options: Options, release: Release, caller: Caller) -> Question:
    """Raises `InvalidFollowup`."""
    question = Question(
        text=body["query"],
        release=release,
        caller=caller,
        context=make_turns(body.get("context")),
        facts=body.get("facts") or {},
        options=options,
    )
    if followup := body.get("followup"):
        return clarifications.resume_question(question, token=followup["token"], answer=followup["answer"])
    return question


def _answer_response(question: Question) -> Response:
    last = async_to_sync(pipeline.answer)(question)
    if isinstance(last, Failed):
        return Response({"error": last.error, "code": last.code, "hint": last.hint}, status=last.status)
    return Response(json_format.answer_as_json(last.answer, question=question))
