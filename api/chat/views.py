"""`/v1/models` and `/v1/chat/completions`: who asks, may they, is the body valid."""

from __future__ import annotations

from typing import Any

from asgiref.sync import async_to_sync
from django.http import JsonResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiKey
from api.chat import body, models, shapes, stream
from api.chat.answers import Completion
from api.negotiation import WhateverIsAccepted
from api.parsers import StrictJSONParser
from api.permissions import MayQuery
from api.query import read_question
from api.schema import examples
from api.throttling import KeyThrottle
from lexic.database import release_connections
from lexic.errors import NotFound
from querying import conversation, pipeline, sse
from querying.types import Failed, Question


class _ChatView(APIView):
    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = WhateverIsAccepted
    permission_classes = [IsAuthenticated, MayQuery]
    throttle_classes = [KeyThrottle]


class ModelsView(_ChatView):
    @extend_schema(responses=shapes.ModelListSerializer)
    def get(self, request: Request) -> Response:
        """The plugins that this key may ask, as models."""
        return Response({"object": "list", "data": models.askable_with(_key(request))})


class ModelView(_ChatView):
    @extend_schema(responses=shapes.ModelSerializer)
    def get(self, request: Request, name: str) -> Response:
        """A plugin by its slug or id, or one release of it: `slug@1.2.0`."""
        return Response(models.named(name, key=_key(request)))


class CompletionsView(_ChatView):
    @extend_schema(
        request=body.ChatSerializer,
        responses={
            (200, "application/json"): shapes.CompletionSerializer,
            (200, "text/event-stream"): shapes.ChunkSerializer,
        },
        examples=examples.CHATTING,
    )
    def post(self, request: Request) -> HttpResponseBase:
        """The user's last message is the question, what was said before it the context. System messages and what
        decides how a model samples have no effect: `lexic.ignored` names them. A refusal and a question back are
        ordinary text; `lexic.outcome` tells them apart. With `stream: true` as server-sent events, up to `[DONE]`.
        """
        asked = body.read(request.data)
        with release_connections():
            question = _question(asked, key=_key(request))
        completion = Completion(question=question, ignored=asked.ignored)
        if asked.stream:
            answered: HttpResponseBase = sse.response(stream.body(completion, include_usage=asked.include_usage))
        else:
            answered = _collected(completion)
        answered["X-Request-Id"] = str(question.id)
        return answered


class NoSuchAddress(NotFound):
    """There is nothing at this address."""

    hint = "Ask /v1/models or /v1/chat/completions; /api/v1/query can do more."


class NothingHereView(APIView):
    """Whatever else clients of the protocol know: they read why it fails, with or without a key."""

    authentication_classes = []
    permission_classes = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NoSuchAddress


def _question(asked: body.ChatRequest, *, key: ApiKey) -> Question:
    question = read_question(asked.query, key=key)
    return question if asked.query["followup"] else conversation.take_up(question)


def _collected(completion: Completion) -> JsonResponse:
    last = async_to_sync(pipeline.answer)(completion.question)
    if isinstance(last, Failed):
        raise stream.as_error(last)
    return JsonResponse(completion.whole(last.answer))


def _key(request: Request) -> ApiKey:
    assert isinstance(request.auth, ApiKey)
    return request.auth
