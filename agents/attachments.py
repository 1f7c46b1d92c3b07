"""Documents that come with a message: whether they have been read, and which ones the run may use."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from accounts.models import Principal
from agents.planners.planner_types import Attachment
from knowledge.models import Document, DocumentStatus
from lexic.errors import Conflict, NotFound


class UnknownAttachment(NotFound):
    """There is no such document among those that you may open."""

    code = "unknown_document"


class DocumentNotReady(Conflict):
    """A document that came with the message has not been read yet."""

    code = "document_not_ready"
    hint = "Send the message again in a moment."


class DocumentFailed(Conflict):
    """A document that came with the message could not be read."""

    code = "document_failed"
    hint = "Its page says why."


def readable_attachments(ids: Collection[UUID], *, principal: Principal, bases: Collection[int]) -> list[Attachment]:
    """The documents, which have been read, in the order of the ids. `bases` are the knowledge bases that the run reads.

    Raises `UnknownAttachment`, `DocumentNotReady`, `DocumentFailed`.
    """
    visible = Document.objects.present().visible_to(principal).filter(pk__in=ids, knowledge_base__in=bases)
    found = {document.pk: document for document in visible}
    for pk in ids:
        if pk not in found:
            raise UnknownAttachment
        if found[pk].status == DocumentStatus.FAILED:
            raise DocumentFailed
        if found[pk].status != DocumentStatus.READY:
            raise DocumentNotReady
    return [Attachment(document_id=pk, title=found[pk].title) for pk in ids]
