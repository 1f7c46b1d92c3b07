from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from knowledge.documents.lifecycle import AddResult, add_file, add_url
from knowledge.ingest import ingest_until_done
from knowledge.ingest_batch import ingest_small
from knowledge.ingest_scheduling import SMALL_TOGETHER
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.readers.formats import TYPES_BY_EXTENSION
from knowledge.search.vector_index import ensure_index
from knowledge.versions.batches import batched
from lexic.errors import LexicError
from lexic.management.lexic_command import LexicCommand
from plugins.management.plugin_argument import get_plugin

SUPPORTED_SUFFIXES = frozenset(f".{extension}" for extension in TYPES_BY_EXTENSION)


class Command(LexicCommand):
    help = "Reads files, folders and web pages into a plugin's own knowledge base, now, and says how each went."
    epilog = """examples:
  manage.py ingest structural-engineering standards/ notes.md
  manage.py ingest structural-engineering https://example.org/guide --json"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the plugin")
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or the address of a page")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")

    def handle(self, *, slug: str, paths: Sequence[str], **options: Any) -> None:
        plugin = get_plugin(slug)
        base, sources = own_knowledge_base(plugin), list(_resolve_sources(paths))
        results = []
        for result in _ingest_all(base, sources):
            results.append(result)
            if not options["json"]:
                outcome = result["error"] or f"{result['chunks']} chunk{'' if result['chunks'] == 1 else 's'}"
                self.stdout.write(f"{result['status']:<8}{result['source']}: {outcome}")
        ensure_index(base)
        failed = sum(result["status"] != DocumentStatus.READY for result in results)
        if options["json"]:
            summary = {"plugin": slug, "knowledgeBase": base.pk, "documents": results, "failed": failed}
            self.stdout.write(json.dumps(summary, ensure_ascii=False))
        if failed:
            raise CommandError(f"{failed} of {len(results)} could not be read.")


def _resolve_sources(paths: Sequence[str]) -> Iterator[tuple[str, Path | None]]:
    """What to call each source, and its path (None for an address). Raises `CommandError` where nothing is."""
    for given in paths:
        if given.startswith(("http://", "https://")):
            yield given, None
            continue
        path = Path(given)
        if path.is_dir():
            yield from _supported_files(path)
        elif path.is_file():
            yield path.name, path
        else:
            raise CommandError(f"There is no file or folder {given!r}.")


def _supported_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Readable files, sorted, called by their path within the folder, so that two README.md stay two documents."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in name.parts)
        if path.is_file() and not is_hidden and path.suffix.lower() in SUPPORTED_SUFFIXES:
            yield name.as_posix(), path


def _ingest_all(base: KnowledgeBase, sources: Sequence[tuple[str, Path | None]]) -> Iterator[dict[str, Any]]:
    with tqdm(total=len(sources), unit="document", disable=None, leave=False) as bar:
        for batch in batched(sources, SMALL_TOGETHER):
            added = [(name, _try_to_add(base, name=name, path=path)) for name, path in batch]
            ingest_small([one.document.pk for _, one in added if isinstance(one, AddResult)])
            for name, one in added:
                bar.set_description_str(name[-30:])
                yield _ingest_one(name, one, bar=bar)
                bar.update()


def _try_to_add(base: KnowledgeBase, *, name: str, path: Path | None) -> AddResult | LexicError:
    try:
        return _add_source(base, name=name, path=path)
    except LexicError as error:
        return error


def _ingest_one(name: str, added: AddResult | LexicError, *, bar: Any) -> dict[str, Any]:
    """What has become of a source: one that was not small enough to be read with the others is read now."""
    try:
        if isinstance(added, LexicError):
            raise added
        ingest_until_done(added.document.pk, on_progress=partial(_show_stage, bar))
    except LexicError as error:
        failed = {"source": name, "id": None, "status": "failed", "chunks": 0}
        return {**failed, "code": error.code, "error": error.message_with_hint}
    return _result_row(name, added)


def _add_source(base: KnowledgeBase, *, name: str, path: Path | None) -> AddResult:
    if path is None:
        return add_url(knowledge_base=base, url=name, enqueue=False)
    with path.open("rb") as stream:
        return add_file(knowledge_base=base, file_name=name, stream=stream, enqueue=False)


def _show_stage(bar: Any, stage: DocumentStatus, done: int, total: int | None) -> None:
    bar.set_postfix_str(f"{stage.label} {done}/{total or '?'}")


def _result_row(name: str, added: AddResult) -> dict[str, Any]:
    document = Document.objects.get(pk=added.document.pk)
    return {
        "source": name,
        "id": str(document.pk),
        "title": document.title,
        "isNew": added.is_new,
        "status": document.status,
        "pages": document.page_count,
        "chunks": document.chunks_total,
        "code": document.error_code or None,
        "error": document.error or None,
    }
