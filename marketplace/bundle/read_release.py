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

from knowledge import files, readers, swap, tasks
from knowledge.arriving import Arrival, take_in
from knowledge.embedders import get_embedder
from knowledge.models import Document, DocumentStatus, KnowledgeBase, SourceType
from lexic.errors import Conflict
from marketplace.bundle import readings
from marketplace.bundle.archive import MOST_DOCUMENTS, Archive, read_name, vectors_name
from marketplace.bundle.columns import BadBundle, checked, listed, require
from marketplace.bundle.content import (
    SaidTree,
    add_golden,
    add_trees,
    base_of,
    golden_of,
    plugin_of,
    trees_of,
    type_of,
)
from plugins.models import Plugin

MOST_BASES = 50
# What tells the readers apart where a document has no name.
_ENDINGS = {
    SourceType.PDF: ".pdf",
    SourceType.MARKDOWN: ".md",
    SourceType.TEXT: ".txt",
    SourceType.HTML: ".html",
    SourceType.JSON: ".json",
    SourceType.DOCX: ".docx",
}
_OF_DOCUMENT = {"base", "source_type", "is_paged", "sha256", "read", "vectors"}


class AnotherEmbedder(Conflict):
    """The release reads vectors of another embedder than this plugin."""

    code = "another_embedder"
    hint = "Make another copy of it instead."


@dataclass(frozen=True, kw_only=True)
class MadeFrom:
    """What the file says it was made from."""

    name: str
    author: str
    version: str


@dataclass(frozen=True, kw_only=True)
class SaidBase:
    """A knowledge base. `has_vectors` says that the vectors in the file are of an embedder that this site has too."""

    columns: dict[str, Any]
    dimensions: int
    has_vectors: bool


@dataclass(frozen=True, kw_only=True)
class SaidDocument:
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
    made_from: MadeFrom
    plugin: dict[str, Any]
    bases: list[SaidBase]
    documents: list[SaidDocument]
    trees: list[SaidTree]
    golden: list[dict[str, Any]]


def content_of(archive: Archive, data: dict[str, Any]) -> ReleaseContent:
    """What the manifest says. Raises `BadBundle`."""
    bases = [_base(one, n) for n, one in enumerate(listed(data["knowledge"], where="knowledge", most=MOST_BASES))]
    content = ReleaseContent(
        made_from=_made_from(data["made_from"]),
        plugin=plugin_of(data["plugin"]),
        bases=bases,
        documents=_documents(data["documents"], bases=len(bases)),
        trees=trees_of(data["trees"]),
        golden=golden_of(data["golden_questions"]),
    )
    _check_members(archive, content)
    return content


def fill(plugin: Plugin, content: ReleaseContent, *, archive: Archive) -> int:
    """Put trees, golden questions and knowledge of the file in the place of the plugin's own. Inside a transaction.

    Gives how many documents wait for a worker. Raises `BadBundle`, `AnotherEmbedder`.
    """
    plugin.trees.all().delete()
    plugin.golden_questions.all().delete()
    add_trees(plugin, content.trees)
    add_golden(plugin, content.golden)
    _keep_files(content, archive)
    bases = _bases(plugin, content)
    rows, gone = _matched(content.documents, bases)
    for one in gone:
        swap.take_out(one)
    waiting = 0
    for number, (said, row) in enumerate(zip(content.documents, rows, strict=True)):
        document = _brought_up(row, said)
        arrival = _arrival(number, said, content.bases[said.base], archive=archive)
        if not take_in(document, arrival):
            tasks.enqueue(document.pk)
            waiting += 1
    for base in bases:
        tasks.review_index(base.pk)
    return waiting


# What it says


def _made_from(data: Any) -> MadeFrom:
    if not isinstance(data, dict) or data.keys() != {"name", "author", "version"}:
        raise BadBundle("made_from of manifest.json is not what it should be.")
    longest = {"name": 120, "author": 300, "version": 32}
    if not all(isinstance(data[name], str) and len(data[name]) <= most for name, most in longest.items()):
        raise BadBundle("made_from of manifest.json is not what it should be.")
    return MadeFrom(**data)


def _base(data: Any, number: int) -> SaidBase:
    where = f"knowledge[{number}]"
    if not isinstance(data, dict) or not readings.is_number(data.get("dimensions")):
        raise BadBundle(f"{where} of manifest.json has no dimensions.")
    said, dimensions = {name: value for name, value in data.items() if name != "dimensions"}, data["dimensions"]
    require(said, "embedder", where=where)
    columns = base_of(said, where=where)
    here = get_embedder(columns["embedder"])
    return SaidBase(
        columns=columns,
        dimensions=here.dimensions,
        has_vectors=columns["embedder"] == said["embedder"] and here.dimensions == dimensions,
    )


def _documents(data: Any, *, bases: int) -> list[SaidDocument]:
    rows = listed(data, where="documents", most=MOST_DOCUMENTS)
    found = [_said(one, where=f"documents[{number}]", bases=bases) for number, one in enumerate(rows)]
    if len({(one.base, one.sha256) for one in found}) != len(found):
        raise BadBundle("Two documents of one knowledge base in it are the same.")
    return found


