"""Sends a person's message, for the site and the API: finds the conversation and the plugin, and begins a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Exists, OuterRef

from accounts.models import ApiKey, Capability, Principal, user_of
from agents.execution import background_runs
from agents.messages.begin_run import NewMessage, OtherProject, begin_run, check_may_begin, find_begun_run
from agents.messages.choose_release import choose_release
from agents.models import AgentRun
from conversations.conversation_access import UnknownConversation, find_conversation
from conversations.models import ChatMessage, ChatSession, Project
from conversations.projects.access import UnknownProject, find_project
from knowledge.documents.lifecycle import add_text
from knowledge.models import KnowledgeBase
from knowledge.personal_knowledge_base import personal_knowledge_base
from lexic.errors import NotAllowed

MAX_MESSAGE_CHARACTERS = 8000
# What a caller may call a language model; which one that is the site decides.
MODEL_NAMES = ("haiku", "sonnet")
MAX_ATTACHMENTS, MAX_ATTACHED_CHARACTERS = 5, 200_000
MIN_THINKING_TOKENS, MAX_THINKING_TOKENS, DEFAULT_THINKING_TOKENS = 1024, 32_000, 10_000


class MayNotAddDocuments(NotAllowed):
    """This key adds no documents, and a text that comes with a message becomes one."""

    code = "missing_capability"
    hint = "Use a key with the capability “author” and without a list of plugins, or attach a document by its id."


@dataclass(frozen=True, kw_only=True)
class SentText:
    """A text that comes with a message. It becomes a document of the project or of the person."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class SentMessage:
    """`plugin` is a slug, an id, or `slug@version`; None: that of the project, the one
    asked last, or the site's (`LEXIC_DESK`)."""

    text: str
    conversation: UUID | None = None
    project: UUID | None = None
    plugin: str | None = None
    documents: tuple[UUID, ...] = ()
    texts: tuple[SentText, ...] = ()
    model: str = ""
    thinks: bool = False
    thinking_tokens: int = 0
    request_key: str = ""


def send_message(sent: SentMessage, *, principal: Principal) -> AgentRun:
    """The run of this message, which works in the background from now on. The same `request_key` gives the same run.

    Raises `UnknownConversation`, `UnknownProject`, `NoPluginNamed`, `UnknownPlugin`, `UnknownRelease`,
    `MayNotAddDocuments`, `ProviderKeyMissing`, and what `begin_run` raises.
    """
    if begun := find_begun_run(principal, sent.request_key):
        return begun
    session = _conversation(principal, sent.conversation) if sent.conversation else None
    project = _project(sent, session, principal)
    release = choose_release(principal, plugin=sent.plugin or "", project=project, session=session)
    message = NewMessage(
        text=sent.text,
        release=release,
        session=session,
        project=project,
        documents=sent.documents,
        model=sent.model,
        thinks=sent.thinks,
        thinking_tokens=sent.thinking_tokens,
        request_key=sent.request_key,
    )
    check_may_begin(message, principal=principal)  # before the texts become documents
    if sent.texts:
        added = _add_texts(sent, project, principal)
        message = replace(message, documents=(*sent.documents, *added), unread=frozenset(added))
    try:
        run, is_new = begin_run(message, principal=principal)
    except Project.DoesNotExist:
        raise UnknownProject from None
    except ChatSession.DoesNotExist:
        raise UnknownConversation from None
    if is_new:
        background_runs.start(run)
    return run


def _conversation(principal: Principal, pk: UUID) -> ChatSession:
    """The conversation to continue. A key that opens nothing private continues only conversations in no project in
    which it has asked every question itself. Raises `UnknownConversation`."""
    if not isinstance(principal, ApiKey) or principal.opens_private_bases():
        return find_conversation(principal, pk)
    asked = ChatMessage.objects.filter(session=OuterRef("pk"), role=ChatMessage.Role.USER)
    own = ChatSession.objects.filter(Exists(asked), ~Exists(asked.exclude(run__api_key=principal)))
    found = own.filter(pk=pk, user=principal.owner, is_private=True, project=None).first()
    if found is None:
        raise UnknownConversation(hint="This key may continue only conversations in which it asked every question.")
    return found


def _project(sent: SentMessage, session: ChatSession | None, principal: Principal) -> Project | None:
    """The project of the conversation, or the one that it is to begin in; whoever has left it goes on no more."""
    if session is None:
        return find_project(principal, sent.project) if sent.project else None
    if sent.project and sent.project != session.project_id:
        raise OtherProject
    return find_project(principal, session.project_id) if session.project_id else None


def _add_texts(sent: SentMessage, project: Project | None, principal: Principal) -> tuple[UUID, ...]:
    """The ids of the documents that the texts become. They are read by a worker, and the run waits for them."""
    may_add = not isinstance(principal, ApiKey) or (
        principal.can(Capability.AUTHOR) and principal.opens_private_bases()
    )
    if not may_add:
        raise MayNotAddDocuments
    base = _base_for_texts(project, principal)
    added = (add_text(knowledge_base=base, title=one.name, text=one.text) for one in sent.texts)
    return tuple(dict.fromkeys(result.document.pk for result in added))


def _base_for_texts(project: Project | None, principal: Principal) -> KnowledgeBase:
    """The project's, where the person may change it, or their own."""
    if project and Project.objects.editable_by(principal).filter(pk=project.pk).exists():
        return project.knowledge_base
    return personal_knowledge_base(user_of(principal))
