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
from querying import clarify, conversation
from querying.live import Asked
from querying.pace import check_visitor
from querying.plan.dates import time_of
from querying.plan.make import TIME
from querying.plan.types import zone
from querying.referents import SUBJECT
from querying.render import render_sentence
from querying.shown import as_kept
from querying.types import Asker, CitationStyle, Options, Outcome, Question, Turn

# Of what was said before, so much goes along with a question.
MOST_EXCHANGES, LONGEST_TURN = 6, 1000
# Of one conversation, and of its title.
MOST_QUESTIONS, LONGEST_TITLE = 100, 100
# A time that is typed where it was asked for, and not a question of its own that has one in it.
_LONGEST_TIME, _LONGEST_NAME = 6, 12


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


class AskedBackLongAgo(InvalidInput):
    """What was asked back here cannot be answered any more."""

    code = "invalid_followup"
    hint = "More than an hour has passed, or the plugin has a new release. Ask your question again."


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a visitor sent: a question, or `answer` to what was asked back, with its `token`."""

    question: str = ""
    token: str = ""
    answer: str = ""
    session: UUID | None = None
    timezone: str = "UTC"


@dataclass(frozen=True, kw_only=True)
class Begun:
    """A question that has been written down and may be answered now."""

    session: ChatSession
    question: Question
    said: ChatMessage
    begun_at: datetime = field(default_factory=timezone.now)


def plugin_open_to_anybody(slug: str) -> Plugin:
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


def options_in(name: str) -> Options:
    """With the visitor's time zone; UTC where nobody knows a zone of this name."""
    return Options(timezone=name if zone(name) else "UTC")


def begin(plugin: Plugin, said: Said, *, visitor: Visitor, address: str) -> Begun:
    """Counts it against the limits of the address, and writes it down.

    Raises `NoSuchChat`, `NoSuchConversation`, `ConversationFull`, `AskedBackLongAgo`, `AskedEnough`.
    """
    session = _session(plugin, said, visitor)
    before = exchanges_of(session) if session else []
    if len(before) >= MOST_QUESTIONS:
        raise ConversationFull
    session = session or _new_session(plugin, said, visitor)
    question, is_reply = _question(said, session, before, release=latest_release(plugin))
    check_visitor(address, plugin=plugin)
    return _written(session, said, question, is_reply=is_reply)


def conclude(begun: Begun, asked: Asked) -> bool:
    """Keeps what came of it. False where the conversation was forgotten in the meantime."""
    kept = as_kept(asked)
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


def _session(plugin: Plugin, said: Said, visitor: Visitor) -> ChatSession | None:
    """The one that is gone on with; None begins one."""
    if said.session is None:
        return None
    found = ChatSession.objects.visible_to(visitor).of_plugin(plugin).filter(pk=said.session).first()
    if found is None:
        raise NoSuchConversation
    return found


def _new_session(plugin: Plugin, said: Said, visitor: Visitor) -> ChatSession:
    """Not saved yet."""
    title = " ".join((said.question or said.answer).split())[:LONGEST_TITLE]
    mark = "" if visitor.user else visitor.mark
    return ChatSession(plugin=plugin, user=visitor.user, visitor=mark, title=title)


def _question(
    said: Said, session: ChatSession, before: Sequence[Exchange], *, release: Release
) -> tuple[Question, bool]:
    """The question, and whether it answers what was asked back."""
    question = Question(
        text=said.question,
        release=release,
        # Always anybody: this is the public door, also for those who work on the plugin.
        asker=Asker(name=f"chat:{session.pk}", is_anybody=True),
        options=options_in(said.timezone),
    )
    if said.token:
        return replace(_resumed(question, said), context=context_of(_settled(before))), True
    if before and before[-1].asks_back and (resumed_by := _typed(question, before)):
        return resumed_by, True
    return replace(question, context=context_of(before)), False


def _resumed(question: Question, said: Said) -> Question:
    try:
        return clarify.resume(replace(question, text=""), token=said.token, answer=said.answer)
    except clarify.InvalidFollowup:
        raise AskedBackLongAgo from None


def _typed(question: Question, before: Sequence[Exchange]) -> Question | None:
    """The question that was asked first, where a typed text answers what was asked back; None: it is a new one."""
    asking = before[-1].answer
    assert asking is not None
    if asking.answer["clarification"]["field"] == TIME:
        if not _is_time(question):
            return None
        first = replace(question, text=before[-1].said.asked, facts={TIME: question.text})
        return replace(first, context=context_of(_settled(before)))
    if asking.answer["clarification"]["field"] == SUBJECT:
        if not _is_name(question):
            return None
        first = replace(question, text=before[-1].said.asked, facts={SUBJECT: question.text})
        return replace(first, context=context_of(_settled(before)))
    taken = conversation.take_up(replace(question, context=context_of(before)))
    return taken if taken.facts else None


def _is_name(question: Question) -> bool:
    text = question.text.strip()
    return len(text.split()) <= _LONGEST_NAME and not text.endswith("?")


def _is_time(question: Question) -> bool:
    text = question.text.strip()
    is_short = len(text.split()) <= _LONGEST_TIME and not text.endswith("?")
    return is_short and time_of(text, today=timezone.localdate()) is not None


def _settled(before: Sequence[Exchange]) -> Sequence[Exchange]:
    """Without the questions back at the end, which are about the question that is asked again."""
    kept = list(before)
    while kept and kept[-1].asks_back:
        kept.pop()
    return kept


def context_of(before: Sequence[Exchange]) -> tuple[Turn, ...]:
    """The latest exchanges as turns. What failed, was stopped, or is not public any more says nothing."""
    told = [one for one in before if one.answer and not one.is_withdrawn and one.outcome != Outcome.FAILED]
    return tuple(turn for one in told[-MOST_EXCHANGES:] for turn in _turns(one))


def _turns(one: Exchange) -> tuple[Turn, Turn]:
    assert one.answer is not None
    answer = render_sentence(one.answer.content, style=CitationStyle.OFF)
    return (
        Turn(role="user", content=one.said.content[:LONGEST_TURN]),
        Turn(role="assistant", content=answer[:LONGEST_TURN]),
    )


@transaction.atomic
def _written(session: ChatSession, said: Said, question: Question, *, is_reply: bool) -> Begun:
    session.last_used_at = timezone.now()
    session.save()
    message = session.messages.create(
        role=ChatMessage.Role.USER,
        content=said.answer if said.token else said.question,
        asked=question.text,
        is_reply=is_reply,
        query_id=question.id,
    )
    return Begun(session=session, question=question, said=message)
