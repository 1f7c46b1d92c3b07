"""Documents that come with a message: whether they have been read, and which ones the run may use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Principal, may_read_documents
from agents.models import AgentRun
from knowledge.models import Document, DocumentStatus
from lexic.database import in_thread
from lexic.errors import Conflict, NotFound

_POLL_SECONDS, _MAX_WAIT_SECONDS = 0.5, 60.0


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """A document that came with the message."""

    document_id: UUID
    title: str


class UnknownAttachment(NotFound):
    """There is no such document among those that you may open."""

    code = "unknown_document"


class AttachmentNotReady(Conflict):
    """A document that came with the message has not been read yet."""

    code = "document_not_ready"
    hint = "Send the message again in a moment."


class DocumentFailed(Conflict):
    """A document that came with the message could not be read."""

    code = "document_failed"
    hint = "Open the document to see why it failed."


def readable_attachments(
    ids: Collection[UUID],
    *,
    principal: Principal,
    bases: Collection[int],
    unread: Collection[UUID] = (),
) -> list[Attachment]:
    """The documents in the order of the ids; all but the `unread` ones have been read. `bases` are the knowledge bases
    that the run reads. A key that may only ask attaches none: they are read as a whole.

    Raises `UnknownAttachment`, `AttachmentNotReady`, `DocumentFailed`.
    """
    visible = Document.objects.present().visible_to(principal).filter(pk__in=ids, knowledge_base__in=bases)
    found = {document.pk: document for document in visible} if may_read_documents(principal) else {}
    for pk in ids:
        if pk not in found:
            raise UnknownAttachment
        if found[pk].status == DocumentStatus.FAILED:
            raise DocumentFailed
        if found[pk].status != DocumentStatus.READY and pk not in unread:
            raise AttachmentNotReady
    return [Attachment(document_id=pk, title=found[pk].title) for pk in ids]


def all_are_read(run: AgentRun) -> bool:
    """Whether the documents that came with the run's message have been read. Raises `DocumentFailed`, and
    `UnknownAttachment` where one was deleted meanwhile."""
    ids = {one["documentId"] for one in run.message.attachments}
    states = list(Document.objects.present().filter(pk__in=ids).values_list("status", flat=True))
    if len(states) < len(ids):
        raise UnknownAttachment
    if DocumentStatus.FAILED in states:
        raise DocumentFailed
    return all(state == DocumentStatus.READY for state in states)


async def wait_until_read(run: AgentRun, *, is_cancelled: Callable[[], bool]) -> bool:
    """Waits for the worker to read what came with the message; whether there was anything to wait for. Raises what
    `all_are_read` raises, and `AttachmentNotReady` after a minute."""
    waited = 0.0
    while not is_cancelled() and not await in_thread(all_are_read, run):
        if waited >= _MAX_WAIT_SECONDS:
            raise AttachmentNotReady
        await asyncio.sleep(_POLL_SECONDS)
        waited += _POLL_SECONDS
    return waited > 0
