"""The attachments of an e-mail, as documents of their own beside it."""

from __future__ import annotations

import base64
import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import transaction

from knowledge.documents import file_store
from knowledge.documents.lifecycle import add_file
from knowledge.models import Document
from knowledge.readers.isolation.confined_call import confined_call
from lexic.errors import LexicError

logger = logging.getLogger(__name__)

# The keys of metadata that name the e-mail of an attachment, and what became of those that are no documents.
ATTACHED_TO, NOT_READ = "attached to", "attachments not read"
_READ_ATTACHMENTS = "knowledge.readers.mail.attachments:read_attachments"


def add_attachments(mail: Document) -> None:
    """Add the attachments of an e-mail that has been read to its knowledge base, and have them read. Notes on the
    e-mail which of them were refused, and why.

    An e-mail that came with an e-mail is read, and what came with that one is not.
    """
    # The reading may have found its title.
    mail.refresh_from_db(fields=["title", "metadata"])
    if ATTACHED_TO in mail.metadata:
        return
    refused: list[str] = []
    with file_store.local_copy(mail.sha256) as path:
        for name, content in _contents(path):
            try:
                _add_attachment(mail, name, content)
            except LexicError as error:
                refused.append(f"{name}: {error.message}")
    if refused:
        _note_refused(mail, " ".join(refused))


@transaction.atomic
def _note_refused(mail: Document, reasons: str) -> None:
    # A person may have changed the metadata meanwhile: the row is read anew.
    rows = Document.objects.present().filter(pk=mail.pk)
    for row in rows.select_for_update(of=("self",)):
        said = {**row.metadata.get("file", {}), NOT_READ: reasons}
        rows.update(metadata={**row.metadata, "file": said})


def _add_attachment(mail: Document, name: str, content: bytes) -> None:
    add_file(
        knowledge_base=mail.knowledge_base,
        # Not by the subject: two e-mails of one conversation may each have a file of this name.
        file_name=f"{mail.sha256[:12]} {name}",
        title=f"{mail.title}: {name}",
        stream=io.BytesIO(content),
        metadata={ATTACHED_TO: mail.title},
    )


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
