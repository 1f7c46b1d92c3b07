"""The attachments of an e-mail, as documents of their own beside it."""

from __future__ import annotations

import base64
import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from knowledge.documents import file_store
from knowledge.documents.lifecycle import add_file
from knowledge.models import Document
from knowledge.readers.isolation.confined_call import confined_call
from lexic.errors import LexicError
from lexic.storage import StorageUnavailable

logger = logging.getLogger(__name__)

# The keys of metadata that name the e-mail of an attachment, and what became of those that are no documents.
ATTACHED_TO, NOT_READ = "attached to", "attachments not read"
_READ_ATTACHMENTS = "knowledge.readers.mail.attachments:read_attachments"


def add_attachments(mail: Document, *, title: str) -> dict[str, str]:
    """Add the attachments of an e-mail with this title to its knowledge base, and have them read. Those that are there
    stay as they are, and those that somebody removed stay away. Returns what the e-mail should say of itself: which of
    them were refused, and why. Raises `StorageUnavailable`: then it can be called again later.

    An e-mail that came with an e-mail is read, and what came with that one is not.
    """
    if ATTACHED_TO in mail.metadata:
        return {}
    refused: list[str] = []
    with file_store.local_copy(mail.sha256) as path:
        for name, content in _contents(path):
            try:
                _add_attachment(mail, name, content, title=title)
            except StorageUnavailable:
                raise
            except LexicError as error:
                refused.append(f"{name}: {error.message}")
    return {NOT_READ: " ".join(refused)} if refused else {}


def _add_attachment(mail: Document, name: str, content: bytes, *, title: str) -> None:
    # Not by the subject: two e-mails of one conversation may each have a file of this name.
    file_name = f"{mail.sha256[:12]} {name}"
    if _was_removed(mail, file_name):
        return
    add_file(
        knowledge_base=mail.knowledge_base,
        file_name=file_name,
        title=f"{title}: {name}",
        stream=io.BytesIO(content),
        metadata={ATTACHED_TO: title},
    )


def _was_removed(mail: Document, file_name: str) -> bool:
    """Whether somebody removed this attachment since the e-mail came."""
    removed = Document.objects.filter(knowledge_base=mail.knowledge_base, file_name=file_name)
    return removed.filter(removed_in__isnull=False, created_at__gte=mail.created_at).exists()


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each attachment, as far as the child could tell them."""
    values: Iterator[Any] = confined_call(_READ_ATTACHMENTS, path, arguments={})
    try:
        for value in values:
            name, content = value
            yield str(name), base64.b64decode(content, validate=True)
    except (LexicError, ValueError, TypeError):
        # The e-mail itself has been read: what cannot be said of its attachments is no failure of it.
        logger.warning("the attachments of an e-mail could not be read", exc_info=True)
