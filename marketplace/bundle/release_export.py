"""A release as one file: what agents ask, frozen as it was published, with everything that was made of its documents.

It differs from the file of a draft (`bundle.draft_export`) in what it holds: not the plugin as its author left it
today, but the policy, the trees and the documents that the release pins; and in that its documents need not be read
again.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Sequence
from typing import IO, Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from evaluation.models import GoldenQuestion
from knowledge.documents import file_store
from knowledge.documents.file_store import SourceFileMissing
from knowledge.models import KnowledgeBase
from lexic.errors import Conflict
from marketplace.bundle import document_content
from marketplace.bundle.archive import (
    MANIFEST_NAME,
    MAX_BYTES,
    MAX_DOCUMENTS,
    MAX_INGEST_FILE_BYTES,
    MAX_LINE_BYTES,
    MAX_MANIFEST_BYTES,
    SIGNATURE_NAME,
    max_members,
    pages_file_name,
    vectors_file_name,
)
from marketplace.bundle.columns import RELEASE_COLUMNS, column_values
from marketplace.bundle.draft_export import (
    BUNDLE_FORMAT,
    JSON_OPTIONS,
    TooLargeToExport,
    write_stored_file,
    zip_member,
)
from marketplace.bundle.pinned_documents import PinnedDocument, pinned_knowledge_bases
from marketplace.bundle.signature import sign_manifest, site_key
from plugins.models import Plugin, Release

RELEASE_VERSION = 2
# How a golden question did is its author's business; the copy is measured anew.
_GOLDEN_RESULT_COLUMNS = {"last_passed", "last_failures"}


class IncompleteRelease(Conflict):
    """A knowledge base that this release read is deleted or not granted for copies, so there is no whole copy."""

    code = "knowledge_gone"
    hint = "Wait for its next release."


def release_manifest(release: Release, documents: Sequence[PinnedDocument]) -> dict[str, Any]:
    """The manifest but for what is found out by writing: it tells two states of the release's file apart.

    Raises `IncompleteRelease`.
    """
    plugin = release.plugin
    return {
        "format": BUNDLE_FORMAT,
        "version": RELEASE_VERSION,
        "made_from": {"name": plugin.name, "author": plugin.owner.public_name, "version": release.version},
        "plugin": {**column_values(plugin, RELEASE_COLUMNS), **release.policy()},
        "knowledge": [_knowledge_base_entry(base) for base in pinned_knowledge_bases(release)],
        "documents": [_pinned_document_entry(one) for one in documents],
        "trees": [_pinned_tree_entry(tree, order) for order, tree in enumerate(release.trees)],
        "golden_questions": [
            {name: value for name, value in column_values(one).items() if name not in _GOLDEN_RESULT_COLUMNS}
            for one in shared_golden_questions(release)
        ],
    }


def release_content_hash(head: dict[str, Any], release: Release) -> str:
    """A hash of the release, its content and its signer."""
    said = json.dumps(head, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(f"{release.pk}\n{settings.PUBLIC_URL} {site_key()}\n{said}".encode()).hexdigest()


def write_release(head: dict[str, Any], documents: Sequence[PinnedDocument], target: IO[bytes]) -> None:
    """Write the release as one file. Raises `SourceFileMissing`, `TooLargeToExport`."""
    if len(documents) > MAX_DOCUMENTS:
        raise TooLargeToExport
    sizes = _file_sizes(documents)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, one in enumerate(documents):
            row = head["documents"][number]
            row["read"] = _write_member(archive, pages_file_name(number), document_content.page_and_chunk_lines(one))
            row["vectors"] = _write_member(archive, vectors_file_name(number), document_content.vector_bytes(one))
        _check_archive_size(archive, sizes)
        for sha256 in sizes:
            write_stored_file(archive, sha256)
        body = json.dumps(head, cls=DjangoJSONEncoder, **JSON_OPTIONS).encode()
        if len(body) > MAX_MANIFEST_BYTES:
            raise TooLargeToExport
        archive.writestr(zip_member(MANIFEST_NAME), body)
        archive.writestr(zip_member(SIGNATURE_NAME), sign_manifest(body))


def _knowledge_base_entry(base: KnowledgeBase | None) -> dict[str, Any]:
    if base is None:
        raise IncompleteRelease
    return {**column_values(base), "dimensions": base.dimensions}


def _pinned_document_entry(pinned: PinnedDocument) -> dict[str, Any]:
    """Its labels are those of today, as they are for whoever asks the release."""
    document = pinned.document
    return {
        **column_values(document),
        "title": pinned.title,
        "file_name": _pinned_file_name(pinned),
        "metadata": _pinned_metadata(pinned),
        "base": pinned.base,
        "source_type": pinned.source_type,
        "is_paged": pinned.is_paged,
        "sha256": pinned.sha256,
    }


def _pinned_file_name(pinned: PinnedDocument) -> str:
    """Of a version that has been replaced, or is about to be, the name may be the newer one's: that stays here."""
    document = pinned.document
    if not pinned.is_current:
        return ""
    return document.file_name if document.sha256 == document.ready_sha256 else document.ready_file_name


