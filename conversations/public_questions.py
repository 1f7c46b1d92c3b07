"""A visitor's next question: read together with what was said before, counted, and saved."""

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
from lexic.short_text import shorten
from plugins.models import Plugin, Release
from querying.answering.citation_styles import render_sentence
from querying.presentation.answer import to_stored_answer
from querying.presentation.question_run import QuestionRun
from querying.question import resume
from querying.question.clarifications import SUBJECT_FIELD, TIME_FIELD, InvalidResumeToken
from querying.question.planning.query_plan import parse_time_zone
from querying.question.user_limits import question_of_visitor
from querying.redaction.redact_question import redact_question
from querying.types.answer import Outcome
from querying.types.question import Caller, CitationStyle, Options, Question, Turn

# How much of what was said before goes along with a question.
MAX_CONTEXT_EXCHANGES, MAX_TURN_CHARACTERS = 6, 1000
# Of one conversation, and of its title.
MAX_QUESTIONS, MAX_TITLE_CHARACTERS = 100, 100


class UnknownChat(NotFound):
    """There is no public chat with a plugin of this name."""

    code = "unknown_chat"
    hint = "Its author may have closed it."


class UnknownPublicConversation(NotFound):
    """There is no such conversation, or it is not yours."""

    code = "unknown_conversation"
    hint = "It may have been deleted; your question is kept in the box. Begin a new conversation with it."


class PublicConversationFull(Conflict):
    """This conversation has reached its limit of questions."""

    code = "conversation_full"
    hint = "Your question is kept in the box. Begin a new conversation with it."


class FollowupExpired(InvalidInput):
    """This question back can no longer be answered."""

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "question", redact_question(self.question))
        object.__setattr__(self, "answer", redact_question(self.answer))


@dataclass(frozen=True, kw_only=True)
class PendingQuestion:
    """A question that has been saved and may be answered now."""

    session: ChatSession
    question: Question
    started_at: datetime = field(default_factory=timezone.now)


def public_chat_plugin(address: str) -> Plugin:
    """The plugin whose page has this address, with its owner and its listing. Raises `UnknownChat`."""
    plugins = Plugin.objects.in_public_chat().select_related("owner", "listing")
    plugin = plugins.defer("listing__vector", "listing__search").at_address(address).first()
    if plugin is None:
        raise UnknownChat
    return plugin


def latest_release(plugin: Plugin) -> Release:
    """The release that is asked. Raises `UnknownChat` where there is none."""
    release = plugin.releases.select_related("plugin").first()
    if release is None:
        raise UnknownChat
    return release


def options_for_timezone(name: str) -> Options:
    """Options with the visitor's time zone; UTC where there is no zone of this name."""
    return Options(timezone=name if parse_time_zone(name) else "UTC")


def begin_question(plugin: Plugin, message: VisitorMessage, *, visitor: Visitor, address: str) -> PendingQuestion:
    """Counts the question against the limits of the address, and saves it.

    Raises `UnknownChat`, `UnknownPublicConversation`, `PublicConversationFull`, `FollowupExpired`,
    `VisitorRateLimited`.
    """
    session = _find_or_make_session(plugin, message, visitor)
    exchanges = exchanges_of(session) if message.session else []
    if len(exchanges) >= MAX_QUESTIONS:
        raise PublicConversationFull
    question, is_reply = _build_question(message, session, exchanges, release=latest_release(plugin))
    return _save_question(session, message, question_of_visitor(question, address), is_reply=is_reply)


def save_answer(pending: PendingQuestion, run: QuestionRun) -> bool:
    """Saves the answer. False where the conversation was deleted in the meantime."""
    answer = to_stored_answer(run)
    message = ChatMessage(
        session=pending.session,
        role=ChatMessage.Role.ASSISTANT,
        content=run.answer.text if run.answer else answer["error"],
        metadata=answer,
        seconds=round((timezone.now() - pending.started_at).total_seconds(), 2),
        query_id=pending.question.id,
    )
    with transaction.atomic():
        still_exists = ChatSession.objects.select_for_update().filter(pk=pending.session.pk).exists()
        if still_exists:
            message.save()
    return still_exists


def title_from(text: str) -> str:
    """The title of a conversation that begins with this text: its beginning on one line, cut between words."""
    return shorten(" ".join(text.split()), MAX_TITLE_CHARACTERS)


