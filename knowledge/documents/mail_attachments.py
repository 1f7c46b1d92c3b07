"""The attachments of an e-mail, as documents of their own beside it."""

from __future__ import annotations

import base64
import io
import logging
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from knowledge.documents import file_store
from knowledge.documents.lifecycle import add_file
from knowledge.models import Document
from knowledge.readers.isolation.confined_call import confined_call
from lexic.errors import LexicError
from lexic.storage import StorageUnavailable

logger = logging.getLogger(__name__)

# The keys of metadata that name the e-mail of an attachment, the files that were once added, and what became of those
# that are no documents.
ATTACHED_TO, ADDED, NOT_READ = "attached to", "attachments", "attachments not read"
_READ_ATTACHMENTS = "knowledge.readers.mail.attachments:read_attachments"


def add_attachments(mail: Document, *, title: str) -> dict[str, Any]:
    """Add the attachments of an e-mail with this title to its knowledge base, and have them read. Those that are there
    stay as they are, and those that somebody removed stay away. Returns what the e-mail should say of itself: which of
    them were ever added, which were refused, and why. Raises `StorageUnavailable`: then it can be called again later.

    An e-mail that came with an e-mail is read, and what came with that one is not.
    """
    if ATTACHED_TO in mail.metadata:
        return {}
    once_added, refused = _once_added(mail), []
    added = list(once_added)
    with file_store.local_copy(mail.sha256) as path:
        for name, content in _contents(path):
            # Not by the subject: two e-mails of one conversation may each have a file of this name.
            file_name = f"{mail.sha256[:12]} {name}"
            if _was_removed(mail, file_name, once_added=once_added):
                continue
            try:
                _add_attachment(mail, content, file_name=file_name, title=title, name=name)
                added.append(file_name)
            except StorageUnavailable:
                raise
            except LexicError as error:
                refused.append(f"{name}: {error.message}")
    said = {ADDED: list(dict.fromkeys(added)), NOT_READ: " ".join(refused)}
    return {name: value for name, value in said.items() if value}


def _add_attachment(mail: Document, content: bytes, *, file_name: str, title: str, name: str) -> None:
    add_file(
        knowledge_base=mail.knowledge_base,
        file_name=file_name,
        title=f"{title}: {name}",
        stream=io.BytesIO(content),
        metadata={ATTACHED_TO: title},
    )


def _once_added(mail: Document) -> list[str]:
    said = mail.metadata.get("file", {}).get(ADDED)
    return [name for name in said if isinstance(name, str)] if isinstance(said, list) else []


def _was_removed(mail: Document, file_name: str, *, once_added: Collection[str]) -> bool:
    """Whether somebody removed this attachment since the e-mail came. What the e-mail says of it counts as well as the
    row: there is none of a document that never became ready, or that was removed long ago."""
    rows = Document.objects.filter(knowledge_base=mail.knowledge_base, file_name=file_name)
    if file_name in once_added:
        return not rows.present().exists()
    return rows.filter(removed_in__isnull=False, created_at__gte=mail.created_at).exists()


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
