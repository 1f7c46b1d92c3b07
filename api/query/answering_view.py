"""The base of views that answer a question of a key, as JSON or as a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from api.idempotency import IdempotentView
from api.parsers import StrictJSONParser
from api.permissions import MayQuery
from api.query.resumable_stream import EventSource, stream_response
from api.throttling import ApiKeyThrottle
from lexic.http.error_handlers import error_response
from querying.presentation import sse
from querying.types.events import AnswerFailed, Failed


class AnsweringView(IdempotentView):
    """`check_replay` also says whether a stream may be resumed."""

    parser_classes = [StrictJSONParser]
    renderer_classes = [JSONRenderer, sse.EventStreamRenderer]
    permission_classes = [IsAuthenticated, MayQuery]
    throttle_classes = [ApiKeyThrottle]

    def stream_or_answer(
        self,
        request: Request,
        body: dict[str, Any],
        *,
        make_source: Callable[[], EventSource[Any]],
        answer: Callable[[], dict[str, Any] | Failed],
    ) -> HttpResponseBase:
        """The events of `make_source` where the caller wants a stream, else the JSON that `answer` gives."""
        if sse.wants_stream(request, body):
            return stream_response(request, make_source, check_access=self.check_replay)
        last = answer()
        return error_response(AnswerFailed(last)) if isinstance(last, Failed) else Response(last)
