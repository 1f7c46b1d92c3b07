"""`POST /api/v1/query`: a question to a plugin, answered as JSON or as server-sent events; and feedback on answers."""

from __future__ import annotations

from uuid import UUID

from asgiref.sync import async_to_sync
from django.db.models import Q
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, Principal
from api.fields import validated
from api.idempotency import IdempotentView
from api.parsers import StrictJSONParser
from api.permissions import MayAsk, MayQuery
from api.query import resumable_stream
from api.query.event_journal import EventJournal
from api.query.questions import check_askable, read_question
from api.query.serializers import AnswerSerializer, FeedbackSerializer, QuerySerializer, event_schema
from api.schema import examples
from api.throttling import ApiKeyThrottle
from api.views import PrincipalView, first_or_raise
from lexic.database import release_connections
from lexic.errors import Conflict, NotFound
from lexic.http.error_handlers import error_response
from plugins.models import Plugin
from querying import json_format, pipeline
from querying.models import Feedback, Query
from querying.presentation import sse
from querying.types import AnswerFailed, Failed, Question

_LAST_EVENT = OpenApiParameter(
    "Last-Event-ID", str, OpenApiParameter.HEADER, description="Of a stream: go on behind this event, for two minutes."
)


class UnknownQuery(NotFound):
    """There is no such query among those you asked."""

    code = "unknown_query"
    hint = "The id stands in the answer as `queryId`."


class PrivateAnswer(Conflict):
    """Nobody reads what you say about a private answer."""

    code = "private_answer"
    hint = "Ask the plugin outside of your conversations, and say it of that answer."


class QueryView(IdempotentView):
    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer, sse.EventStreamRenderer]
    permission_classes = [IsAuthenticated, MayQuery]
    throttle_classes = [ApiKeyThrottle]

    def check_replay(self, request: Request) -> None:
        check_askable(request, field="plugin")

    @extend_schema(
        request=QuerySerializer,
        responses={
            (200, "application/json"): AnswerSerializer,
            (200, "text/event-stream"): event_schema("AnswerEvent"),
        },
        examples=examples.QUERY_EXAMPLES,
        parameters=[_LAST_EVENT],
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Ask a plugin. The answer holds only what its documents support, each sentence with the span that says so;
        or it is a refusal that says why, or a question back when a fact is missing.

        With `stream: true`, or `Accept: text/event-stream`, it comes as server-sent events: `status` while it is
        looked for, `delta` with verified words, `done` with the whole answer. What is wrong before the first event
        is a plain JSON error. Each event has an `id`: the same request with it as `Last-Event-ID` goes on behind it.
        """
        body = validated(QuerySerializer(data=request.data))
        assert isinstance(request.auth, ApiKey)
        with release_connections():
            question = read_question(body, key=request.auth)
        if body["stream"] or request.accepted_renderer.format == "sse":
            return _stream_answer(question, request)
        last = async_to_sync(pipeline.answer)(question)
        if isinstance(last, Failed):
            return error_response(AnswerFailed(last))
        return Response(json_format.answer_as_json(last.answer, question=question))


def _stream_answer(question: Question, request: Request) -> HttpResponseBase:
    """The answer as events, or those behind the one that the request names. Raises `UnknownStreamEvent`."""
    assert isinstance(request.auth, ApiKey)
    if last := request.headers.get("Last-Event-ID"):
        question_id, after = resumable_stream.parse_event_id(last)
        journal = EventJournal.of(question_id, key=request.auth, body=request.data)
        if not journal.is_known():
            raise resumable_stream.UnknownStreamEvent
        return sse.event_stream_response(resumable_stream.stream_rest(journal, after=after))
    journal = EventJournal.of(question.id, key=request.auth, body=request.data)
    return sse.event_stream_response(resumable_stream.stream_question(question, journal=journal))


class FeedbackView(PrincipalView):
    permission_classes = [MayAsk]

    @extend_schema(request=FeedbackSerializer, responses=FeedbackSerializer)
    def post(self, request: Request, query: UUID) -> Response:
        """Say whether an answer was right, as the one who asked. What is called wrong waits in the author's inbox."""
        own_query = get_own_query(self.principal, query)
        if own_query.is_private:
            raise PrivateAnswer
        opinion = validated(FeedbackSerializer(data=request.data))
        feedback, _ = Feedback.objects.update_or_create(
            query=own_query, user=self.user, defaults={**opinion, "created_at": timezone.now()}
        )
        return Response(FeedbackSerializer(feedback).data)


def get_own_query(principal: Principal, pk: UUID) -> Query:
    """The query, if this principal asked it: with this key, in private or of a plugin it may still ask; or by this
    person.

    Raises `UnknownQuery`.
    """
    if isinstance(principal, ApiKey):
        askable = Q(is_private=True) | Q(plugin__in=Plugin.objects.visible_to(principal))
        own = Query.objects.filter(askable, api_key=principal)
    else:
        own = Query.objects.filter(user=principal)
    return first_or_raise(own.filter(pk=pk), UnknownQuery)
