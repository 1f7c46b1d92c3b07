"""`/v1/responses`: questions as newer clients of OpenAI's protocol send them, and their stored responses."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from django.http import JsonResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.chat_completions.structured_output import shape_of
from api.chat_completions.views import OpenAIView, request_key
from api.query.questions import read_question
from api.responses import serializers
from api.responses.requests import read_response_request
from api.responses.response_json import ResponseFormat
from api.responses.stored_responses import delete_stored, get_stored
from api.responses.stream import complete_response, stream_response
from api.schema import examples
from lexic.database import release_connections
from querying import pipeline
from querying.presentation import sse
from querying.question.resume import resume_from_context
from querying.types.events import AnswerFailed, Failed


class ResponsesView(OpenAIView):
    @extend_schema(
        request=serializers.ResponseRequestSerializer,
        responses={
            (200, "application/json"): serializers.ResponseSerializer,
            (200, "text/event-stream"): serializers.ResponseEventSerializer,
        },
        examples=examples.RESPONSES_EXAMPLES,
    )
    def post(self, request: Request) -> HttpResponseBase:
        """The last message of the user is the question. With `previous_response_id` the conversation goes on from a
        stored response of the same key. Instructions, tools and what decides how a model samples have no effect:
        `lexic.ignored` names them. A refusal and a question back are ordinary text; `lexic.outcome` tells them apart.
        With `stream: true` it comes as server-sent events, up to `response.completed`. A `text.format` with a schema,
        and a function that has to be called, are filled as in a chat completion.
        """
        key = request_key(request)
        with release_connections():
            wanted = read_response_request(request.data, key=key)
            question = read_question(wanted.query, key=key, schema=shape_of(wanted.structure))
            if not wanted.query["followup"]:
                question = resume_from_context(question)
        response = ResponseFormat(question=question, request=wanted)
        if wanted.stream:
            return sse.event_stream_response(stream_response(response))
        last = async_to_sync(pipeline.answer)(question)
        if isinstance(last, Failed):
            raise AnswerFailed(last)
        return JsonResponse(complete_response(response, last.answer))


class ResponseView(OpenAIView):
    @extend_schema(responses=serializers.ResponseSerializer)
    def get(self, request: Request, response_id: str) -> Response:
        """A stored response of this key, as it was sent. It is kept as long as its question in the log of questions."""
        return Response(get_stored(response_id, key=request_key(request)).body)

    @extend_schema(responses=serializers.ResponseDeletedSerializer)
    def delete(self, request: Request, response_id: str) -> Response:
        """Delete a stored response: it can no longer be read or continued. The log of questions keeps its row."""
        delete_stored(response_id, key=request_key(request))
        return Response({"id": response_id, "object": "response", "deleted": True})
