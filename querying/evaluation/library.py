"""The throw-away knowledge base that a set is read into, kept as long as neither the set nor the reading changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction

import knowledge
from accounts.models import User
from knowledge.add import add_file
from knowledge.attach import own_knowledge_base
from knowledge.bulk import add_texts
from knowledge.ingest import ingest
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.vector_index import drop_index, ensure_index
from lexic.errors import LexicError
from plugins.models import Plugin, Release
from querying import releases
from querying.evaluation.types import DataSet

OWNER = "evaluation@lexic.invalid"
_PREFIX = "evaluation-"
# The code that decides how a source becomes pages, chunks, words and vectors.
_RECIPE = ("readers/*.py", "embedders/*.py", "chunk*.py", "sections.py", "sentences.py", "terms.py", "bulk.py")
_ROOT = Path(next(iter(knowledge.__path__)))

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Library:
    """What the questions are asked of. `documents` has the id by the set's own name for each document."""

    release: Release
    documents: Mapping[str, UUID]
    chunks: int
    failed: tuple[str, ...] = ()


def library_of(data: DataSet, *, on_progress: OnProgress) -> Library:
    """The set's documents, read and embedded. The same set is read once; an earlier state of it is thrown away.

    Raises what reading the texts of a corpus raises; files that cannot be read are named in `failed`.
    """
    plugin = _plugin(data)
    base = own_knowledge_base(plugin)
    documents, failed = _read_files(base, data, on_progress=on_progress)
    if data.texts:
        documents |= add_texts(knowledge_base=base, texts=data.texts, on_progress=on_progress).documents
    ensure_index(base)
    return Library(
        release=releases.snapshot(plugin), documents=documents, chunks=_chunks(base.pk), failed=tuple(failed)
    )


def library_of_plugin(release: Release) -> Library:
    """The documents of a release of a real plugin, by their titles."""
    bases = [base.knowledge_base_id for base in releases.bases_of(release)]
    present = Document.objects.present().filter(knowledge_base__in=bases)
    documents = {title: pk for pk, title in present.values_list("pk", "title")}
    return Library(release=release, documents=documents, chunks=sum(map(_chunks, bases)))


def throw_away(name: str) -> int:
    """Forget what was read for sets of this name; returns how many states of it there were."""
    old = list(_plugins(name))
    for plugin in old:
        _delete(plugin)
    return len(old)


def _chunks(base_id: int) -> int:
    alive = KnowledgeBase.objects.get(pk=base_id).chunks.filter(added_in__isnull=False, removed_in=None)
    return int(alive.count())


def _plugin(data: DataSet) -> Plugin:
    slug = f"{_stem(data.name)}-{_fingerprint(data)[:12]}"
    if found := Plugin.objects.filter(slug=slug, owner__email=OWNER).first():
        return found
    throw_away(data.name)
    return Plugin.objects.create(
        owner=_owner(),
        name=f"Evaluation of {data.name}"[:120],
        slug=slug,
        domain="evaluation",
        tagline="Read for an evaluation; may be deleted at any time.",
        system_prompt="You answer from the sources alone.",
    )


def _stem(name: str) -> str:
    return _PREFIX + hashlib.sha256(name.encode()).hexdigest()[:8]


def _plugins(name: str) -> Iterable[Plugin]:
    return Plugin.objects.filter(owner__email=OWNER, slug__startswith=f"{_stem(name)}-")


def _owner() -> User:
    """Nobody can sign in as this one."""
    owner, _ = User.objects.get_or_create(
        email=OWNER, defaults={"display_name": "Evaluation", "is_active": False, "password": "!"}
    )
    return owner


def _delete(plugin: Plugin) -> None:
    base = KnowledgeBase.objects.filter(plugin=plugin).first()
    with transaction.atomic():
        plugin.delete()
    if base:
        drop_index(base.pk)


def _fingerprint(data: DataSet) -> str:
    """Names what is read and how: bytes, titles, labels, embedder, and the code that reads."""
    digest = hashlib.sha256(settings.LEXIC_EMBEDDER.encode())
    for path in sorted(path for pattern in _RECIPE for path in _ROOT.glob(pattern)):
        digest.update(path.read_bytes())
    for path in data.files:
        digest.update(f"{path.name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    for text in data.texts:
        digest.update(json.dumps([text.name, text.title, text.text, dict(text.metadata)], sort_keys=True).encode())
    digest.update(json.dumps(data.metadata, sort_keys=True).encode())
    return digest.hexdigest()


def _read_files(
    base: KnowledgeBase, data: DataSet, *, on_progress: OnProgress
) -> tuple[dict[str, UUID], list[str]]:
    documents: dict[str, UUID] = {}
    failed = []
    for done, path in enumerate(data.files, start=1):
        document = _read_file(base, path, labels=dict(data.metadata.get(path.name, {})))
        if document is None:
            failed.append(path.name)
        else:
            documents[path.name] = document.pk
        on_progress(done, len(data.files))
    return documents, failed


def _read_file(base: KnowledgeBase, path: Path, *, labels: dict[str, object]) -> Document | None:
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
