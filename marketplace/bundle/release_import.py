"""The file of a release, read back: what it says, checked, and put into a plugin.

A new plugin gets all of it. One that was made of an earlier release gets what has changed since: a document that says
what it said keeps its rows, one that says something else gets a new version.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.conf import settings
from django.utils import timezone

from knowledge import readers, task_queue
from knowledge.documents import file_store
from knowledge.documents.lifecycle import reingest_document
from knowledge.documents.prepared_import import PreparedDocument, import_prepared
from knowledge.embedders import get_embedder
from knowledge.models import Document, DocumentStatus, KnowledgeBase, KnowledgeGrant, SourceType
from knowledge.readers.formats import file_name_of
from knowledge.versions import publish_version
from lexic.errors import Conflict
from marketplace.bundle import document_content
from marketplace.bundle.archive import MAX_DOCUMENTS, BundleArchive, pages_file_name, vectors_file_name
from marketplace.bundle.columns import (
    RELEASE_COLUMNS,
    BadBundle,
    require_columns,
    validated_columns,
    validated_list,
)
from marketplace.bundle.manifest import (
    ParsedTree,
    create_golden_questions,
    create_trees,
    detect_source_type,
    parse_golden_questions,
    parse_knowledge_base,
    parse_plugin,
    parse_trees,
)
from plugins.models import Plugin

MAX_KNOWLEDGE_BASES = 50
_DOCUMENT_KEYS = {"base", "source_type", "is_paged", "sha256", "read", "vectors"}


class EmbedderMismatch(Conflict):
    """The release reads vectors of another embedder than this plugin."""

    code = "another_embedder"
    hint = "Create another copy of it instead."


@dataclass(frozen=True, kw_only=True)
class ClaimedOrigin:
    """What the file says it was made from."""

    name: str
    author: str
    version: str


@dataclass(frozen=True, kw_only=True)
class ParsedKnowledgeBase:
    """A knowledge base. `has_vectors` says that the vectors in the file are of an embedder that this site has too."""

    columns: dict[str, Any]
    dimensions: int
    has_vectors: bool


@dataclass(frozen=True, kw_only=True)
class ParsedDocument:
    """A document: its columns, its knowledge base by place, and the hashes of its bytes and of what was made of it."""

    columns: dict[str, Any]
    base: int
    is_paged: bool
    sha256: str
    read: str
    vectors: str

    @property
    def title(self) -> str:
        return str(self.columns["title"])


@dataclass(frozen=True, kw_only=True)
class ReleaseContent:
    made_from: ClaimedOrigin
    plugin: dict[str, Any]
    bases: list[ParsedKnowledgeBase]
    documents: list[ParsedDocument]
    trees: list[ParsedTree]
    golden: list[dict[str, Any]]


def parse_release_content(archive: BundleArchive, data: dict[str, Any]) -> ReleaseContent:
    """What the manifest says. Raises `BadBundle`."""
    bases = [
        _parse_release_base(one, n)
        for n, one in enumerate(validated_list(data["knowledge"], where="knowledge", most=MAX_KNOWLEDGE_BASES))
    ]
    content = ReleaseContent(
        made_from=_parse_origin(data["made_from"]),
        plugin=parse_plugin(data["plugin"], columns=RELEASE_COLUMNS),
        bases=bases,
        documents=_parse_release_documents(data["documents"], bases=len(bases)),
        trees=parse_trees(data["trees"]),
        golden=parse_golden_questions(data["golden_questions"]),
    )
    _check_members(archive, content)
    return content


def replace_plugin_content(plugin: Plugin, content: ReleaseContent, *, archive: BundleArchive, is_ours: bool) -> int:
    """Put trees, golden questions and knowledge of the file in the place of the plugin's own. Inside a transaction.

    Where this site has not made the file itself (`is_ours`), a worker reads every original again: until then the
    document is unverified, and what reads differently is replaced. Gives how many documents wait for a worker. Raises
    `BadBundle`, `EmbedderMismatch`, `UnderLegalHold`.
    """
    plugin.check_deletable()
    plugin.trees.all().delete()
    plugin.golden_questions.all().delete()
    create_trees(plugin, content.trees)
    create_golden_questions(plugin, content.golden)
    _store_files(content, archive)
    bases = _match_knowledge_bases(plugin, content)
    rows, gone = _match_documents(content.documents, bases)
    for one in gone:
        publish_version.remove_document(one)
    waiting = 0
    for number, (said, row) in enumerate(zip(content.documents, rows, strict=True)):
        document = _update_document(row, said, is_unverified=not is_ours)
        arrival = _document_ingest_output(number, said, content.bases[said.base], archive=archive)
        if not import_prepared(document, arrival):
            task_queue.enqueue_ingest(document.pk)
            waiting += 1
        elif not is_ours:
            document.refresh_from_db()
            reingest_document(document)
            waiting += 1
    for base in bases:
        task_queue.enqueue_index_check(base.pk)
    return waiting


# What it says


def _parse_origin(data: Any) -> ClaimedOrigin:
    if not isinstance(data, dict) or data.keys() != {"name", "author", "version"}:
        raise BadBundle("made_from of manifest.json is not what it should be.")
    longest = {"name": 120, "author": 300, "version": 32}
    if not all(isinstance(data[name], str) and len(data[name]) <= most for name, most in longest.items()):
        raise BadBundle("made_from of manifest.json is not what it should be.")
    return ClaimedOrigin(**data)


def _parse_release_base(data: Any, number: int) -> ParsedKnowledgeBase:
    where = f"knowledge[{number}]"
    if not isinstance(data, dict) or not document_content.is_natural_number(data.get("dimensions")):
        raise BadBundle(f"{where} of manifest.json has no dimensions.")
    said, dimensions = {name: value for name, value in data.items() if name != "dimensions"}, data["dimensions"]
    require_columns(said, "embedder", where=where)
    columns = parse_knowledge_base(said, where=where)
    here = get_embedder(columns["embedder"])
    return ParsedKnowledgeBase(
        columns=columns,
        dimensions=here.dimensions,
        has_vectors=columns["embedder"] == said["embedder"] and here.dimensions == dimensions,
    )


def _parse_release_documents(data: Any, *, bases: int) -> list[ParsedDocument]:
    rows = validated_list(data, where="documents", most=MAX_DOCUMENTS)
    found = [_parse_release_document(one, where=f"documents[{number}]", bases=bases) for number, one in enumerate(rows)]
    if len({(one.base, one.sha256) for one in found}) != len(found):
        raise BadBundle("Two documents of one knowledge base in it are the same.")
    return found


def _parse_release_document(data: Any, *, where: str, bases: int) -> ParsedDocument:
    if not isinstance(data, dict) or not data.keys() >= _DOCUMENT_KEYS:
        raise BadBundle(f"{where} of manifest.json lacks what tells how it was read.")
    columns = validated_columns(Document, {name: data[name] for name in data.keys() - _DOCUMENT_KEYS}, where=where)
    require_columns(columns, "title", where=where)
    base, source_type, is_paged = data["base"], data["source_type"], data["is_paged"]
    if not document_content.is_natural_number(base) or base >= bases or not isinstance(is_paged, bool):
        raise BadBundle(f"{where} of manifest.json is of no knowledge base in it, or not paged or unpaged.")
    # A file that a source has fetched has an address too.
    if source_type not in SourceType.values or (source_type == SourceType.URL and not columns.get("url")):
        raise BadBundle(f"{where} of manifest.json has no source type that fits.")
    hashes = {name: data[name] for name in ("sha256", "read", "vectors")}
    if not all(document_content.is_sha256(value) for value in hashes.values()):
        raise BadBundle(f"{where} of manifest.json has no hashes.")
    return ParsedDocument(columns={**columns, "source_type": source_type}, base=base, is_paged=is_paged, **hashes)


def _check_members(archive: BundleArchive, content: ReleaseContent) -> None:
    numbers = range(len(content.documents))
    if archive.ingest_files != {name(number) for number in numbers for name in (pages_file_name, vectors_file_name)}:
        raise BadBundle("It does not hold what was made of each of its documents.")
    if missing := {one.sha256 for one in content.documents} - archive.documents:
        raise BadBundle(f"It lacks the document {min(missing)[:12]}….")
    # Each once, however many documents are of it.
    heads = {sha256: archive.check_document(sha256)[: readers.DETECTION_BYTES] for sha256 in archive.documents}
    for one in content.documents:
        name = one.columns.get("file_name") or file_name_of(one.columns["source_type"])
        found = detect_source_type(heads[one.sha256], name=name, title=one.title)
        if one.columns["source_type"] != SourceType.URL and (found == SourceType.PDF) != (
            one.columns["source_type"] == SourceType.PDF
        ):
            raise BadBundle(f"“{one.title[:80]}” is not of the type it says.")
    for sha256 in archive.documents - {one.sha256 for one in content.documents}:
        detect_source_type(heads[sha256], name="", title=sha256[:12])


# What becomes of it


def _store_files(content: ReleaseContent, archive: BundleArchive) -> None:
    for sha256 in archive.documents:
        if file_store.touch_if_stored(sha256):
            continue
        with archive.open_document(sha256) as stream:
            file_store.store_file(stream, max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)


def _match_knowledge_bases(plugin: Plugin, content: ReleaseContent) -> list[KnowledgeBase]:
    """A base of the plugin's owner for each in the file, the plugin's own first. Those that are left are detached."""
    there = list(KnowledgeBase.objects.of_plugin(plugin).filter(owner=plugin.owner))
    bases = [
        _match_or_create_base(said, there[n] if n < len(there) else None, plugin=plugin)
        for n, said in enumerate(content.bases)
    ]
    for grant in plugin.knowledge_grants.open().filter(knowledge_base__in=there[len(bases) :]):
        grant.detach()
    return bases


def _match_or_create_base(said: ParsedKnowledgeBase, there: KnowledgeBase | None, *, plugin: Plugin) -> KnowledgeBase:
    if there is not None:
        if there.embedder != said.columns["embedder"] or there.dimensions != said.dimensions:
            raise EmbedderMismatch
        return there
    is_first = not KnowledgeBase.objects.filter(plugin=plugin).exists()
    count = KnowledgeBase.objects.of_plugin(plugin).count()
    base = KnowledgeBase.objects.create(
        owner=plugin.owner,
        plugin=plugin if is_first else None,
        name=(plugin.name if is_first else f"{plugin.name[:110]}, {count + 1}"),
        dimensions=said.dimensions,
        **said.columns,
    )
    if not is_first:
        KnowledgeGrant.objects.attach(base, plugin, by=plugin.owner)
    return base


def _match_documents(said: list[ParsedDocument], bases: list[KnowledgeBase]) -> tuple[list[Document], list[Document]]:
    """The row of each document in the file: one of the same bytes, else one of the same title, else a new one; and the
    rows that are left over. Bytes come first, so that no two rows ever have the same ones."""
    left = list(Document.objects.present().filter(knowledge_base__in=bases).order_by("created_at", "pk"))
    rows = [_take_match(left, base=bases[one.base].pk, sha256=one.sha256) for one in said]
    for number, one in enumerate(said):
        rows[number] = rows[number] or _take_match(left, base=bases[one.base].pk, title=one.title)
    return [row or Document(knowledge_base=bases[one.base]) for row, one in zip(rows, said, strict=True)], left


def _take_match(left: list[Document], *, base: int, **columns: str) -> Document | None:
    for document in left:
        fits = all(getattr(document, name) == value for name, value in columns.items())
        if fits and document.knowledge_base_id == base:
            left.remove(document)
            return document
    return None


def _update_document(document: Document, said: ParsedDocument, *, is_unverified: bool) -> Document:
    """With what is said of it, about to be read."""
    state = {"status": DocumentStatus.QUEUED, "queued_at": timezone.now()}
    columns = {"sha256": said.sha256, "is_unverified": is_unverified, **state}
    for name, value in {**said.columns, **columns}.items():
        setattr(document, name, value)
    document.save()
    return document


def _document_ingest_output(
    number: int, said: ParsedDocument, base: ParsedKnowledgeBase, *, archive: BundleArchive
) -> PreparedDocument:
    where = pages_file_name(number)
    lines = archive.ingest_file_lines(where, sha256=said.read)
    pages = document_content.parse_pages(lines, files=archive.documents, where=where)
    chunks = document_content.parse_chunks(lines, pages=pages, where=where)
    return PreparedDocument(
        pages=pages,
        chunks=chunks,
        is_paged=said.is_paged,
        vectors=_document_vectors(number, said, base, chunks=chunks, archive=archive) if base.has_vectors else None,
    )


def _document_vectors(
    number: int, said: ParsedDocument, base: ParsedKnowledgeBase, *, chunks: list[Any], archive: BundleArchive
) -> Iterator[np.ndarray]:
    pieces = archive.ingest_file_blocks(vectors_file_name(number), sha256=said.vectors)
    return document_content.parse_vectors(
        pieces, chunks=chunks, dimensions=base.dimensions, where=vectors_file_name(number)
    )
