"""`POST /api/v1/collaborate`: one question to several plugins that hear each other, as JSON or as a stream."""

from __future__ import annotations

from functools import partial
from typing import Any

from asgiref.sync import async_to_sync
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from accounts.models import ApiKey
from api.collaborate.serializers import COLLABORATION_EVENT, CollaborateSerializer, CollaborationSerializer
from api.fields import validated
from api.query.answering_view import AnsweringView
from api.query.experts import check_all_askable, read_experts
from api.query.resumable_stream import LAST_EVENT, EventSource
from api.throttling import count_more
from collaboration import collaboration_json
from collaboration.collaboration_types import Expert, Mode
from collaboration.deliberation import run_collaboration, stream_collaboration
from lexic.database import in_thread, release_connections
from querying.types.events import Failed


class CollaborateView(AnsweringView):
    def check_replay(self, request: Request) -> None:
        check_all_askable(request, field="experts")

    @extend_schema(
        request=CollaborateSerializer,
        responses={
            (200, "application/json"): CollaborationSerializer,
            (200, "text/event-stream"): COLLABORATION_EVENT,
        },
        parameters=[LAST_EVENT],
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Ask several plugins that hear each other. What each says is verified against its own documents; the consensus
        says where they agree, where figures or duties contradict each other, and whose each citation is.

        A key has to be allowed to ask all of them. Each question to one of them counts as one, in later rounds of those
        alone that have something new to regard; where the limits have no room, an expert stays with what it said. With
        `stream: true`, or `Accept: text/event-stream`, it comes as server-sent events; the last one is `done`.
        """
        body = validated(CollaborateSerializer(data=request.data))
        assert isinstance(request.auth, ApiKey)
        asked = (body, request.auth, request)
        return self.stream_or_answer(
            request, body, make_source=partial(_events_of, *asked), answer=partial(_collaboration_result, *asked)
        )


def _events_of(body: dict[str, Any], key: ApiKey, request: Request) -> EventSource[Any]:
    experts = _read_experts(body, key, request)
    events = stream_collaboration(experts, **_how(body, request))
    return EventSource(id=experts[0].question.id, events=events, encode=collaboration_json.event_as_json)


def _collaboration_result(body: dict[str, Any], key: ApiKey, request: Request) -> dict[str, Any] | Failed:
    experts = _read_experts(body, key, request)
    last = async_to_sync(run_collaboration)(experts, **_how(body, request))
    return last if isinstance(last, Failed) else collaboration_json.collaboration_as_json(last)


def _read_experts(body: dict[str, Any], key: ApiKey, request: Request) -> list[Expert]:
    """The experts that the body names; the questions of the first round are counted. Raises what `read_experts` raises,
    and `KeyLimitReached`."""
    with release_connections():
        experts = read_experts(body, body["experts"], key=key, field="experts")
        count_more(request, len(experts) - 1)
    return experts


def _how(body: dict[str, Any], request: Request) -> dict[str, Any]:
    async def count(amount: int) -> None:
        await in_thread(count_more, request, amount)

    return {"mode": Mode(body["mode"]), "max_rounds": body["maxRounds"], "count": count}
