"""`POST /api/chat`: a message to the agent, answered as events; and its runs: reading again, stopping, resuming."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, User
from agents.execution import background_runs
from agents.execution.follow_run import follow
from agents.journal.read_access import UnknownRun
from agents.messages.send_message import SentMessage, SentText, send_message
from agents.models import AgentRun
from api.fields import EmptySerializer, validated
from api.permissions import MayQuery
from api.query.questions import make_caller
from api.runs import serializers
from api.views import PrincipalView, first_or_raise
from lexic.database import release_connections
from lexic.errors import Conflict, InvalidInput
from querying.presentation import sse
from querying.question.user_limits import check_user_limit
from querying.types.question import Caller

_MAX_REQUEST_KEY = 200
_LAST_EVENT = OpenApiParameter("Last-Event-ID", int, OpenApiParameter.HEADER, description="Continue after this event.")
_REQUEST_KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="The same key gives the same run: for a second try."
)
_STREAM = {(200, "text/event-stream"): serializers.RunEventSerializer}


class InvalidHeader(InvalidInput):
    """A header of the request is not valid."""

    code = "invalid_header"


class RunHasEnded(Conflict):
    """This run has ended."""

    code = "run_ended"
    hint = "Send a new message in its conversation."


class MayChat(BasePermission):
    """Anybody who has signed in, and a key that may ask."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, ApiKey):
            return MayQuery().has_permission(request, view)
        return isinstance(request.user, User)


class ChatView(PrincipalView):
    keeps_responses = False  # the same key gives the same run, whose events are read again
    permission_classes = [MayChat]
    renderer_classes = [sse.EventStreamRenderer, JSONRenderer]

    @extend_schema(request=serializers.ChatSerializer, responses=_STREAM, parameters=[_REQUEST_KEY])
    def post(self, request: Request) -> HttpResponseBase:
        """Send a message to the agent, in a private conversation. It works in the background, also when you leave; the
        events are shown as they are written. What is wrong before the first event is a plain JSON error.

        A key needs `query`. Documents of your own and of a project are read besides the plugin's where the key may
        `read` as well, and is not limited to some plugins.
        """
        body = validated(serializers.ChatSerializer(data=request.data))
        request_key = request.headers.get("Idempotency-Key", "")
        if len(request_key) > _MAX_REQUEST_KEY:
            raise InvalidHeader(hint=f"An Idempotency-Key has at most {_MAX_REQUEST_KEY} characters.")
        with release_connections():
            if not isinstance(self.principal, ApiKey):
                check_user_limit(self.principal)
            run = send_message(_sent_message(body, request_key), principal=self.principal)
        return _event_stream(run.pk, caller=make_caller(self.principal))


class RunBaseView(PrincipalView):
    permission_classes = [MayChat]

    def get_run(self, pk: UUID) -> AgentRun:
        """Raises `UnknownRun`."""
        runs = AgentRun.objects.visible_to(self.principal).select_related("message")
        return first_or_raise(runs.filter(pk=pk), UnknownRun)


class RunView(RunBaseView):
    @extend_schema(responses=serializers.AgentRunSerializer)
    def get(self, request: Request, agent_run: UUID) -> Response:
        """How a run stands."""
        return Response(serializers.AgentRunSerializer(self.get_run(agent_run)).data)


class RunEventsView(RunBaseView):
    renderer_classes = [sse.EventStreamRenderer, JSONRenderer]

    @extend_schema(responses=_STREAM, parameters=[_LAST_EVENT])
    def get(self, request: Request, agent_run: UUID) -> HttpResponseBase:
        """Its events from the beginning, or behind `Last-Event-ID`, and those to come. What was read from documents
        that you may not read any more is left out."""
        last = request.headers.get("Last-Event-ID", "0")
        if not (last.isascii() and last.isdigit() and len(last) < 10):
            raise InvalidHeader(hint="Last-Event-ID is the number of an event.")
        with release_connections():
            run = self.get_run(agent_run)
        return _event_stream(run.pk, caller=make_caller(self.principal), after=int(last))


class CancelRunView(RunBaseView):
    @extend_schema(request=EmptySerializer, responses=serializers.AgentRunSerializer)
    def post(self, request: Request, agent_run: UUID) -> Response:
        """Stop it. It ends within two seconds, also while a tool works; what was written is kept."""
        EmptySerializer.check(request)
        run = self.get_run(agent_run)
        background_runs.stop(run)
        return Response(serializers.AgentRunSerializer(run).data)


class ResumeRunView(RunBaseView):
    @extend_schema(request=EmptySerializer, responses=serializers.AgentRunSerializer)
    def post(self, request: Request, agent_run: UUID) -> Response:
        """Go on with a run whose process died, behind its last finished call. One that lives goes on as it is."""
        EmptySerializer.check(request)
        run = self.get_run(agent_run)
        if run.has_ended:
            raise RunHasEnded
        if run.is_interrupted:
            background_runs.resume_if_abandoned(run.pk)
        return Response(serializers.AgentRunSerializer(self.get_run(agent_run)).data)


def _sent_message(body: dict[str, Any], request_key: str) -> SentMessage:
    attachments = body["attachments"]
    return SentMessage(
        text=body["message"],
        conversation=body.get("conversationId"),
        project=body.get("projectId"),
        plugin=body.get("plugin"),
        documents=tuple(dict.fromkeys(one["documentId"] for one in attachments if "documentId" in one)),
        texts=tuple(SentText(name=one["name"], text=one["text"]) for one in attachments if "text" in one),
        model=body["model"],
        thinks=body["thinkMode"],
        thinking_tokens=body["thinkingBudgetTokens"] if body["thinkMode"] else 0,
        request_key=request_key,
    )


def _event_stream(run_id: UUID, *, caller: Caller, after: int = 0) -> HttpResponseBase:
    return sse.event_stream_response(_journal_events(run_id, caller=caller, after=after))


async def _journal_events(run_id: UUID, *, caller: Caller, after: int) -> AsyncGenerator[bytes]:
    """The journal as server-sent events, with pings between them. Closing it leaves the run alone."""
    async with aclosing(sse.with_pings(follow(run_id, caller=caller, after=after))) as events:
        async for event in events:
            yield sse.PING if event is None else sse.encode_named(event.kind, event.data, number=event.number)