def _pinned_metadata(pinned: PinnedDocument) -> dict[str, Any]:
    metadata: dict[str, Any] = pinned.document.metadata
    # What a newer file says about itself is not of this release.
    return metadata if pinned.is_current else {name: said for name, said in metadata.items() if name != "file"}


def _pinned_tree_entry(tree: dict[str, Any], order: int) -> dict[str, Any]:
    return {
        "name": tree["name"],
        "description": tree.get("description", ""),
        "tree_data": tree["tree_data"],
        "is_active": True,
        "order": order,
        "cases": [],
    }


def shared_golden_questions(release: Release) -> models.QuerySet[GoldenQuestion]:
    """The golden questions that go with a copy: those of the time of the release, or of the one that it goes back to,
    unless the author keeps them private."""
    plugin: Plugin = release.plugin
    if not plugin.shares_golden:
        return plugin.golden_questions.none()
    # Whoever goes back to an earlier release publishes its content anew with its scorecard, which names the run of its
    # golden questions; later questions are about later documents.
    same = plugin.releases.filter(knowledge=release.knowledge, trees=release.trees).order_by("created_at")
    own = release.policy(), release.scorecard
    first = next((one for one in same if (one.policy(), one.scorecard) == own), release)
    return plugin.golden_questions.filter(created_at__lte=first.created_at).order_by("pk")


def _file_sizes(documents: Sequence[PinnedDocument]) -> dict[str, int]:
    """Bytes of each file, in the order of their hashes. Raises `SourceFileMissing`."""
    sizes = file_store.stored_sizes({sha256 for one in documents for sha256 in one.files})
    for one in documents:
        if not sizes.keys() >= set(one.files):
            raise SourceFileMissing(f"The file of “{one.title}” is no longer on this server.")
    return dict(sorted(sizes.items()))


def _write_member(archive: zipfile.ZipFile, name: str, pieces: Iterable[bytes]) -> str:
    """One file of the archive; its hash. Raises `TooLargeToExport`."""
    digest, size = hashlib.sha256(), 0
    entry = zip_member(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(entry, "w") as stream:
        for piece in pieces:
            size += len(piece)
            if size > MAX_INGEST_FILE_BYTES or len(piece) > MAX_LINE_BYTES:
                raise TooLargeToExport
            digest.update(piece)
            stream.write(piece)
    return digest.hexdigest()


def _check_archive_size(archive: zipfile.ZipFile, sizes: dict[str, int]) -> None:
    made = sum(one.file_size for one in archive.infolist())
    if len(archive.infolist()) + len(sizes) >= max_members():
        raise TooLargeToExport
    if made + sum(sizes.values()) > MAX_BYTES:
        raise TooLargeToExport