def _said(data: Any, *, where: str, bases: int) -> SaidDocument:
    if not isinstance(data, dict) or not data.keys() >= _OF_DOCUMENT:
        raise BadBundle(f"{where} of manifest.json lacks what tells how it was read.")
    columns = checked(Document, {name: data[name] for name in data.keys() - _OF_DOCUMENT}, where=where)
    require(columns, "title", where=where)
    base, source_type, is_paged = data["base"], data["source_type"], data["is_paged"]
    if not readings.is_number(base) or base >= bases or not isinstance(is_paged, bool):
        raise BadBundle(f"{where} of manifest.json is of no knowledge base in it, or not paged or unpaged.")
    if source_type not in SourceType.values or (source_type == SourceType.URL) != bool(columns.get("url")):
        raise BadBundle(f"{where} of manifest.json has no source type that fits.")
    hashes = {name: data[name] for name in ("sha256", "read", "vectors")}
    if not all(readings.is_hash(value) for value in hashes.values()):
        raise BadBundle(f"{where} of manifest.json has no hashes.")
    return SaidDocument(columns={**columns, "source_type": source_type}, base=base, is_paged=is_paged, **hashes)


def _check_members(archive: Archive, content: ReleaseContent) -> None:
    numbers = range(len(content.documents))
    if archive.made != {name(number) for number in numbers for name in (read_name, vectors_name)}:
        raise BadBundle("It does not hold what was made of each of its documents.")
    if missing := {one.sha256 for one in content.documents} - archive.documents:
        raise BadBundle(f"It lacks the document {min(missing)[:12]}….")
    # Each once, however many documents are of it.
    heads = {sha256: archive.check_document(sha256)[: readers.HEAD_BYTES] for sha256 in archive.documents}
    for one in content.documents:
        name = one.columns.get("file_name") or f"document{_ENDINGS.get(one.columns['source_type'], '')}"
        found = type_of(heads[one.sha256], name=name, title=one.title)
        if one.columns["source_type"] != SourceType.URL and (found == SourceType.PDF) != (
            one.columns["source_type"] == SourceType.PDF
        ):
            raise BadBundle(f"“{one.title[:80]}” is not of the type it says.")
    for sha256 in archive.documents - {one.sha256 for one in content.documents}:
        type_of(heads[sha256], name="", title=sha256[:12])


# What becomes of it


def _keep_files(content: ReleaseContent, archive: Archive) -> None:
    for sha256 in archive.documents:
        if files.is_kept(sha256):
            continue
        with archive.open_document(sha256) as stream:
            files.store(stream, max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)


def _bases(plugin: Plugin, content: ReleaseContent) -> list[KnowledgeBase]:
    """A knowledge base of the plugin's for each in the file, its own first. Those that are too many are detached."""
    there = list(KnowledgeBase.objects.of_plugin(plugin))
    bases = [
        _like(said, there[n] if n < len(there) else None, plugin=plugin) for n, said in enumerate(content.bases)
    ]
    for left in there[len(bases) :]:
        left.attached_to.remove(plugin)
    return bases


def _like(said: SaidBase, there: KnowledgeBase | None, *, plugin: Plugin) -> KnowledgeBase:
    if there is not None:
        if there.embedder != said.columns["embedder"] or there.dimensions != said.dimensions:
            raise AnotherEmbedder
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
        base.attached_to.add(plugin)
    return base


def _matched(said: list[SaidDocument], bases: list[KnowledgeBase]) -> tuple[list[Document], list[Document]]:
    """The row of each document in the file: one of the same bytes, else one of the same title, else a new one; and the
    rows that are left over. Bytes come first, so that no two rows ever have the same ones."""
    left = list(Document.objects.present().filter(knowledge_base__in=bases).order_by("created_at", "pk"))
    rows = [_taken(left, base=bases[one.base].pk, sha256=one.sha256) for one in said]
    for number, one in enumerate(said):
        rows[number] = rows[number] or _taken(left, base=bases[one.base].pk, title=one.title)
    return [row or Document(knowledge_base=bases[one.base]) for row, one in zip(rows, said, strict=True)], left


def _taken(left: list[Document], *, base: int, **columns: str) -> Document | None:
    for document in left:
        fits = all(getattr(document, name) == value for name, value in columns.items())
        if fits and document.knowledge_base_id == base:
            left.remove(document)
            return document
    return None


def _brought_up(document: Document, said: SaidDocument) -> Document:
    """With what is said of it, about to be read."""
    for name, value in {**said.columns, "sha256": said.sha256, "status": DocumentStatus.QUEUED}.items():
        setattr(document, name, value)
    document.save()
    return document


def _arrival(number: int, said: SaidDocument, base: SaidBase, *, archive: Archive) -> Arrival:
    where = read_name(number)
    lines = archive.made_lines(where, sha256=said.read)
    pages = readings.pages_of(lines, files=archive.documents, where=where)
    chunks = readings.chunks_of(lines, pages=pages, where=where)
    return Arrival(
        pages=pages,
        chunks=chunks,
        is_paged=said.is_paged,
        vectors=_vectors(number, said, base, chunks=chunks, archive=archive) if base.has_vectors else None,
    )


def _vectors(
    number: int, said: SaidDocument, base: SaidBase, *, chunks: list[Any], archive: Archive
) -> Iterator[np.ndarray]:
    pieces = archive.made_pieces(vectors_name(number), sha256=said.vectors)
    return readings.vectors_of(pieces, chunks=chunks, dimensions=base.dimensions, where=vectors_name(number))
