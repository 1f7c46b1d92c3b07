"""`POST /api/v1/review`: a text checked against what a plugin's documents say, as JSON or as a stream."""

from __future__ import annotations

from functools import partial
from typing import Any

from asgiref.sync import async_to_sync
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from accounts.models import ApiKey
from api.fields import validated
from api.query.answering_view import AnsweringView
from api.query.questions import check_askable, make_caller
from api.query.resumable_stream import LAST_EVENT, EventSource
from api.text_review.serializers import REVIEW_EVENT, ReviewRequestSerializer, TextReviewSerializer
from api.throttling import count_more
from collaboration.text_review.review_json import ReviewEncoder
from collaboration.text_review.review_types import Segment
from collaboration.text_review.segments import split_text
from collaboration.text_review.stream_review import batches_of, make_question, review_text, stream_review
from lexic.database import release_connections
from querying import releases
from querying.types.events import Failed
from querying.types.question import Question


class ReviewView(AnsweringView):
    def check_replay(self, request: Request) -> None:
        check_askable(request, field="plugin")

    @extend_schema(
        request=ReviewRequestSerializer,
        responses={(200, "application/json"): TextReviewSerializer, (200, "text/event-stream"): REVIEW_EVENT},
        parameters=[LAST_EVENT],
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Hold a text against what a plugin's documents say: what they bear out, what goes against them, and what they
        say nothing of, each with its place in the text and the source. Rules judge; no model is needed. For whoever
        works on the plugin its playbook, where it has one, is held against the text as well.

        Every ten segments count as one question. The log of questions has the title and not the text. With
        `stream: true`, or `Accept: text/event-stream`, it comes as server-sent events; the last one is `done`.
        """
        body = validated(ReviewRequestSerializer(data=request.data))
        assert isinstance(request.auth, ApiKey)
        asked = (body, request.auth, request)
        return self.stream_or_answer(
            request, body, make_source=partial(_events_of, *asked), answer=partial(_run_review, *asked)
        )


def _events_of(body: dict[str, Any], key: ApiKey, request: Request) -> EventSource[Any]:
    question, segments = _read_review(body, key, request)
    events = stream_review(question, segments)
    return EventSource(id=question.id, events=events, encode=_encoder(question, body).event)


def _run_review(body: dict[str, Any], key: ApiKey, request: Request) -> dict[str, Any] | Failed:
    question, segments = _read_review(body, key, request)
    last = async_to_sync(review_text)(question, segments)
    return last if isinstance(last, Failed) else _encoder(question, body).whole(last)


def _read_review(body: dict[str, Any], key: ApiKey, request: Request) -> tuple[Question, list[Segment]]:
    """What is asked, with every batch counted. Raises `UnknownPlugin`, `UnknownRelease`, `KeyLimitReached`."""
    with release_connections():
        release = releases.resolve(body["plugin"], principal=key)
        segments = split_text(body["document"])
        count_more(request, max(0, len(batches_of(segments)) - 1))
        question = make_question(body["title"], release=release, caller=make_caller(key))
    return question, segments


def _encoder(question: Question, body: dict[str, Any]) -> ReviewEncoder:
    return ReviewEncoder(question, text=body["document"], title=body["title"])
