"""Files of Google Drive become documents, one after the other, as uploads do."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from django.db import transaction

from accounts.models import User
from connectors.drive_client import DriveClient
from connectors.drive_errors import DriveBusy, DriveNotConnected, DriveNotSetUp
from connectors.drive_files import DriveEntry
from connectors.models import DriveConnection, DriveFile
from knowledge import lease
from knowledge.documents.lifecycle import add_file, reingest_document, replace_file
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from lexic.database import release_connections
from lexic.errors import LexicError, NotFound

Outcome = Literal["created", "reading", "unchanged", "refused"]
MAX_FILES = 10  # at once
_ID_LENGTH_IN_NAMES = 8


@dataclass(frozen=True, kw_only=True)
class ImportResult:
    """What became of a file: its document, or why there is none."""

    file_id: str
    outcome: Outcome
    file_name: str = ""
    document: Document | None = None
    error: LexicError | None = None


class ImportClosed(NotFound):
    """You may no longer add documents there."""

    code = "import_access_ended"
    hint = "Files already imported are kept."


def import_files(connection: DriveConnection, *, base: KnowledgeBase, file_ids: Iterable[str]) -> list[ImportResult]:
    """Each file becomes a document of the base, or a new version of the one that it became before. One that cannot does
    not stop the others, unless Google accepts no more requests, or the person may not change the base any more."""
    return list(_results(connection, base, dict.fromkeys(file_ids)))


def _results(connection: DriveConnection, base: KnowledgeBase, file_ids: Iterable[str]) -> Iterator[ImportResult]:
    client = DriveClient(connection)
    stopped_by: LexicError | None = None
    for file_id in file_ids:
        if stopped_by:
            yield ImportResult(file_id=file_id, outcome="refused", error=stopped_by)
            continue
        result = _import_file(client, base, file_id, person=connection.user)
        if isinstance(result.error, DriveBusy | DriveNotConnected | DriveNotSetUp | ImportClosed):
            stopped_by = result.error
        yield result


def _import_file(client: DriveClient, base: KnowledgeBase, file_id: str, *, person: User) -> ImportResult:
    name = ""
    try:
        with release_connections():
            entry = client.entry(file_id)
        name = entry.file_name
        if refusal := entry.refusal():
            raise refusal
        with release_connections():
            content = client.download(entry)
        # A download takes a minute, and an import ten of them.
        if not KnowledgeBase.objects.editable_by(person).filter(pk=base.pk).exists():
            raise ImportClosed
        document, outcome = _store(base, entry, content)
    except LexicError as error:
        return ImportResult(file_id=file_id, outcome="refused", file_name=name, error=error)
    return ImportResult(file_id=file_id, outcome=outcome, file_name=name, document=document)


@transaction.atomic
def _store(base: KnowledgeBase, entry: DriveEntry, content: bytes) -> tuple[Document, Outcome]:
    """Raises what `add_file` and `replace_file` raise."""
    lease.lock_in_transaction(f"drive:{base.pk}")
    name = _free_name(base, entry)
    known = DriveFile.objects.find(base, file_id=entry.id)
    if known is None:
        added = add_file(knowledge_base=base, file_name=name, stream=io.BytesIO(content))
        DriveFile.objects.record(added.document, file_id=entry.id)
        if added.is_new:
            return added.document, "created"
        # By its bytes or its name it is one that was there: with other bytes it is to be read.
        return added.document, "unchanged" if added.document.status == DocumentStatus.READY else "reading"
    if known.sha256 != hashlib.sha256(content).hexdigest():
        return replace_file(known, file_name=name, stream=io.BytesIO(content)), "reading"
    return (reingest_document(known) if known.status == DocumentStatus.FAILED else known), "unchanged"


def _free_name(base: KnowledgeBase, entry: DriveEntry) -> str:
    """The file's name; with a part of its id where another file of Drive has the name. Two files are two documents, and
    an upload under a known name is a new version."""
    name = entry.file_name
    if not DriveFile.objects.is_name_taken(base, name=name, file_id=entry.id):
        return name
    path = PurePosixPath(name)
    return f"{path.stem} ({entry.id[:_ID_LENGTH_IN_NAMES]}){path.suffix}"
