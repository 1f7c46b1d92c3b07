"""A visitor's next question: read together with what was said before, counted, and written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from conversations.exchanges import Exchange, exchanges_of
from conversations.models import ChatMessage, ChatSession
from conversations.visitor import Visitor
from lexic.errors import Conflict, InvalidInput, NotFound
from plugins.models import Plugin, Release
from querying.answering.citation_styles import render_sentence
from querying.presentation.answer import to_stored_answer
from querying.presentation.question_run import QuestionRun
from querying.question import resolve
from querying.question.clarifications import SUBJECT_FIELD, TIME_FIELD, InvalidResumeToken
from querying.question.planning.query_plan import parse_time_zone
from querying.question.rate_limits import check_visitor_limit
from querying.types import Caller, CitationStyle, Options, Outcome, Question, Turn

# Of what was said before, so much goes along with a question.
MAX_CONTEXT_EXCHANGES, MAX_TURN_CHARACTERS = 6, 1000
# Of one conversation, and of its title.
MAX_QUESTIONS, MAX_TITLE_CHARACTERS = 100, 100


class NoSuchChat(NotFound):
    """There is no public chat with a plugin of this name."""

    code = "unknown_chat"
    hint = "Its author can open one, or has closed it."


class NoSuchConversation(NotFound):
    """There is no such conversation, or it is not yours."""

    code = "unknown_conversation"
    hint = "It may have been forgotten; your question is kept in the box. Begin a new conversation with it."


class ConversationFull(Conflict):
    """This conversation is as long as one can get."""

    code = "conversation_full"
    hint = "Your question is kept in the box. Begin a new conversation with it."


class FollowupExpired(InvalidInput):
    """What was asked back here cannot be answered any more."""

    code = "invalid_followup"
    hint = "More than an hour has passed, or the plugin has a new release. Ask your question again."


@dataclass(frozen=True, kw_only=True)
class VisitorMessage:
    """What a visitor sent: a question, or `answer` to what was asked back, with its `token`."""

    question: str = ""
    token: str = ""
    answer: str = ""
    session: UUID | None = None
    timezone: str = "UTC"


@dataclass(frozen=True, kw_only=True)
class PendingQuestion:
    """A question that has been written down and may be answered now."""

    session: ChatSession
    question: Question
    said: ChatMessage
    begun_at: datetime = field(default_factory=timezone.now)


def public_chat_plugin(slug: str) -> Plugin:
    """The plugin with its owner and its listing. Raises `NoSuchChat`."""
    found = Plugin.objects.in_public_chat().select_related("owner", "listing")
    plugin = found.defer("listing__vector", "listing__search").filter(slug=slug).first()
    if plugin is None:
        raise NoSuchChat
    return plugin


def latest_release(plugin: Plugin) -> Release:
    """Raises `NoSuchChat` where there is none to ask."""
    release = plugin.releases.select_related("plugin").first()
    if release is None:
        raise NoSuchChat
    return release


def options_for_timezone(name: str) -> Options:
    """With the visitor's time zone; UTC where nobody knows a zone of this name."""
    return Options(timezone=name if parse_time_zone(name) else "UTC")


def begin_question(plugin: Plugin, said: VisitorMessage, *, visitor: Visitor, address: str) -> PendingQuestion:
    """Counts it against the limits of the address, and writes it down.

    Raises `NoSuchChat`, `NoSuchConversation`, `ConversationFull`, `FollowupExpired`, `VisitorRateLimited`.
    """
    session = _existing_session(plugin, said, visitor)
    before = exchanges_of(session) if session else []
    if len(before) >= MAX_QUESTIONS:
        raise ConversationFull
    session = session or _new_session(plugin, said, visitor)
    question, is_reply = _build_question(said, session, before, release=latest_release(plugin))
    check_visitor_limit(address, plugin=plugin)
    return _save_question(session, said, question, is_reply=is_reply)


def save_answer(begun: PendingQuestion, asked: QuestionRun) -> bool:
    """Keeps what came of it. False where the conversation was forgotten in the meantime."""
    kept = to_stored_answer(asked)
    message = ChatMessage(
        session=begun.session,
        role=ChatMessage.Role.ASSISTANT,
        content=asked.answer.text if asked.answer else kept["error"],
        answer=kept,
        seconds=round((timezone.now() - begun.begun_at).total_seconds(), 2),
        query_id=begun.question.id,
    )
    with transaction.atomic():
        still_there = ChatSession.objects.select_for_update().filter(pk=begun.session.pk).exists()
        if still_there:
            message.save()
    return still_there


