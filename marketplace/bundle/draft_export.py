from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from typing import IO, Any, cast

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder

from audit.actions import Action
from audit.record import record
from audit.references import Reference
from knowledge.documents import file_store
from knowledge.documents.file_store import SourceFileMissing
from knowledge.models import Document, KnowledgeBase
from lexic.errors import LexicError
from marketplace.bundle.archive import DOCUMENTS_FOLDER, MANIFEST_NAME, MAX_BYTES, MAX_DOCUMENTS, MAX_MANIFEST_BYTES
from marketplace.bundle.columns import column_values
from plugins.models import Plugin

BUNDLE_FORMAT, DRAFT_VERSION = "lexic-plugin", 1
# Above this it is written to a temporary file instead of memory.
MAX_MEMORY_BYTES = 8 * 1024 * 1024
# The first day that a zip can name: the same plugin gives the same bytes on any day.
FIXED_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


class TooLargeToExport(LexicError):
    """This plugin is too large for one file."""

    code = "too_large"
    status = 413
    hint = "Its documents together are larger than 1 GB, or more than 2000."


def export_plugin(plugin: Plugin) -> IO[bytes]:
    """The plugin as one file, open at its beginning. Raises `SourceFileMissing`, `TooLargeToExport`.

    Of its knowledge it holds the documents of its own knowledge base: those attached to it belong to others.
    """
    record(Action.PLUGIN_EXPORTED, Reference("plugin", plugin.pk, plugin.name, plugin.owner_id))
    documents = _exported_documents(plugin)
    body = json.dumps(_draft_manifest(plugin, documents), cls=DjangoJSONEncoder, **JSON_OPTIONS).encode()
    sizes = file_store.stored_sizes({document.sha256 for document in documents if not document.url})
    if missing := [document for document in documents if not document.url and document.sha256 not in sizes]:
        raise SourceFileMissing(f"The file of “{missing[0]}” is no longer on this server.")
    size = len(body) + sum(sizes.values())
    if size > MAX_BYTES or len(body) > MAX_MANIFEST_BYTES or len(documents) > MAX_DOCUMENTS:
        raise TooLargeToExport
    target = tempfile.SpooledTemporaryFile(max_size=MAX_MEMORY_BYTES)  # noqa: SIM115  # the caller reads and closes it
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(zip_member(MANIFEST_NAME), body)
        for sha256 in sorted(sizes):
            write_stored_file(archive, sha256)
    target.seek(0)
    return cast("IO[bytes]", target)


def export_description(plugin: Plugin) -> dict[str, Any]:
    """What the file of `export_plugin` says of the plugin, without the bytes of its documents: to read and to compare,
    not to import."""
    record(Action.PLUGIN_EXPORTED, Reference("plugin", plugin.pk, plugin.name, plugin.owner_id))
    return _draft_manifest(plugin, _exported_documents(plugin))


def _exported_documents(plugin: Plugin) -> list[Document]:
    """In an order that does not depend on ids. An upload without bytes has never been one."""
    present = Document.objects.present().filter(knowledge_base__plugin=plugin)
    ordered = present.order_by("title", "file_name", "url", "sha256")
    return [document for document in ordered if document.url or document.sha256]


JSON_OPTIONS: dict[str, Any] = {"ensure_ascii": False, "indent": 1, "sort_keys": True}


def _draft_manifest(plugin: Plugin, documents: list[Document]) -> dict[str, Any]:
    # A plugin that has none yet gets one like this.
    base = KnowledgeBase.objects.filter(plugin=plugin).first() or KnowledgeBase(embedder=settings.LEXIC_EMBEDDER)
    return {
        "format": BUNDLE_FORMAT,
        "version": DRAFT_VERSION,
        "plugin": column_values(plugin),
        "knowledge": column_values(base),
        "documents": [_draft_document_entry(document) for document in documents],
        "trees": [
            {**column_values(tree), "cases": [column_values(case) for case in tree.cases.all()]}
            for tree in plugin.trees.prefetch_related("cases")
        ],
        "golden_questions": [column_values(question) for question in plugin.golden_questions.order_by("pk")],
    }


def _draft_document_entry(document: Document) -> dict[str, Any]:
    own = column_values(document)
    # What the file says about itself is read again with it.
    own["metadata"] = {name: value for name, value in document.metadata.items() if name != "file"}
    return own if document.url else {**own, "sha256": document.sha256}


def write_stored_file(archive: zipfile.ZipFile, sha256: str) -> None:
    """Add a stored document to the archive. Raises `SourceFileMissing`."""
    with file_store.open_stored(sha256) as source, archive.open(zip_member(DOCUMENTS_FOLDER + sha256), "w") as entry:
        shutil.copyfileobj(source, entry)


def zip_member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, date_time=FIXED_ZIP_DATE)
    member.create_system, member.external_attr = 3, 0o600 << 16
    return member
