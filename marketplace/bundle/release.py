"""A release as one file: what agents ask, frozen as it was published, with everything that was made of its documents.

It differs from the file of a draft (`bundle.write`) in what it holds: not the plugin as its author left it today, but
the policy, the trees and the documents that the release pins; and in that its documents need not be read again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from knowledge import files
from knowledge.models import KnowledgeBase
from knowledge.source import FileIsGone
from lexic.errors import Conflict
from marketplace.bundle import readings
from marketplace.bundle.archive import (
    DOCUMENTS,
    MANIFEST,
    MOST_BYTES,
    MOST_DOCUMENTS,
    MOST_LINE_BYTES,
    MOST_MADE_BYTES,
    MOST_MANIFEST_BYTES,
    most_members,
    read_name,
    vectors_name,
)
from marketplace.bundle.columns import values
from marketplace.bundle.pinned import PinnedDocument, bases_of
from marketplace.bundle.write import AS_TEXT, FORMAT, TooLargeToCarry, member
from plugins.models import Plugin, Release
from querying.models import GoldenQuestion

VERSION = 2
# How a golden question did is its author's business; the copy is measured anew.
_NOT_OF_GOLDEN = {"last_passed", "last_failures"}


class KnowledgeIsGone(Conflict):
    """A knowledge base that this release read is deleted, so there is no whole copy of it."""

    code = "knowledge_gone"
    hint = "Wait for its next release."


def head_of(release: Release, documents: Sequence[PinnedDocument]) -> dict[str, Any]:
    """The manifest but for what is found out by writing: it tells two states of the release's file apart.

    Raises `KnowledgeIsGone`.
    """
    plugin = release.plugin
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_from": {"name": plugin.name, "author": plugin.owner.public_name, "version": release.version},
        "plugin": {**values(plugin), **release.policy()},
        "knowledge": [_base(base) for base in bases_of(release)],
        "documents": [_document(one) for one in documents],
        "trees": [_tree(tree, order) for order, tree in enumerate(release.trees)],
        "golden_questions": [_golden(one) for one in golden_of(release)],
    }


def name_of(head: dict[str, Any], release: Release) -> str:
    """The same for the same content of the same release, another for any other."""
    said = json.dumps(head, cls=DjangoJSONEncoder, sort_keys=True)
    return hashlib.sha256(f"{release.pk}\n{said}".encode()).hexdigest()


def write_release(head: dict[str, Any], documents: Sequence[PinnedDocument], target: IO[bytes]) -> None:
    """Write the release as one file. Raises `FileIsGone`, `TooLargeToCarry`."""
    if len(documents) > MOST_DOCUMENTS:
        raise TooLargeToCarry
    paths = _paths(documents)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, one in enumerate(documents):
            row = head["documents"][number]
            row["read"] = _write(archive, read_name(number), readings.lines(one))
            row["vectors"] = _write(archive, vectors_name(number), readings.vectors(one))
        _check_size(archive, paths)
        for sha256, path in paths.items():
            with path.open("rb") as source, archive.open(member(DOCUMENTS + sha256), "w") as entry:
                shutil.copyfileobj(source, entry)
        body = json.dumps(head, cls=DjangoJSONEncoder, **AS_TEXT).encode()
        if len(body) > MOST_MANIFEST_BYTES:
            raise TooLargeToCarry
        archive.writestr(member(MANIFEST), body)


def _base(base: KnowledgeBase | None) -> dict[str, Any]:
    if base is None:
        raise KnowledgeIsGone
    return {**values(base), "dimensions": base.dimensions}


def _document(pinned: PinnedDocument) -> dict[str, Any]:
    """Its labels are those of today, as they are for whoever asks the release."""
    document = pinned.document
    return {
        **values(document),
        "title": pinned.title,
        "file_name": _file_name(pinned),
        "metadata": _metadata(pinned),
        "base": pinned.base,
        "source_type": pinned.source_type,
        "is_paged": pinned.is_paged,
        "sha256": pinned.sha256,
    }


def _file_name(pinned: PinnedDocument) -> str:
    """Of a version that has been replaced, or is about to be, the name may be the newer one's: that stays here."""
    document = pinned.document
    if not pinned.is_current:
        return ""
    return document.file_name if document.sha256 == document.ready_sha256 else document.ready_file_name


def _metadata(pinned: PinnedDocument) -> dict[str, Any]:
    metadata: dict[str, Any] = pinned.document.metadata
    # What a newer file says about itself is not of this release.
    return metadata if pinned.is_current else {name: said for name, said in metadata.items() if name != "file"}


def _tree(tree: dict[str, Any], order: int) -> dict[str, Any]:
    return {
        "name": tree["name"],
        "description": tree.get("description", ""),
        "tree_data": tree["tree_data"],
        "is_active": True,
        "order": order,
        "cases": [],
    }


def golden_of(release: Release) -> models.QuerySet[GoldenQuestion]:
    """Those that go with a copy: what was there when the release was made, unless the author keeps them."""
    plugin: Plugin = release.plugin
    questions = plugin.golden_questions.filter(created_at__lte=release.created_at).order_by("pk")
    return questions if plugin.shares_golden else questions.none()


def _golden(question: GoldenQuestion) -> dict[str, Any]:
    return {name: said for name, said in values(question).items() if name not in _NOT_OF_GOLDEN}


def _paths(documents: Sequence[PinnedDocument]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for one in documents:
        for sha256 in one.files:
            paths[sha256] = files.path_of(sha256)
            if not paths[sha256].exists():
                raise FileIsGone(f"The file of “{one.title}” is no longer on this server.")
    return dict(sorted(paths.items()))


def _write(archive: zipfile.ZipFile, name: str, pieces: Iterable[bytes]) -> str:
    """One file of the archive; its hash. Raises `TooLargeToCarry`."""
    digest, size = hashlib.sha256(), 0
    entry = member(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(entry, "w") as stream:
        for piece in pieces:
            size += len(piece)
            if size > MOST_MADE_BYTES or len(piece) > MOST_LINE_BYTES:
                raise TooLargeToCarry
            digest.update(piece)
            stream.write(piece)
    return digest.hexdigest()


def _check_size(archive: zipfile.ZipFile, paths: dict[str, Path]) -> None:
    made = sum(one.file_size for one in archive.infolist())
    if len(archive.infolist()) + len(paths) >= most_members():
        raise TooLargeToCarry
    if made + sum(path.stat().st_size for path in paths.values()) > MOST_BYTES:
        raise TooLargeToCarry
