"""Folders of notes for tests of syncing, and what a knowledge base holds of them."""

from __future__ import annotations

from pathlib import Path

from knowledge.models import Document, KnowledgeBase, Source
from knowledge.sync.runner import get_or_create_source, run_sync
from knowledge.sync.sync_report import SyncReport


def write(folder: Path, path: str, text: str, **fields: object) -> Path:
    """A note with these fields as front matter, and this text."""
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    front = "".join(f"{name}: {value}\n" for name, value in fields.items())
    place.write_text(f"---\n{front}---\n{text}\n" if front else f"{text}\n", encoding="utf-8")
    return place


def synced(base: KnowledgeBase, folder: Path, **options: bool) -> SyncReport:
    of_source = {name: options.pop(name, None) for name in ("public_only", "is_public")}
    return run_sync(_source(base, folder, **of_source), **options)


def _source(base: KnowledgeBase, folder: Path, **options: bool | None) -> Source:
    base.refresh_from_db()
    return get_or_create_source(base, folder, **options)


def note(base: KnowledgeBase, path: str) -> Document:
    return Document.objects.present().get(knowledge_base=base, file_name=path)


def text_of(document: Document) -> str:
    return document.pages.get(removed_in=None).text
