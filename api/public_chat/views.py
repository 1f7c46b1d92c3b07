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
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request

from accounts import visitors
from api.negotiation import IgnoreAcceptNegotiation
from api.parsers import StrictJSONParser
from api.query.serializers import MAX_QUESTION
from api.schema import examples
from api.views import PublicView
from conversations import notes_chat_format
from conversations.questions import (
    MAX_CONTEXT_EXCHANGES,
    MAX_TURN_CHARACTERS,
    latest_release,
    options_for_timezone,
    public_chat_plugin,
)
from lexic.database import release_connections
from lexic.errors import InvalidInput, LexicError
from plugins.models import Release
from querying.question import followups, stateless_followups
from querying.question.rate_limits import check_visitor_limit
from querying.types import Caller, Failed, Question, Turn

MAX_MESSAGES, MAX_MESSAGE_LENGTH = 200, 20_000
# Nobody knows who they are, so that they read what anybody may.
ANONYMOUS_CALLER = Caller(name="public", is_public_caller=True)


class NoQuestion(InvalidInput):
    """There is no question: `message` is empty, and `messages` has none of the user's."""

    code = "no_question"
    hint = "Send the question as `message`, or as the last of `messages`."


class AnswerFailed(LexicError):
    """The answer could not be made."""


class PublicMessageSerializer(serializers.Serializer):
    role = serializers.CharField(max_length=20, help_text="user or assistant; messages of others are left out.")
    content = serializers.CharField(max_length=MAX_MESSAGE_LENGTH, allow_blank=True, trim_whitespace=False)


@extend_schema_serializer(component_name="Original")
class PublicFollowupSerializer(serializers.Serializer):
    """What a question back came with, unchanged."""

    originalQuestion = serializers.CharField(max_length=2 * MAX_QUESTION)


@extend_schema_field(OpenApiTypes.STR)
class TimezoneField(serializers.JSONField):
    """Anything: what is no time zone is UTC."""


class PublicChatSerializer(serializers.Serializer):
    """`message`, or `messages` with the question last. With both, `message` is the question and `messages` came before
    it."""

    message = serializers.CharField(max_length=MAX_QUESTION, required=False, allow_blank=True, allow_null=True)
    messages = PublicMessageSerializer(  # type: ignore[call-arg]
        many=True, required=False, allow_null=True, max_length=MAX_MESSAGES
    )
    timezone = TimezoneField(
        required=False,
        allow_null=True,
        help_text="Where the asker's days begin, such as Europe/Oslo. UTC where it is left out, or none.",
    )
    followup = PublicFollowupSerializer(
        required=False, allow_null=True, help_text="With the answer to a question back as the message."
    )


class FollowupSerializer(serializers.Serializer):
    type = serializers.ChoiceField(["followup"])
    followupQuestion = serializers.CharField()
    originalQuestion = serializers.CharField(help_text="Send it back with the answer.")


class PublicChatView(PublicView):
    parser_classes = [StrictJSONParser]
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(
        request=PublicChatSerializer,
        responses={(200, "text/plain"): OpenApiTypes.STR, (200, "application/json"): FollowupSerializer},
        examples=examples.PUBLIC_CHAT_EXAMPLES,
    )
    def post(self, request: Request, plugin: str) -> HttpResponseBase:
        """Ask a plugin whose chat is open to anybody; no key is needed, and only public documents are read. The answer
        is plain text as it comes, with `[Source N]` behind what a source bears out and the sources below it. Where
        something is missing it is JSON, a question back instead: ask it, and send the answer as `message` together
        with `followup: {originalQuestion}`.
        """
        with release_connections():
            asked = public_chat_plugin(plugin)
            question = _read_public_question(request.data, latest_release(asked))
            check_visitor_limit(visitors.visitor_id(request._request), plugin=asked)
        opened = async_to_sync(notes_chat_format.open_answer_stream)(question)
        if opened.failure:
            raise _answer_error(opened.failure)
        followup = opened.followup
        answered = JsonResponse(followup) if followup else _text_response(opened)
        answered["X-Request-Id"] = str(question.id)
        return answered


def _read_public_question(data: Any, release: Release) -> Question:
    """Raises `ValidationError` and `NoQuestion`."""
    serializer = PublicChatSerializer(data=data)
    serializer.is_valid(raise_exception=True)
    body = serializer.validated_data
    text, turns = _split_messages(body.get("message") or "", body.get("messages") or [])
    zone = body.get("timezone")
    options = options_for_timezone(zone if isinstance(zone, str) else "")
    question = Question(text=text, release=release, caller=ANONYMOUS_CALLER, context=turns, options=options)
    original = (body.get("followup") or {}).get("originalQuestion")
    if not original:
        return followups.resolve_followup(question)
    composed = stateless_followups.resume_stateless(question, original=original)
    return replace(composed, context=_turns_before(composed.text, composed.context))


def _split_messages(message: str, messages: Sequence[Mapping[str, str]]) -> tuple[str, tuple[Turn, ...]]:
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
    turns = [Turn(role=role, content=content[:MAX_TURN_CHARACTERS]) for role, content in said if content]
    return question, tuple(turns[-2 * MAX_CONTEXT_EXCHANGES :])


def _turns_before(text: str, context: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns before the question was first asked: what followed is in the question now."""
    first = next(
        (at for at, one in enumerate(context) if one.role == "user" and text.startswith(one.content)), None
    )
    return tuple(context if first is None else context[:first])


def _answer_error(failed: Failed) -> AnswerFailed:
    error = AnswerFailed(failed.error, code=failed.code, hint=failed.hint)
    error.status = failed.status
    return error


def _text_response(opened: notes_chat_format.AnswerStream) -> StreamingHttpResponse:
    response = StreamingHttpResponse(
        notes_chat_format.stream_text(opened), content_type="text/plain; charset=utf-8"
    )
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"
    return response
