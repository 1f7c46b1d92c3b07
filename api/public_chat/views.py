"""`POST /api/public/{plugin}/chat`: anybody asks a plugin whose author opened its chat, as the notes chat does.

The answer is text as it comes. A question back is JSON: the caller keeps the original question and sends it along
with the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from asgiref.sync import async_to_sync
from django.http import JsonResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from accounts import visitors
from api.fields import validated
from api.negotiation import IgnoreAcceptNegotiation
from api.parsers import StrictJSONParser
from api.public_chat.serializers import FollowupSerializer, PublicChatSerializer
from api.schema import examples
from api.views import PublicView
from conversations import plain_text_stream
from conversations.public_questions import (
    MAX_TURN_CHARACTERS,
    latest_release,
    latest_turns,
    options_for_timezone,
    public_chat_plugin,
)
from lexic.database import release_connections
from lexic.errors import InvalidInput
from lexic.middleware.request_id import new_question_id
from plugins.models import Release
from querying.forms import MAX_QUESTION_CHARACTERS
from querying.presentation.sse import event_stream_response
from querying.question import clarification_replies, resume
from querying.question.user_limits import question_of_visitor
from querying.redaction.redact_question import redact_question
from querying.types.events import AnswerFailed
from querying.types.question import Caller, Question, Turn

# Callers are not identified, so they read what anybody may read.
ANONYMOUS_CALLER = Caller(name="public", is_public_caller=True)


class NoQuestion(InvalidInput):
    """There is no question: `message` is empty, and `messages` has none of the user's."""

    code = "no_question"
    hint = "Send the question as `message`, or as the last of `messages`."


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
        is plain text as it comes, with `[Source N]` behind what a source supports and the sources below it. Where
        something is missing it is JSON, a question back instead: ask it, and send the answer as `message` together
        with `followup: {originalQuestion}`.
        """
        with release_connections():
            found = public_chat_plugin(plugin)
            question = _read_public_question(request.data, latest_release(found))
            question = question_of_visitor(question, visitors.visitor_id(request._request))
        stream = async_to_sync(plain_text_stream.open_answer_stream)(question)
        if stream.failure:
            raise AnswerFailed(stream.failure)
        if stream.followup:
            return JsonResponse(stream.followup)
        return event_stream_response(stream, content_type="text/plain; charset=utf-8")


def _read_public_question(data: Any, release: Release) -> Question:
    """Raises `ValidationError` and `NoQuestion`."""
    body = validated(PublicChatSerializer(data=data))
    text, turns = _split_messages(body.get("message") or "", body.get("messages") or [])
    zone = body.get("timezone")
    options = options_for_timezone(zone if isinstance(zone, str) else "")
    question = Question(
        text=text,
        release=release,
        caller=ANONYMOUS_CALLER,
        options=options,
        id=new_question_id(),
    )
    original = (body.get("followup") or {}).get("originalQuestion")
    if not original:
        return resume.resume_from_turns(question, turns, limit=latest_turns)
    turns_before = _turns_before_question(original, replace(question, context=latest_turns(turns)))
    return resume.resume_from_original(replace(question, context=turns_before), original=original)


def _turns_before_question(original: str, question: Question) -> tuple[Turn, ...]:
    """The context up to where the original question was first asked: what came after that is in the original."""
    text, _ = clarification_replies.unpack_original(original, question.release)
    text = redact_question(text)
    for position, turn in enumerate(question.context):
        later = (one.content for one in question.context[position + 1 :] if one.role == "user")
        if turn.role == "user" and _begins_question(turn.content, text, replies=later):
            return question.context[:position]
    return question.context


def _begins_question(said: str, text: str, *, replies: Iterable[str]) -> bool:
    """Whether this turn is the question of this text, which ends with those replies that said a time."""
    if said == text[:MAX_TURN_CHARACTERS]:
        return True
    rest = text.removeprefix(said)
    has_begun = rest != text
    for reply in replies:
        rest = rest.removeprefix(f" {reply}")
    return has_begun and not rest


def _split_messages(message: str, messages: Sequence[Mapping[str, str]]) -> tuple[str, list[Turn]]:
    """The question, and the turns before it, none of them longer than a question. Raises `NoQuestion`."""
    turns = [(one["role"], one["content"].strip()) for one in messages if one["role"] in ("user", "assistant")]
    question = message.strip()
    last = max((position for position, (role, _) in enumerate(turns) if role == "user"), default=None)
    if last is not None and (not question or turns[last][1] == question):
        question, turns = question or turns[last][1], turns[:last]
    if not question:
        raise NoQuestion
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise NoQuestion(
            f"The question has more than {MAX_QUESTION_CHARACTERS} characters.", hint="Ask it in fewer words."
        )
    return question, [Turn(role=role, content=content[:MAX_QUESTION_CHARACTERS]) for role, content in turns if content]
