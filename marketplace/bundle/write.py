from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from typing import IO, Any, cast

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder

from knowledge import files
from knowledge.models import Document, KnowledgeBase
from knowledge.source import FileIsGone
from lexic.errors import LexicError
from marketplace.bundle.archive import DOCUMENTS, MANIFEST, MOST_BYTES, MOST_DOCUMENTS, MOST_MANIFEST_BYTES
from marketplace.bundle.columns import values
from plugins.models import Plugin
from trees.models import DecisionTree

FORMAT, VERSION = "lexic-plugin", 1
# Above this it is written to a temporary file instead of memory.
IN_MEMORY = 8 * 1024 * 1024
# The first day that a zip can name: the same plugin gives the same bytes on any day.
LONG_AGO = (1980, 1, 1, 0, 0, 0)


class TooLargeToCarry(LexicError):
    """This plugin is too large for one file."""

    code = "too_large"
    status = 413
    hint = "Its documents together are larger than 1 GB, or more than 2000."


def export_plugin(plugin: Plugin) -> IO[bytes]:
    """The plugin as one file, open at its beginning. Raises `FileIsGone`, `TooLargeToCarry`.

    Of its knowledge it holds the documents of its own knowledge base: those attached to it belong to others.
    """
    documents = _documents(plugin)
    body = json.dumps(_manifest(plugin, documents), cls=DjangoJSONEncoder, **AS_TEXT).encode()
    paths = {sha256: files.path_of(sha256) for sha256 in sorted({d.sha256 for d in documents if not d.url})}
    if missing := [document for document in documents if not document.url and not paths[document.sha256].exists()]:
        raise FileIsGone(f"The file of “{missing[0]}” is no longer on this server.")
    size = len(body) + sum(path.stat().st_size for path in paths.values())
    if size > MOST_BYTES or len(body) > MOST_MANIFEST_BYTES or len(documents) > MOST_DOCUMENTS:
        raise TooLargeToCarry
    target = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  # the caller reads and closes it
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(member(MANIFEST), body)
        for sha256, path in paths.items():
            with path.open("rb") as source, archive.open(member(DOCUMENTS + sha256), "w") as entry:
                shutil.copyfileobj(source, entry)
    target.seek(0)
    return cast("IO[bytes]", target)


AS_TEXT: dict[str, Any] = {"ensure_ascii": False, "indent": 1, "sort_keys": True}


def _manifest(plugin: Plugin, documents: list[Document]) -> dict[str, Any]:
    # A plugin that has none yet gets one like this.
    base = KnowledgeBase.objects.filter(plugin=plugin).first() or KnowledgeBase(embedder=settings.LEXIC_EMBEDDER)
    return {
        "format": FORMAT,
        "version": VERSION,
        "plugin": values(plugin),
        "knowledge": values(base),
        "documents": [_document(document) for document in documents],
        "trees": [_tree(tree) for tree in plugin.trees.prefetch_related("cases")],
        "golden_questions": [values(question) for question in plugin.golden_questions.order_by("pk")],
    }


def _documents(plugin: Plugin) -> list[Document]:
    """In an order that does not depend on ids. An upload without bytes has never been one."""
    present = Document.objects.present().filter(knowledge_base__plugin=plugin)
    ordered = present.order_by("title", "file_name", "url", "sha256")
    return [document for document in ordered if document.url or document.sha256]


def _document(document: Document) -> dict[str, Any]:
    own = values(document)
    # What the file says about itself is read again with it.
    own["metadata"] = {name: value for name, value in document.metadata.items() if name != "file"}
    return own if document.url else {**own, "sha256": document.sha256}


def _tree(tree: DecisionTree) -> dict[str, Any]:
    return {**values(tree), "cases": [values(case) for case in tree.cases.all()]}


def member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, date_time=LONG_AGO)
    member.create_system, member.external_attr = 3, 0o600 << 16
    return member
