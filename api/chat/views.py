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
from api.chat import model_list, request_serializers, response_serializers, stream
from api.chat.completions import Completion
from api.negotiation import IgnoreAcceptNegotiation
from api.parsers import StrictJSONParser
from api.permissions import MayQuery
from api.query.views import read_question
from api.schema import examples
from api.throttling import ApiKeyThrottle
from lexic.database import release_connections
from lexic.errors import NotFound
from querying import pipeline
from querying.presentation import sse
from querying.question import followups
from querying.types import Failed, Question


class _ChatView(APIView):
    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = IgnoreAcceptNegotiation
    permission_classes = [IsAuthenticated, MayQuery]
    throttle_classes = [ApiKeyThrottle]


class ModelsView(_ChatView):
    @extend_schema(responses=response_serializers.ModelListSerializer)
    def get(self, request: Request) -> Response:
        """The plugins that this key may ask, as models."""
        return Response({"object": "list", "data": model_list.list_models(_request_key(request))})


class ModelView(_ChatView):
    @extend_schema(responses=response_serializers.ModelSerializer)
    def get(self, request: Request, name: str) -> Response:
        """A plugin by its slug or id, or one release of it: `slug@1.2.0`."""
        return Response(model_list.get_model(name, key=_request_key(request)))


class CompletionsView(_ChatView):
    @extend_schema(
        request=request_serializers.ChatSerializer,
        responses={
            (200, "application/json"): response_serializers.CompletionSerializer,
            (200, "text/event-stream"): response_serializers.ChunkSerializer,
        },
        examples=examples.CHAT_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponseBase:
        """The user's last message is the question, what was said before it the context. System messages and what
        decides how a model samples have no effect: `lexic.ignored` names them. A refusal and a question back are
        ordinary text; `lexic.outcome` tells them apart. With `stream: true` as server-sent events, up to `[DONE]`.
        """
        asked = request_serializers.read_chat_request(request.data)
        with release_connections():
            question = _read_chat_question(asked, key=_request_key(request))
        completion = Completion(question=question, ignored=asked.ignored)
        if asked.stream:
            answered: HttpResponseBase = sse.event_stream_response(
                stream.stream_completion(completion, include_usage=asked.include_usage)
            )
        else:
            answered = _complete(completion)
        answered["X-Request-Id"] = str(question.id)
        return answered


class UnknownEndpoint(NotFound):
    """There is nothing at this address."""

    hint = "Ask /v1/models or /v1/chat/completions; /api/v1/query can do more."


class UnknownEndpointView(APIView):
    """Whatever else clients of the protocol know: they read why it fails, with or without a key."""

    authentication_classes = []
    permission_classes = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise UnknownEndpoint


def _read_chat_question(asked: request_serializers.ChatRequest, *, key: ApiKey) -> Question:
    question = read_question(asked.query, key=key)
    return question if asked.query["followup"] else followups.resolve_followup(question)


def _complete(completion: Completion) -> JsonResponse:
    last = async_to_sync(pipeline.answer)(completion.question)
    if isinstance(last, Failed):
        raise stream.answer_error(last)
    return JsonResponse(completion.whole(last.answer))


def _request_key(request: Request) -> ApiKey:
    assert isinstance(request.auth, ApiKey)
    return request.auth
