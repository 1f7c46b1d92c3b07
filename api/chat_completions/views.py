"""`/v1/models` and `/v1/chat/completions`: plugins as models, and questions as chats."""

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
from api.chat_completions import model_list, serializers
from api.chat_completions.completions import Completion
from api.chat_completions.requests import read_chat_request
from api.chat_completions.stream import stream_completion
from api.chat_completions.structured_output import check_filled, shape_of, tool_of
from api.idempotency import IdempotentView
from api.negotiation import IgnoreAcceptNegotiation
from api.parsers import StrictJSONParser
from api.permissions import MayQuery
from api.query.questions import check_askable, read_question
from api.schema import examples
from api.throttling import ApiKeyThrottle
from lexic.database import release_connections
from lexic.errors import NotFound
from querying import pipeline
from querying.presentation import sse
from querying.question.resume import resume_from_context
from querying.types.events import AnswerFailed, Failed


class OpenAIView(IdempotentView):
    """Below /v1/: for keys alone, whatever the client says it accepts."""

    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = IgnoreAcceptNegotiation
    permission_classes = [IsAuthenticated, MayQuery]
    throttle_classes = [ApiKeyThrottle]

    def check_replay(self, request: Request) -> None:
        check_askable(request, field="model")


class ModelsView(OpenAIView):
    @extend_schema(responses=serializers.ModelListSerializer)
    def get(self, request: Request) -> Response:
        """The plugins that this key may ask, as models."""
        return Response({"object": "list", "data": model_list.list_models(request_key(request))})


class ModelView(OpenAIView):
    @extend_schema(responses=serializers.ModelSerializer)
    def get(self, request: Request, name: str) -> Response:
        """A plugin by its slug or id, or one release of it: `slug@1.2.0`."""
        return Response(model_list.get_model(name, key=request_key(request)))


class CompletionsView(OpenAIView):
    @extend_schema(
        request=serializers.ChatSerializer,
        responses={
            (200, "application/json"): serializers.CompletionSerializer,
            (200, "text/event-stream"): serializers.ChunkSerializer,
        },
        examples=examples.CHAT_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponseBase:
        """The user's last message is the question, what was said before it the context. System messages and what
        decides how a model samples have no effect: `lexic.ignored` names them. A refusal and a question back are
        ordinary text; `lexic.outcome` tells them apart. With `stream: true` as server-sent events, up to `[DONE]`.

        With a `json_schema`, or a function that has to be called, the schema is filled with values that stand in the
        documents, and `lexic.fields` has the citations of each. What nothing says is null, or left out; where the
        schema allows neither, the answer is 422 `fields_not_verified`.
        """
        chat = read_chat_request(request.data)
        with release_connections():
            question = read_question(chat.query, key=request_key(request), schema=shape_of(chat.structure))
            if not chat.query["followup"]:
                question = resume_from_context(question)
        completion = Completion(question=question, ignored=chat.ignored, tool=tool_of(chat.structure))
        if chat.stream:
            return sse.event_stream_response(stream_completion(completion, include_usage=chat.include_usage))
        last = async_to_sync(pipeline.answer)(question)
        if isinstance(last, Failed):
            raise AnswerFailed(last)
        check_filled(last.answer)
        return JsonResponse(completion.as_json(last.answer))


class UnknownEndpoint(NotFound):
    """There is nothing at this address."""

    hint = "Ask /v1/models, /v1/chat/completions or /v1/responses; /api/v1/query can do more."


class UnknownEndpointView(APIView):
    """The other addresses of the protocol: clients read why the call fails, with or without a key."""

    authentication_classes = []
    permission_classes = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise UnknownEndpoint


def request_key(request: Request) -> ApiKey:
    """The API key of a request that a view has authenticated."""
    assert isinstance(request.auth, ApiKey)
    return request.auth