def _find_or_make_session(plugin: Plugin, message: VisitorMessage, visitor: Visitor) -> ChatSession:
    """The visitor's conversation that the message names; without a name a new one, which is not saved yet."""
    if message.session is None:
        title = title_from(message.question or message.answer)
        secret_hash = "" if visitor.user else visitor.secret_hash
        return ChatSession(plugin=plugin, user=visitor.user, visitor=secret_hash, title=title)
    session = ChatSession.objects.of_visitor(visitor, plugin).filter(pk=message.session).first()
    if session is None:
        raise UnknownPublicConversation
    return session


def _build_question(
    message: VisitorMessage, session: ChatSession, exchanges: Sequence[Exchange], *, release: Release
) -> tuple[Question, bool]:
    """The question, and whether it answers what was asked back."""
    question = Question(
        text=message.question,
        release=release,
        # Here everybody is a visitor, also the people who work on the plugin: the chat is public.
        caller=Caller(name=f"chat:{session.pk}", is_public_caller=True),
        options=options_for_timezone(message.timezone),
    )
    if message.token:
        try:
            resumed = resume.resume_from_token(replace(question, text=""), token=message.token, answer=message.answer)
        except InvalidResumeToken:
            raise FollowupExpired from None
        return replace(resumed, context=_context_before_clarification(exchanges)), True
    if exchanges and exchanges[-1].asks_back and (resumed_by_text := resume_from_text(question, exchanges)):
        return resumed_by_text, True
    return replace(question, context=conversation_context(exchanges)), False


def resume_from_text(question: Question, exchanges: Sequence[Exchange]) -> Question | None:
    """The question that was asked first, with the text as the answer to what was asked back; None where the text is a
    new question."""
    last = exchanges[-1]
    assert last.answer is not None
    field = last.answer.metadata["clarification"]["field"]
    if field in (TIME_FIELD, SUBJECT_FIELD):
        resumed = resume.resume_from_text(question, first=last.question.asked, field=field)
        return replace(resumed, context=_context_before_clarification(exchanges)) if resumed else None
    resumed = resume.resume_from_turns(question, _as_turns(exchanges), limit=latest_turns)
    return resumed if resumed.facts else None


def conversation_context(exchanges: Sequence[Exchange]) -> tuple[Turn, ...]:
    """The latest exchanges as turns, without those that failed, were stopped, or are not public any more."""
    return latest_turns(_as_turns(exchanges))


def latest_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """As many of the turns as go along with a question, each cut to size."""
    latest = turns[-2 * MAX_CONTEXT_EXCHANGES :]
    return tuple(replace(turn, content=turn.content[:MAX_TURN_CHARACTERS]) for turn in latest)


def _as_turns(exchanges: Sequence[Exchange]) -> list[Turn]:
    turns: list[Turn] = []
    for exchange in exchanges:
        if exchange.answer and not exchange.is_withdrawn and exchange.outcome != Outcome.FAILED:
            answer = render_sentence(exchange.answer.content, style=CitationStyle.OFF)
            turns += [Turn(role="user", content=exchange.question.content), Turn(role="assistant", content=answer)]
    return turns


def _context_before_clarification(exchanges: Sequence[Exchange]) -> tuple[Turn, ...]:
    """Without the questions back at the end, which are about the question that is asked again."""
    earlier = list(exchanges)
    while earlier and earlier[-1].asks_back:
        earlier.pop()
    return conversation_context(earlier)


@transaction.atomic
def _save_question(
    session: ChatSession, message: VisitorMessage, question: Question, *, is_reply: bool
) -> PendingQuestion:
    _save_session(session, is_new=message.session is None)
    session.messages.create(
        role=ChatMessage.Role.USER,
        content=message.answer if message.token else message.question,
        asked=question.text,
        is_reply=is_reply,
        query_id=question.id,
    )
    return PendingQuestion(session=session, question=question)


def _save_session(session: ChatSession, *, is_new: bool) -> None:
    """Raises `UnknownPublicConversation` where it has been deleted in the meantime, so that it does not come back."""
    session.last_used_at = timezone.now()
    if is_new:
        session.save(force_insert=True)
    elif not ChatSession.objects.filter(pk=session.pk).update(last_used_at=session.last_used_at):
        raise UnknownPublicConversation
