"""`POST /api/public/{plugin}/chat`: anybody asks a plugin whose author opened its chat, in the words of the notes chat.

Text as it comes, or a question back as JSON: the caller keeps the original question and sends it along with the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from asgiref.sync import async_to_sync
from django.http import JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from accounts import visitors
from api.negotiation import WhateverIsAccepted
from api.parsers import StrictJSONParser
from api.query_body import MAX_QUESTION
from api.schema import examples
from api.views import OpenView
from conversations import wire
from conversations.asking import (
    LONGEST_TURN,
    MOST_EXCHANGES,
    latest_release,
    options_in,
    plugin_open_to_anybody,
)
from lexic.database import release_connections
from lexic.errors import InvalidInput, LexicError
from plugins.models import Release
from querying import composing, conversation
from querying.pace import check_visitor
from querying.types import Asker, Failed, Question, Turn

MOST_MESSAGES, LONGEST_MESSAGE = 200, 20_000
# Nobody knows who they are, so that they read what anybody may.
ANYBODY = Asker(name="public", is_anybody=True)


class NoQuestion(InvalidInput):
    """There is no question: `message` is empty, and `messages` has none of the user's."""

    code = "no_question"
    hint = "Send the question as `message`, or as the last of `messages`."


class AnswerFailed(LexicError):
    """The answer could not be made."""


class PublicMessageSerializer(serializers.Serializer):
    role = serializers.CharField(max_length=20, help_text="user or assistant; messages of others are left out.")
    content = serializers.CharField(max_length=LONGEST_MESSAGE, allow_blank=True, trim_whitespace=False)


class OriginalSerializer(serializers.Serializer):
    """What a question back came with, unchanged."""

    originalQuestion = serializers.CharField(max_length=2 * MAX_QUESTION)


@extend_schema_field(OpenApiTypes.STR)
class Timezone(serializers.JSONField):
    """Anything: what is no time zone is UTC."""


class PublicChatSerializer(serializers.Serializer):
    """`message`, or `messages` with the question last. With both, `message` is the question and `messages` came before
    it."""

    message = serializers.CharField(max_length=MAX_QUESTION, required=False, allow_blank=True, allow_null=True)
    messages = PublicMessageSerializer(  # type: ignore[call-arg]
        many=True, required=False, allow_null=True, max_length=MOST_MESSAGES
    )
    timezone = Timezone(
        required=False,
        allow_null=True,
        help_text="Where the asker's days begin, such as Europe/Oslo. UTC where it is left out, or none.",
    )
    followup = OriginalSerializer(
        required=False, allow_null=True, help_text="With the answer to a question back as the message."
    )


class FollowupSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["followup"])
    followupQuestion = serializers.CharField()
    originalQuestion = serializers.CharField(help_text="Send it back with the answer.")


class PublicChatView(OpenView):
    parser_classes = [StrictJSONParser]
    content_negotiation_class = WhateverIsAccepted

    @extend_schema(
        request=PublicChatSerializer,
        responses={(200, "text/plain"): OpenApiTypes.STR, (200, "application/json"): FollowupSerializer},
        examples=examples.CHATTING_PUBLICLY,
    )
    def post(self, request: Request, plugin: str) -> HttpResponseBase:
        """Ask a plugin whose chat is open to anybody; no key is needed, and only public documents are read. The answer
        is plain text as it comes, with `[Source N]` behind what a source bears out and the sources below it. Where
        something is missing it is JSON, a question back instead: ask it, and send the answer as `message` together
        with `followup: {originalQuestion}`.
        """
        with release_connections():
            asked = plugin_open_to_anybody(plugin)
            question = _question(request.data, latest_release(asked))
            check_visitor(visitors.name_of(request._request), plugin=asked)
        opened = async_to_sync(wire.opened)(question)
        if opened.failure:
            raise _error(opened.failure)
        followup = opened.followup
        answered = JsonResponse(followup) if followup else _streamed(opened)
        answered["X-Request-Id"] = str(question.id)
        return answered


def _question(data: Any, release: Release) -> Question:
    """Raises `ValidationError` and `NoQuestion`."""
    serializer = PublicChatSerializer(data=data)
    serializer.is_valid(raise_exception=True)
    body = serializer.validated_data
    text, turns = _read(body.get("message") or "", body.get("messages") or [])
    zone = body.get("timezone")
    options = options_in(zone if isinstance(zone, str) else "")
    question = Question(text=text, release=release, asker=ANYBODY, context=turns, options=options)
    original = (body.get("followup") or {}).get("originalQuestion")
    if not original:
        return conversation.take_up(question)
    composed = composing.compose(question, original=original)
    return replace(composed, context=_before(composed.text, composed.context))


def _read(message: str, messages: Sequence[Mapping[str, str]]) -> tuple[str, tuple[Turn, ...]]:
    """The question, and what was said before it: the latest, cut to size. Raises `NoQuestion`."""
    said = [(one["role"], one["content"].strip()) for one in messages if one["role"] in ("user", "assistant")]
    question = message.strip()
    last = max((at for at, (role, _) in enumerate(said) if role == "user"), default=None)
    if last is not None and (not question or said[last][1] == question):
        question, said = question or said[last][1], said[:last]
    if not question:
        raise NoQuestion
    if len(question) > MAX_QUESTION:
        raise NoQuestion(f"The question has more than {MAX_QUESTION} characters.", hint="Ask it in fewer words.")
    turns = [Turn(role=role, content=content[:LONGEST_TURN]) for role, content in said if content]
    return question, tuple(turns[-2 * MOST_EXCHANGES :])


def _before(text: str, context: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns before the question was first asked: what followed is in the question now."""
    first = next(
        (at for at, one in enumerate(context) if one.role == "user" and text.startswith(one.content)), None
    )
    return tuple(context if first is None else context[:first])


def _error(failed: Failed) -> AnswerFailed:
    error = AnswerFailed(failed.error, code=failed.code, hint=failed.hint)
    error.status = failed.status
    return error


def _streamed(opened: wire.Opened) -> StreamingHttpResponse:
    response = StreamingHttpResponse(wire.body(opened), content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"
    return response
