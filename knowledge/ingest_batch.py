"""Reads small documents that are new to one knowledge base together: the model sees them sorted by length, and one
transaction publishes them as one revision.

All is prepared in memory. A process that dies leaves nothing behind but rows that say that they are being read, and
these are read again. Whatever is out of the ordinary is left to `knowledge.ingest`, which reads one document by itself.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any
from uuid import UUID

from django.db import OperationalError

from knowledge import ingest_scheduling, lease
from knowledge.documents.reading_limits import reading_limits
from knowledge.documents.source_file import SourceFile, source_file
from knowledge.embedders import get_embedder
from knowledge.embedders.base import Embedder, EmbedderError
from knowledge.ingest import (
    NoCitableText,
    is_retryable,
    is_transient,
    mark_failed,
    ready_columns,
    resolve_title,
)
from knowledge.models import Document, DocumentStatus
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.versions import embeddings, publish_version, staged_rows
from knowledge.versions.chunk_plan import ParsedSource, PlannedDocument, plan_chunks
from lexic.errors import LexicError

logger = logging.getLogger(__name__)

# What has more text is read by itself, in batches that are stored.
MAX_CHARACTERS = 200_000
# Nothing further is begun after so many seconds: what has been read is published.
MAX_SECONDS = 15.0


def ingest_together(document_ids: Sequence[UUID]) -> list[UUID]:
    """Read and publish documents of one knowledge base that are small and new to it. A failure is written on the
    document that it is of. Gives those that are still to be read, by `ingest`.

    Raises `OperationalError` where the database may be there again later.
    """
    with lease.try_leases([lease.document_lease_name(pk) for pk in document_ids]) as held:
        ours = [pk for pk in document_ids if lease.document_lease_name(pk) in held]
        rows = Document.objects.unfinished().new().filter(pk__in=ours).select_related("knowledge_base__plugin")
        by_id = {row.pk: row for row in rows}
        documents = [by_id[pk] for pk in ours if pk in by_id]
        try:
            if documents:
                _read_and_publish(documents)
        except LexicError as error:
            logger.info("%s documents are read one by one: %s", len(documents), error.code)
        except Exception as error:  # a hostile document must not end the worker
            if isinstance(error, OperationalError) and is_transient(error):
                raise
            logger.exception("%s documents could not be read together", len(documents))
        return list(Document.objects.unfinished().filter(pk__in=ours).values_list("pk", flat=True))


def ingest_small(document_ids: Sequence[UUID]) -> None:
    """Read together those of these documents of one knowledge base that wait for it and are small. The others are for
    the caller to read, and so are those that could not be read so: `ingest_until_done` takes all of them.

    Raises `OperationalError` where the database may be there again later.
    """
    small = ingest_scheduling.claim_small(document_ids)
    if len(small) > 1:
        ingest_together(small)


def _read_and_publish(documents: Sequence[Document]) -> None:
    """Raises what keeps all of them from being published."""
    base = documents[0].knowledge_base
    embedder = get_embedder(base.embedder)
    embeddings.ensure_dimensions(base, embedder.dimensions)
    planned = list(_planned(documents, embedder))
    if not planned:
        return
    read = [one.document.pk for one in planned]
    Document.objects.filter(pk__in=read, status=DocumentStatus.READING).update(status=DocumentStatus.EMBEDDING)
    known = embeddings.embedded_hashes(base, planned)
    keeps_states = embeddings.keeps_states(base.pk)
    vectors = embeddings.embed_texts(planned, embedder=embedder, keeps_states=keeps_states, embedded=known)
    publish_version.publish_new(planned, vectors=vectors, space=base.space, columns=_columns)


def _planned(documents: Sequence[Document], embedder: Embedder) -> Iterator[PlannedDocument]:
    """The documents that could be read, in memory. A failure is stored on the document."""
    begun = time.monotonic()
    for document in documents:
        if time.monotonic() - begun > MAX_SECONDS:
            return
        try:
            if planned := _read_and_plan(document, embedder):
                yield planned
        except (lease.LeaseLost, EmbedderError):
            raise
        except LexicError as error:
            if not is_retryable(error):
                lease.confirm_held()
                mark_failed(document, error)


def _read_and_plan(document: Document, embedder: Embedder) -> PlannedDocument | None:
    """None where it has more text than is read at once. Raises what reading raises, and `NoCitableText`."""
    with source_file(document) as source:
        reading = _read_file(source)
    if reading is None:
        return None
    title = resolve_title(document, reading, source_type=source.source_type)
    chunks = plan_chunks(document, reading, title=title, embedder=embedder)
    if not chunks:
        raise NoCitableText
    return PlannedDocument(document=document, title=title, reading=reading, chunks=chunks)


def _read_file(source: SourceFile) -> ParsedSource | None:
    events = read_pages(source.path, source_type=source.source_type, limits=reading_limits())
    with closing(events):
        return staged_rows.read_in_memory(events, max_characters=MAX_CHARACTERS)


def _columns(planned: PlannedDocument) -> dict[str, Any]:
    return ready_columns(planned.document, planned.reading, title=planned.title, chunk_count=len(planned.chunks))