def _existing_session(plugin: Plugin, said: VisitorMessage, visitor: Visitor) -> ChatSession | None:
    """The one that is gone on with; None begins one."""
    if said.session is None:
        return None
    found = ChatSession.objects.visible_to(visitor).of_plugin(plugin).filter(pk=said.session).first()
    if found is None:
        raise NoSuchConversation
    return found


def _new_session(plugin: Plugin, said: VisitorMessage, visitor: Visitor) -> ChatSession:
    """Not saved yet."""
    title = " ".join((said.question or said.answer).split())[:MAX_TITLE_CHARACTERS]
    mark = "" if visitor.user else visitor.mark
    return ChatSession(plugin=plugin, user=visitor.user, visitor=mark, title=title)


def _build_question(
    said: VisitorMessage, session: ChatSession, before: Sequence[Exchange], *, release: Release
) -> tuple[Question, bool]:
    """The question, and whether it answers what was asked back."""
    question = Question(
        text=said.question,
        release=release,
        # Always anybody: this is the public door, also for those who work on the plugin.
        caller=Caller(name=f"chat:{session.pk}", is_public_caller=True),
        options=options_for_timezone(said.timezone),
    )
    if said.token:
        return replace(
            _resume_from_token(question, said), context=conversation_context(_without_open_clarifications(before))
        ), True
    if before and before[-1].asks_back and (resumed_by := _resume_from_text(question, before)):
        return resumed_by, True
    return replace(question, context=conversation_context(before)), False


def _resume_from_token(question: Question, said: VisitorMessage) -> Question:
    try:
        return resolve.resume_from_token(replace(question, text=""), token=said.token, answer=said.answer)
    except InvalidResumeToken:
        raise FollowupExpired from None


def _resume_from_text(question: Question, before: Sequence[Exchange]) -> Question | None:
    """The question that was asked first, where a typed text answers what was asked back; None: it is a new one."""
    asking = before[-1].answer
    assert asking is not None
    field = asking.answer["clarification"]["field"]
    if field in (TIME_FIELD, SUBJECT_FIELD):
        resumed = resolve.resume_from_text(question, first=before[-1].said.asked, field=field)
        context = conversation_context(_without_open_clarifications(before))
        return replace(resumed, context=context) if resumed else None
    resumed = resolve.resume_from_context(replace(question, context=conversation_context(before)))
    return resumed if resumed.facts else None


def _without_open_clarifications(before: Sequence[Exchange]) -> Sequence[Exchange]:
    """Without the questions back at the end, which are about the question that is asked again."""
    kept = list(before)
    while kept and kept[-1].asks_back:
        kept.pop()
    return kept


def conversation_context(before: Sequence[Exchange]) -> tuple[Turn, ...]:
    """The latest exchanges as turns. What failed, was stopped, or is not public any more says nothing."""
    told = [one for one in before if one.answer and not one.is_withdrawn and one.outcome != Outcome.FAILED]
    return tuple(turn for one in told[-MAX_CONTEXT_EXCHANGES:] for turn in _exchange_turns(one))


def _exchange_turns(one: Exchange) -> tuple[Turn, Turn]:
    assert one.answer is not None
    answer = render_sentence(one.answer.content, style=CitationStyle.OFF)
    return (
        Turn(role="user", content=one.said.content[:MAX_TURN_CHARACTERS]),
        Turn(role="assistant", content=answer[:MAX_TURN_CHARACTERS]),
    )


@transaction.atomic
def _save_question(
    session: ChatSession, said: VisitorMessage, question: Question, *, is_reply: bool
) -> PendingQuestion:
    session.last_used_at = timezone.now()
    session.save()
    message = session.messages.create(
        role=ChatMessage.Role.USER,
        content=said.answer if said.token else said.question,
        asked=question.text,
        is_reply=is_reply,
        query_id=question.id,
    )
    return PendingQuestion(session=session, question=question, said=message)
