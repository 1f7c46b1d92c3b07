"""`POST /api/v1/query`: a question to a plugin, answered as JSON or as server-sent events; and feedback on answers."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import transaction
from django.db.models import Q
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, Principal
from api.fields import validated
from api.permissions import MayAsk
from api.query import resumable_stream
from api.query.answering_view import AnsweringView
from api.query.experts import check_all_askable, read_experts
from api.query.questions import check_askable, make_options, read_question
from api.query.resumable_stream import LAST_EVENT, EventSource
from api.query.serializers import FeedbackSerializer, QueryAnswerSerializer, QuerySerializer, event_schema
from api.schema import examples
from api.throttling import count_more
from api.views import PrincipalView, first_or_raise
from collaboration import joined_answer
from collaboration.collaboration_types import Expert
from collaboration.joined_answer import answer_joined, joined_as_json, stream_joined
from lexic.database import release_connections
from lexic.errors import Conflict, NotFound
from plugins.models import Plugin
from querying import json_format, pipeline
from querying.models import Feedback, Query
from querying.types.events import Failed
from querying.types.question import Options


class UnknownQuery(NotFound):
    """There is no such query among those you asked."""

    code = "unknown_query"
    hint = "The id stands in the answer as `queryId`."


class PrivateAnswer(Conflict):
    """Nobody reads what you say about a private answer."""

    code = "private_answer"
    hint = "Ask the plugin outside of your conversations, and say it of that answer."


class QueryView(AnsweringView):
    def check_replay(self, request: Request) -> None:
        check_askable(request, field="plugin")
        check_all_askable(request, field="plugins")

    @extend_schema(
        request=QuerySerializer,
        responses={
            (200, "application/json"): QueryAnswerSerializer,
            (200, "text/event-stream"): event_schema("AnswerEvent"),
        },
        examples=examples.QUERY_EXAMPLES,
        parameters=[LAST_EVENT],
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Ask a plugin. The answer holds only what its documents support, each sentence with the span that says so;
        or it is a refusal that says why, or a question back when a fact is missing.

        With `stream: true`, or `Accept: text/event-stream`, it comes as server-sent events: `status` while it is
        looked for, `delta` with verified words, `done` with the whole answer. What is wrong before the first event
        is a plain JSON error. Each event has an `id`: the same request with it as `Last-Event-ID` goes on behind it.

        With `plugins`, each of them answers by itself and counts as one question; a key has to be allowed to ask all
        of them. Every citation says whose it is.
        """
        body = validated(QuerySerializer(data=request.data))
        assert isinstance(request.auth, ApiKey)
        asked = (body, request.auth, request)
        return self.stream_or_answer(
            request, body, make_source=partial(_events_of, *asked), answer=partial(_answer_query, *asked)
        )


def _events_of(body: dict[str, Any], key: ApiKey, request: Request) -> EventSource[Any]:
    with release_connections():
        if "plugins" not in body:
            return resumable_stream.events_of_question(read_question(body, key=key))
        experts, options = _read_experts(body, key, request)
    first = experts[0].question
    encode = partial(joined_answer.event_as_json, question=first)
    return EventSource(id=first.id, events=stream_joined(experts, options=options), encode=encode)


def _answer_query(body: dict[str, Any], key: ApiKey, request: Request) -> dict[str, Any] | Failed:
    if "plugins" in body:
        return _answer_together(body, key, request)
    with release_connections():
        question = read_question(body, key=key)
    last = async_to_sync(pipeline.answer)(question)
    return last if isinstance(last, Failed) else json_format.answer_as_json(last.answer, question=question)


def _answer_together(body: dict[str, Any], key: ApiKey, request: Request) -> dict[str, Any] | Failed:
    with release_connections():
        experts, options = _read_experts(body, key, request)
    last = async_to_sync(answer_joined)(experts, options=options)
    return last if isinstance(last, Failed) else joined_as_json(last)


def _read_experts(body: dict[str, Any], key: ApiKey, request: Request) -> tuple[list[Expert], Options]:
    """The plugins of the body, each with the question; each counts as one. Raises what `read_experts` raises, and
    `KeyLimitReached`."""
    experts = read_experts(body, body["plugins"], key=key, field="plugins")
    count_more(request, len(experts) - 1)
    return experts, make_options(body.get("options"))


class FeedbackView(PrincipalView):
    permission_classes = [MayAsk]

    def check_replay(self, request: Request) -> None:
        get_own_query(self.principal, self.kwargs["query"])

    @extend_schema(request=FeedbackSerializer, responses=FeedbackSerializer)
    def post(self, request: Request, query: UUID) -> Response:
        """Say whether an answer was right, as the one who asked. What is called wrong waits in the author's inbox."""
        own_query = get_own_query(self.principal, query)
        if own_query.is_private:
            raise PrivateAnswer
        opinion = validated(FeedbackSerializer(data=request.data))
        with transaction.atomic():
            if Query.objects.lock_kept(own_query.pk) is None:
                raise UnknownQuery
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
        askable = Q(is_private=True) | Q(plugin__in=Plugin.objects.askable_by(principal))
        own = Query.objects.filter(askable, api_key=principal)
    else:
        own = Query.objects.filter(user=principal)
    return first_or_raise(own.filter(pk=pk), UnknownQuery)
