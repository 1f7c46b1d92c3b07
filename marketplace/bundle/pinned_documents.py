"""The documents of a release, as they were at the revisions that it pins."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Max, Q

from knowledge.models import Chunk, Consent, Document, KnowledgeBase, Page
from plugins.models import Release
from querying import releases


@dataclass(frozen=True, kw_only=True)
class PinnedDocument:
    """A document as the release reads it. `base` is the place of its knowledge base among those that are pinned.

    `sha256` names the bytes that the version was read from, `files` these and those of pages that an earlier version
    had already. `is_current` says that nothing newer has been read since.
    """

    document: Document
    base: int
    revision: int
    title: str
    source_type: str
    is_paged: bool
    sha256: str
    files: tuple[str, ...]
    vector_space: int  # in which its vectors were made at that revision
    is_current: bool
    first_chunk: int


def pinned_documents(release: Release) -> list[PinnedDocument]:
    """In the order in which their chunks came, which decides between passages that are equally good."""
    found = [
        one
        for place, base in enumerate(releases.pinned_bases(release))
        for one in _pinned_documents_of_base(base.knowledge_base_id, revision=base.revision, place=place)
    ]
    return sorted(found, key=lambda one: one.first_chunk)


def pinned_knowledge_bases(release: Release) -> list[KnowledgeBase | None]:
    """The bases that it pins, in order and with the embedder they had then; None for one that is gone, or that its
    owner has not granted for copies."""
    pinned = {pin["knowledge_base"]: pin["revision"] for pin in release.knowledge}
    copied = KnowledgeBase.objects.open_to(release.plugin, least=Consent.SHARED)
    rows = copied.select_related("plugin").prefetch_related("spaces").in_bulk(pinned)
    for pk, base in rows.items():
        space = base.space_at(pinned[pk])
        base.embedder, base.dimensions = space.embedder, space.dimensions
    return [rows.get(pk) for pk in pinned]


def _pinned_documents_of_base(base_id: int, *, revision: int, place: int) -> list[PinnedDocument]:
    first = {row["document_id"]: row for row in _first_chunks(base_id, revision)}
    files, changed = _page_files(base_id, revision), _changed_documents(base_id, revision)
    rows, base = Document.objects.in_bulk(first), KnowledgeBase.objects.filter(pk=base_id).first()
    at = {"place": place, "revision": revision, "space": base.space_at(revision).number if base else 0}
    return [_pinned_document(rows[pk], first[pk], files[pk], is_current=pk not in changed, **at) for pk in first]


def _first_chunks(base_id: int, revision: int) -> list[dict[str, Any]]:
    alive = Chunk.objects.alive_at(revision).filter(knowledge_base=base_id)
    firsts = alive.order_by("document_id", "pk").distinct("document_id")
    return list(firsts.values("document_id", "pk", "document_title", "source_type", "is_paged"))


def _page_files(base_id: int, revision: int) -> dict[UUID, list[str]]:
    """The hashes of what the pages of each document were read from, the newest last."""
    alive = Page.objects.alive_at(revision).filter(document__knowledge_base=base_id)
    rows = alive.order_by().values("document_id", "source_sha256").annotate(newest=Max("pk")).order_by("newest")
    files: dict[UUID, list[str]] = defaultdict(list)
    for row in rows:
        files[row["document_id"]].append(row["source_sha256"])
    return files


def _changed_documents(base_id: int, revision: int) -> set[UUID]:
    """The documents whose pages or chunks are others today."""
    since = Q(added_in__gt=revision) | Q(removed_in__gt=revision)
    pages = Page.objects.filter(since, document__knowledge_base=base_id).order_by()
    chunks = Chunk.objects.filter(since, knowledge_base=base_id).order_by()
    return {*pages.values_list("document_id", flat=True), *chunks.values_list("document_id", flat=True)}


def _pinned_document(
    document: Document,
    chunk: dict[str, Any],
    files: list[str],
    *,
    place: int,
    revision: int,
    space: int,
    is_current: bool,
) -> PinnedDocument:
    sha256 = document.ready_sha256 if is_current and document.ready_sha256 else files[-1]
    is_paged = chunk["is_paged"]
    return PinnedDocument(
        document=document,
        base=place,
        revision=revision,
        title=chunk["document_title"] or document.title,
        source_type=chunk["source_type"] or document.source_type,
        is_paged=document.page_count is not None if is_paged is None else is_paged,
        sha256=sha256,
        files=tuple(sorted({sha256, *files})),
        vector_space=space,
        is_current=is_current,
        first_chunk=chunk["pk"],
    )
