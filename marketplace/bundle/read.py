"""A file becomes a plugin: a draft of the person who imports it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.models import User
from knowledge import files, tasks
from knowledge.models import Document, KnowledgeBase, SourceType
from marketplace.bundle import read_release, release
from marketplace.bundle.archive import MOST_DOCUMENTS, Archive
from marketplace.bundle.columns import BadBundle, checked, listed, require
from marketplace.bundle.content import (
    SaidTree,
    SlugTaken,
    add_golden,
    add_trees,
    base_of,
    golden_of,
    new_plugin,
    plugin_of,
    trees_of,
    type_of,
)
from marketplace.bundle.read_release import MadeFrom
from marketplace.bundle.write import FORMAT, VERSION
from plugins.models import Plugin

KEYS = {"format", "version", "plugin", "knowledge", "documents", "trees", "golden_questions"}


@dataclass(frozen=True, kw_only=True)
class Imported:
    """`slug_was_taken` says that agents call it otherwise than where it came from. `waiting` of its `documents` are
    still to be read, or embedded, by a worker. `made_from` is what the file of a release says of itself."""

    plugin: Plugin
    documents: int
    waiting: int
    slug_was_taken: bool
    made_from: MadeFrom | None = None


@dataclass(frozen=True, kw_only=True)
class Content:
    """What the manifest says, checked: columns of rows, and the hash and type of each document's bytes."""

    plugin: dict[str, Any]
    base: dict[str, Any]
    documents: list[tuple[dict[str, Any], str]]
    trees: list[SaidTree]
    golden: list[dict[str, Any]]


def import_plugin(file: IO[bytes], *, owner: User, slug: str | None = None) -> Imported:
    """The plugin in the file as a draft of the owner's. A worker reads the documents of a draft's file again; those
    of a release's file come as they were read.

    All of it, or nothing, is kept. Raises `BadBundle`, `SlugTaken`.
    """
    archive = Archive(file)
    data = _manifest(archive)
    try:
        with transaction.atomic():
            if data["version"] == release.VERSION:
                return _import_release(archive, data, owner=owner, slug=slug)
            return _import_draft(archive, data, owner=owner, slug=slug)
    except IntegrityError as error:  # a slug that somebody took in this moment
        raise SlugTaken from error


def _manifest(archive: Archive) -> dict[str, Any]:
    data = archive.manifest()
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadBundle("Its manifest.json is not that of a plugin.")
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version not in (VERSION, release.VERSION):
        known = f"{VERSION} and {release.VERSION}"
        raise BadBundle(f"It is of version {str(version)[:20]}; this site reads versions {known}.")
    keys = KEYS | ({"made_from"} if version == release.VERSION else set())
    if wrong := sorted(keys ^ data.keys()):
        raise BadBundle(f"Its manifest.json lacks, or should not have, {wrong[0][:60]!r}.")
    return data


def _import_release(archive: Archive, data: dict[str, Any], *, owner: User, slug: str | None) -> Imported:
    content = read_release.content_of(archive, data)
    plugin, was_taken = new_plugin(content.plugin, owner=owner, slug=slug)
    waiting = read_release.fill(plugin, content, archive=archive)
    return Imported(
        plugin=plugin,
        documents=len(content.documents),
        waiting=waiting,
        slug_was_taken=was_taken,
        made_from=content.made_from,
    )


def _import_draft(archive: Archive, data: dict[str, Any], *, owner: User, slug: str | None) -> Imported:
    content = _content(archive, data)
    types = {
        sha256: type_of(archive.check_document(sha256), name=said.get("file_name", ""), title=said["title"])
        for said, sha256 in content.documents
        if sha256
    }
    plugin, was_taken = new_plugin(content.plugin, owner=owner, slug=slug)
    base = KnowledgeBase.objects.create(plugin=plugin, owner=owner, name=plugin.name, **content.base)
    for said, sha256 in content.documents:
        _add(archive, said, sha256, base=base, source_type=types.get(sha256, SourceType.URL))
    add_trees(plugin, content.trees)
    add_golden(plugin, content.golden)
    count = len(content.documents)
    return Imported(plugin=plugin, documents=count, waiting=count, slug_was_taken=was_taken)


def _content(archive: Archive, data: dict[str, Any]) -> Content:
    if archive.made:
        raise BadBundle("It holds files that no export of a draft contains.")
    return Content(
        plugin=plugin_of(data["plugin"]),
        base=base_of(data["knowledge"]),
        documents=_documents(data["documents"], archive.documents),
        trees=trees_of(data["trees"]),
        golden=golden_of(data["golden_questions"]),
    )


def _documents(data: Any, in_file: set[str]) -> list[tuple[dict[str, Any], str]]:
    """Columns and hash; the hash is empty for a web page, which is fetched again."""
    found: list[tuple[dict[str, Any], str]] = []
    for number, one in enumerate(listed(data, where="documents", most=MOST_DOCUMENTS)):
        where = f"documents[{number}]"
        sha256 = one.get("sha256", "") if isinstance(one, dict) else ""
        rest = {name: value for name, value in one.items() if name != "sha256"} if isinstance(one, dict) else one
        said = checked(Document, rest, where=where)
        require(said, "title", where=where)
        if not isinstance(sha256, str) or bool(said.get("url")) == bool(sha256):
            raise BadBundle(f"{where} of manifest.json has not exactly one of url and sha256.")
        found.append((said, sha256))
    named = [sha256 for _, sha256 in found if sha256]
    if len(named) != len(set(named)) or set(named) != in_file:
        raise BadBundle("The documents in it are not those that its manifest.json names.")
    return found


def _add(archive: Archive, said: dict[str, Any], sha256: str, *, base: KnowledgeBase, source_type: str) -> None:
    if sha256:
        with archive.open_document(sha256) as stream:
            files.store(stream, max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)
    document = Document.objects.create(knowledge_base=base, source_type=source_type, sha256=sha256, **said)
    tasks.enqueue(document.pk)
