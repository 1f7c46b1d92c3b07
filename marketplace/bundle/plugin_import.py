"""A file becomes a plugin: a draft of the person who imports it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.models import User
from knowledge import task_queue
from knowledge.documents import file_store
from knowledge.models import Document, KnowledgeBase, SourceType
from marketplace.bundle import release_export, release_import
from marketplace.bundle.archive import MAX_DOCUMENTS, BundleArchive
from marketplace.bundle.columns import BadBundle, require_columns, validated_columns, validated_list
from marketplace.bundle.draft_export import BUNDLE_FORMAT, DRAFT_VERSION
from marketplace.bundle.manifest import (
    ParsedTree,
    create_golden_questions,
    create_plugin,
    create_trees,
    detect_source_type,
    parse_golden_questions,
    parse_knowledge_base,
    parse_plugin,
    parse_trees,
)
from marketplace.bundle.release_import import ClaimedOrigin
from marketplace.bundle.signature import Signature
from plugins.models import Plugin
from plugins.slugs import SlugTaken

MANIFEST_KEYS = {"format", "version", "plugin", "knowledge", "documents", "trees", "golden_questions"}


@dataclass(frozen=True, kw_only=True)
class ImportedPlugin:
    """`slug_was_taken` says that agents call it otherwise than where it came from. `waiting` of its `documents` are
    still to be read, or embedded, by a worker. `made_from` is what the file of a release says of itself, and
    `signature` who signed it."""

    plugin: Plugin
    documents: int
    unfinished: int
    slug_was_taken: bool
    made_from: ClaimedOrigin | None = None
    signature: Signature | None = None


@dataclass(frozen=True, kw_only=True)
class DraftContent:
    """What the manifest says, checked: columns of rows, and the hash and type of each document's bytes."""

    plugin: dict[str, Any]
    base: dict[str, Any]
    documents: list[tuple[dict[str, Any], str]]
    trees: list[ParsedTree]
    golden: list[dict[str, Any]]


def import_plugin(file: IO[bytes], *, owner: User, slug: str | None = None, is_ours: bool = False) -> ImportedPlugin:
    """The plugin in the file as a draft of the owner's. A worker reads its documents again; those of a release's file
    answer meanwhile, unverified. Where this site has made the file itself (`is_ours`), they are as they were read.

    All of it, or nothing, is kept. Raises `BadBundle`, `SlugTaken`.
    """
    archive = BundleArchive(file)
    data = _validated_manifest(archive)
    try:
        with transaction.atomic():
            if data["version"] == release_export.RELEASE_VERSION:
                return _import_release(archive, data, owner=owner, slug=slug, is_ours=is_ours)
            return _import_draft(archive, data, owner=owner, slug=slug)
    except IntegrityError as error:  # a slug that somebody took in this moment
        raise SlugTaken from error


def _validated_manifest(archive: BundleArchive) -> dict[str, Any]:
    data = archive.manifest()
    if not isinstance(data, dict) or data.get("format") != BUNDLE_FORMAT:
        raise BadBundle("Its manifest.json is not that of a plugin.")
    version = data.get("version")
    if (
        isinstance(version, bool)
        or not isinstance(version, int)
        or version not in (DRAFT_VERSION, release_export.RELEASE_VERSION)
    ):
        known = f"{DRAFT_VERSION} and {release_export.RELEASE_VERSION}"
        raise BadBundle(f"It is of version {str(version)[:20]}; this site reads versions {known}.")
    keys = MANIFEST_KEYS | ({"made_from"} if version == release_export.RELEASE_VERSION else set())
    if wrong := sorted(keys ^ data.keys()):
        raise BadBundle(f"Its manifest.json lacks, or should not have, {wrong[0][:60]!r}.")
    return data


def _import_release(
    archive: BundleArchive, data: dict[str, Any], *, owner: User, slug: str | None, is_ours: bool
) -> ImportedPlugin:
    signature = archive.signature()
    content = release_import.parse_release_content(archive, data)
    plugin, was_taken = create_plugin(content.plugin, owner=owner, slug=slug)
    waiting = release_import.replace_plugin_content(plugin, content, archive=archive, is_ours=is_ours)
    return ImportedPlugin(
        plugin=plugin,
        documents=len(content.documents),
        unfinished=waiting,
        slug_was_taken=was_taken,
        made_from=content.made_from,
        signature=signature,
    )


def _import_draft(archive: BundleArchive, data: dict[str, Any], *, owner: User, slug: str | None) -> ImportedPlugin:
    content = _parse_draft_content(archive, data)
    types = {
        sha256: detect_source_type(archive.check_document(sha256), name=said.get("file_name", ""), title=said["title"])
        for said, sha256 in content.documents
        if sha256
    }
    plugin, was_taken = create_plugin(content.plugin, owner=owner, slug=slug)
    base = KnowledgeBase.objects.create(plugin=plugin, owner=owner, name=plugin.name, **content.base)
    for said, sha256 in content.documents:
        _add_document(archive, said, sha256, base=base, source_type=types.get(sha256, SourceType.URL))
    create_trees(plugin, content.trees)
    create_golden_questions(plugin, content.golden)
    count = len(content.documents)
    return ImportedPlugin(plugin=plugin, documents=count, unfinished=count, slug_was_taken=was_taken)


def _parse_draft_content(archive: BundleArchive, data: dict[str, Any]) -> DraftContent:
    if archive.ingest_files:
        raise BadBundle("It holds files that no export of a draft contains.")
    return DraftContent(
        plugin=parse_plugin(data["plugin"]),
        base=parse_knowledge_base(data["knowledge"]),
        documents=_parse_draft_documents(data["documents"], archive.documents),
        trees=parse_trees(data["trees"]),
        golden=parse_golden_questions(data["golden_questions"]),
    )


def _parse_draft_documents(data: Any, in_file: set[str]) -> list[tuple[dict[str, Any], str]]:
    """Columns and hash; the hash is empty for a web page, which is fetched again."""
    found: list[tuple[dict[str, Any], str]] = []
    for number, one in enumerate(validated_list(data, where="documents", most=MAX_DOCUMENTS)):
        where = f"documents[{number}]"
        sha256 = one.get("sha256", "") if isinstance(one, dict) else ""
        rest = {name: value for name, value in one.items() if name != "sha256"} if isinstance(one, dict) else one
        said = validated_columns(Document, rest, where=where)
        require_columns(said, "title", where=where)
        if not isinstance(sha256, str) or bool(said.get("url")) == bool(sha256):
            raise BadBundle(f"{where} of manifest.json has not exactly one of url and sha256.")
        found.append((said, sha256))
    named = [sha256 for _, sha256 in found if sha256]
    if len(named) != len(set(named)) or set(named) != in_file:
        raise BadBundle("The documents in it are not those that its manifest.json names.")
    return found


def _add_document(
    archive: BundleArchive, said: dict[str, Any], sha256: str, *, base: KnowledgeBase, source_type: str
) -> None:
    if sha256:
        with archive.open_document(sha256) as stream:
            file_store.store_file(stream, max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)
    document = Document.objects.create(knowledge_base=base, source_type=source_type, sha256=sha256, **said)
    task_queue.enqueue_ingest(document.pk)
