"""A message begins a run: checked, counted, saved, and locked against a second one, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts import quotas
from accounts.models import ApiKey, Principal, User, user_of
from agents.execution.load_assignment import layer_pins
from agents.message_attachments import Attachment, readable_attachments
from agents.models import AgentRun
from conversations.models import ChatMessage, ChatSession, Project
from conversations.public_questions import MAX_QUESTIONS, title_from
from lexic.errors import Conflict, InvalidInput
from plugins.models import Release
from querying.answering.llms import site_llm
from querying.llm_interface import LLM
from querying.redaction.redact_question import redact_question


class ConversationBusy(Conflict):
    """This conversation is still being answered."""

    code = "conversation_busy"
    hint = "Wait for the answer, or stop the run."

    def __init__(self, run: AgentRun) -> None:
        super().__init__()
        self.run_id = str(run.pk)

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "runId": self.run_id}


class ConversationFull(Conflict):
    """This conversation has reached its limit of messages."""

    code = "conversation_full"
    hint = "Begin a new conversation."


class OtherProject(InvalidInput):
    """This conversation is not in that project."""

    code = "other_project"
    hint = "Leave projectId out, or begin a new conversation."


@dataclass(frozen=True, kw_only=True)
class NewMessage:
    """What a person sends, with the release that is asked. Without a `session` a conversation begins, in the project if
    there is one. Of the `documents` that come with it, those in `unread` are being read; the run waits for them.
    `request_key` makes the same request twice one run."""

    text: str
    release: Release
    session: ChatSession | None = None
    project: Project | None = None
    documents: tuple[UUID, ...] = ()
    unread: frozenset[UUID] = frozenset()
    model: str = ""
    thinks: bool = False
    thinking_tokens: int = 0
    request_key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", redact_question(self.text))


def find_begun_run(principal: Principal, request_key: str) -> AgentRun | None:
    """The run that the same request has begun already."""
    if not request_key:
        return None
    return AgentRun.objects.filter(idempotency=_idempotency(principal, request_key)).first()


def begin_run(message: NewMessage, *, principal: Principal) -> tuple[AgentRun, bool]:
    """The run of this message, and whether it is new. This process holds it.

    Raises `ConversationBusy`, `ConversationFull`, `TooManyRuns`, `TooManyConversations`, `UnknownAttachment`,
    `AttachmentNotReady`, `DocumentFailed`, and `Project.DoesNotExist` or `ChatSession.DoesNotExist` where that was
    deleted meanwhile.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).only("pk").get(pk=user_of(principal).pk)  # counted one at a time
        if begun := find_begun_run(principal, message.request_key):  # the same request came twice at once
            return begun, False
        return _create_run(message, principal=principal), True


def check_may_begin(message: NewMessage, *, principal: Principal) -> None:
    """Raises what `begin_run` raises where the run of this message could not begin now; for what is done before.
    Raises `ProviderKeyMissing` where the language model that it asks for cannot be asked."""
    chosen_llm(message.model).check_key()
    session = message.session
    _check_is_free(session, user_of(principal))
    _read_attachments(message, layer_pins(principal, session.project if session else message.project), principal)


def chosen_llm(name: str) -> LLM:
    """The language model of this name. The site's default if it has no model of this name, or only quotes."""
    return site_llm(settings.AGENTS.models.get(name, ""))


def _check_is_free(session: ChatSession | None, user: User) -> None:
    quotas.RUNS.check("account", used=AgentRun.objects.running().filter(user=user).count())
    if session and (running := AgentRun.objects.running().filter(session=session).first()):
        raise ConversationBusy(running)
    if session and session.messages.filter(role=ChatMessage.Role.USER).count() >= MAX_QUESTIONS:
        raise ConversationFull


def _read_attachments(message: NewMessage, layers: list[dict[str, Any]], principal: Principal) -> list[Attachment]:
    bases = {pin["knowledge_base"] for pin in [*message.release.knowledge, *layers]}
    return readable_attachments(message.documents, principal=principal, bases=bases, unread=message.unread)


def _create_run(message: NewMessage, *, principal: Principal) -> AgentRun:
    user = user_of(principal)
    _check_is_free(message.session, user)
    session = _locked_session(message, user)
    layers = layer_pins(principal, session.project)
    knowledge = [*message.release.knowledge, *layers]
    attached = _read_attachments(message, layers, principal)
    asked = session.messages.create(
        role=ChatMessage.Role.USER,
        content=message.text,
        asked=message.text,
        query_id=uuid4(),
        metadata={"attachments": [{"documentId": str(one.document_id), "title": one.title} for one in attached]},
    )
    return AgentRun.objects.begin(
        session=session,
        message=asked,
        api_key=principal if isinstance(principal, ApiKey) else None,
        release=None if message.release.is_draft else message.release,
        release_name=str(message.release),
        knowledge=knowledge,
        layers=layers,
        model=chosen_llm(message.model).name,
        thinks=message.thinks,
        thinking_tokens=message.thinking_tokens,
        idempotency=_idempotency(principal, message.request_key) if message.request_key else "",
    )


def _locked_session(message: NewMessage, user: User) -> ChatSession:
    """The conversation, locked: no other run begins in it before the transaction ends."""
    if message.session is None:
        title = title_from(message.text)
        return ChatSession.objects.begin_private(user=user, project=message.project, title=title)
    rows = ChatSession.objects.select_for_update(no_key=True, of=("self",)).select_related("project")
    session = rows.get(pk=message.session.pk)
    if running := AgentRun.objects.running().filter(session=session).first():
        raise ConversationBusy(running)
    AgentRun.objects.filter(session=session).mark_answered()
    session.last_used_at = timezone.now()
    session.save(update_fields=["last_used_at"])
    return session


def _idempotency(principal: Principal, request_key: str) -> str:
    kind = "key" if isinstance(principal, ApiKey) else "user"
    return sha256(f"{kind}:{principal.pk}:{request_key}".encode()).hexdigest()
