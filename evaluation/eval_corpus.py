"""The throw-away knowledge base that a set is read into, kept as long as neither the set nor the reading changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction

from accounts.models import User
from evaluation.eval_types import EvalDataset
from knowledge.documents.bulk_import import add_texts
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.search.vector_index import drop_index, ensure_index
from lexic.errors import LexicError
from plugins.models import Plugin, Release
from querying import releases

CORPUS_OWNER_EMAIL = "evaluation@lexic.invalid"
_SLUG_PREFIX = "evaluation-"
# The code that decides how a source becomes pages, chunks, words and vectors.
_INGEST_CODE = (
    "knowledge/readers/**/*.py",
    "knowledge/embedders/*.py",
    "knowledge/chunking/*.py",
    "knowledge/documents/bulk_import.py",
    "knowledge/versions/chunk_plan.py",
    "knowledge/versions/writer.py",
    "language/sentences.py",
    "language/terms.py",
)

ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class EvalCorpus:
    """What the questions are asked of. `documents` has the id by the set's own name for each document."""

    release: Release
    documents: Mapping[str, UUID]
    chunks: int
    failed: tuple[str, ...] = ()


def build_corpus(data: EvalDataset, *, on_progress: ProgressCallback) -> EvalCorpus:
    """The set's documents, read and embedded. The same set is read once; an earlier state of it is thrown away.

    Raises what reading the texts of a corpus raises; files that cannot be read are named in `failed`.
    """
    plugin = _corpus_plugin(data)
    base = own_knowledge_base(plugin)
    documents, failed = _ingest_files(base, data, on_progress=on_progress)
    if data.texts:
        documents |= add_texts(knowledge_base=base, texts=data.texts, on_progress=on_progress).documents
    ensure_index(base)
    return EvalCorpus(
        release=releases.snapshot(plugin), documents=documents, chunks=_chunk_count(base.pk), failed=tuple(failed)
    )


def release_corpus(release: Release) -> EvalCorpus:
    """The documents of a release of a real plugin, by their titles."""
    bases = [base.knowledge_base_id for base in releases.pinned_bases(release)]
    present = Document.objects.present().filter(knowledge_base__in=bases)
    documents = {title: pk for pk, title in present.values_list("pk", "title")}
    return EvalCorpus(release=release, documents=documents, chunks=sum(map(_chunk_count, bases)))


def delete_corpora(name: str) -> int:
    """Forget what was read for sets of this name; returns how many states of it there were."""
    old = list(Plugin.objects.filter(owner__email=CORPUS_OWNER_EMAIL, slug__startswith=f"{_slug_stem(name)}-"))
    for plugin in old:
        _delete_plugin(plugin)
    return len(old)


def _chunk_count(base_id: int) -> int:
    alive = KnowledgeBase.objects.get(pk=base_id).chunks.filter(added_in__isnull=False, removed_in=None)
    return int(alive.count())


def _corpus_plugin(data: EvalDataset) -> Plugin:
    slug = f"{_slug_stem(data.name)}-{_dataset_fingerprint(data)[:12]}"
    if found := Plugin.objects.filter(slug=slug, owner__email=CORPUS_OWNER_EMAIL).first():
        return found
    delete_corpora(data.name)
    return Plugin.objects.create(
        owner=_corpus_owner(),
        name=f"Evaluation of {data.name}"[:120],
        slug=slug,
        domain="evaluation",
        tagline="Read for an evaluation; may be deleted at any time.",
        system_prompt="You answer from the sources alone.",
    )


def _slug_stem(name: str) -> str:
    return _SLUG_PREFIX + hashlib.sha256(name.encode()).hexdigest()[:8]


def _corpus_owner() -> User:
    """An account that cannot sign in."""
    owner, _ = User.objects.get_or_create(
        email=CORPUS_OWNER_EMAIL, defaults={"display_name": "Evaluation", "is_active": False, "password": "!"}
    )
    return owner


def _delete_plugin(plugin: Plugin) -> None:
    base = KnowledgeBase.objects.filter(plugin=plugin).first()
    with transaction.atomic():
        plugin.delete()
    if base:
        drop_index(base.pk)


def _dataset_fingerprint(data: EvalDataset) -> str:
    """Names what is read and how: bytes, titles, labels, embedder, and the code that reads."""
    digest = hashlib.sha256(settings.LEXIC_EMBEDDER.encode())
    for path in sorted(path for pattern in _INGEST_CODE for path in settings.BASE_DIR.glob(pattern)):
        digest.update(path.read_bytes())
    for path in data.files:
        digest.update(f"{path.name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    for text in data.texts:
        digest.update(json.dumps([text.name, text.title, text.text, dict(text.metadata)], sort_keys=True).encode())
    digest.update(json.dumps(data.metadata, sort_keys=True).encode())
    return digest.hexdigest()


def _ingest_files(
    base: KnowledgeBase, data: EvalDataset, *, on_progress: ProgressCallback
) -> tuple[dict[str, UUID], list[str]]:
    documents: dict[str, UUID] = {}
    failed = []
    for done, path in enumerate(data.files, start=1):
        document = _ingest_file(base, path, labels=dict(data.metadata.get(path.name, {})))
        if document is None:
            failed.append(path.name)
        else:
            documents[path.name] = document.pk
        on_progress(done, len(data.files))
    return documents, failed


def _ingest_file(base: KnowledgeBase, path: Path, *, labels: dict[str, object]) -> Document | None:
    title = str(labels.pop("title", "")) or None
    try:
        with path.open("rb") as stream:
            added = add_file(
                knowledge_base=base, file_name=path.name, stream=stream, title=title, metadata=labels, enqueue=False
            )
    except LexicError:
        return None
    if added.document.status != DocumentStatus.READY:
        ingest(added.document.pk)
        added.document.refresh_from_db()
    return added.document if added.document.status == DocumentStatus.READY else None
