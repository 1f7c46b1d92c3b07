"""Deletes for good what left a knowledge base and is read by no release, and pinned by nothing else."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from itertools import pairwise
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from knowledge.documents import file_store, page_images
from knowledge.legal_hold import plugins_holding
from knowledge.models import Chunk, ChunkTerms, Document, Embedding, KnowledgeBase, Page, Revision, RevisionPin
from plugins.models import Release
from plugins.retention import site_retention_days

# A question that is being answered right now, or a release that is being made, reads a revision this recent.
REVISION_GRACE = timedelta(hours=1)
# A file this young may belong to an upload whose row is not written yet.
FILE_GRACE = timedelta(minutes=5)


def prune_knowledge_base(knowledge_base: KnowledgeBase, *, older_than: timedelta = REVISION_GRACE) -> int:
    """Delete the rows that left the knowledge base before `older_than`, and that no release and no pin holds.

    Files that nothing else was read from are deleted as well. Returns the number of chunks deleted. Safe to call at any
    time and repeatedly.
    """
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update(no_key=True).get(pk=knowledge_base.pk)
        unseen = _unreachable_rows(knowledge_base, older_than=older_than)
        unheld = unseen & ~_is_pinned(knowledge_base)
        sources = _source_hashes(unseen, unheld, knowledge_base)
        Embedding.objects.filter(unheld, knowledge_base=knowledge_base).delete()
        _delete_former_vectors(knowledge_base, older_than=older_than)
        ChunkTerms.objects.filter(unheld, knowledge_base=knowledge_base).delete()
        _, deleted = Chunk.objects.filter(unheld, knowledge_base=knowledge_base).delete()
        Page.objects.filter(unheld, document__knowledge_base=knowledge_base).delete()
        left = Page.objects.filter(document=OuterRef("pk"))
        Document.objects.filter(~Exists(left), unseen, knowledge_base=knowledge_base).delete()
    delete_orphaned_files(sources)
    return deleted.get(Chunk._meta.label, 0)


def pruning_age(knowledge_base: KnowledgeBase) -> timedelta | None:
    """How long rows that left the knowledge base are kept; None: for ever, because its plugin keeps them, or because a
    plugin that reads it is under legal hold. What somebody deletes of their own is gone as soon as it can be."""
    if knowledge_base.is_private:
        return REVISION_GRACE
    if plugins_holding(knowledge_base):
        return None
    plugin = knowledge_base.plugin
    days = plugin.retention_days("files") if plugin else site_retention_days("files")
    return max(REVISION_GRACE, timedelta(days=days)) if days else None


def delete_orphaned_files(hashes: Collection[str], *, older_than: timedelta = FILE_GRACE) -> None:
    """Delete these stored files where no document and no page of any knowledge base comes from them any more."""
    for sha256 in orphaned_files(hashes, older_than=older_than):
        file_store.delete_stored(sha256)
        page_images.delete_page_images(sha256)


def orphaned_files(hashes: Collection[str], *, older_than: timedelta = FILE_GRACE) -> list[str]:
    """The stored files among these that are older, and that no document and no page refers to."""
    wanted = set(Page.objects.filter(source_sha256__in=hashes).values_list("source_sha256", flat=True))
    rows = Document.objects.filter(Q(sha256__in=hashes) | Q(ready_sha256__in=hashes))
    for pair in rows.values_list("sha256", "ready_sha256"):
        wanted.update(pair)
    newest = (timezone.now() - older_than).timestamp()
    unwanted = sorted(set(hashes) - wanted - {""})
    return [sha256 for sha256 in unwanted if (at := file_store.stored_at(sha256)) is not None and at <= newest]


def _delete_former_vectors(knowledge_base: KnowledgeBase, *, older_than: timedelta) -> None:
    """Deletes the vectors of a former embedder of the base, once no revision of its time is searched any more."""
    settled = _last_revision_before(knowledge_base, older_than=older_than)
    held = knowledge_base.pins.of_bases().values_list("revision", flat=True)
    pinned = {*pinned_revisions(knowledge_base), *held}
    spaces = sorted((one.since, one.number) for one in knowledge_base.spaces.all() if one.since is not None)
    for (since, number), (until, _) in pairwise(spaces):
        if until <= settled and not any(since <= revision < until for revision in pinned):
            Embedding.objects.filter(knowledge_base=knowledge_base, space=number).delete()


def _source_hashes(unseen: Q, unheld: Q, knowledge_base: KnowledgeBase) -> set[str]:
    pages = Page.objects.filter(unheld, document__knowledge_base=knowledge_base)
    documents = Document.objects.filter(unseen, knowledge_base=knowledge_base)
    return {
        *pages.values_list("source_sha256", flat=True).distinct(),
        *documents.values_list("sha256", flat=True),
        *documents.values_list("ready_sha256", flat=True),
    }


def _unreachable_rows(knowledge_base: KnowledgeBase, *, older_than: timedelta) -> Q:
    """Rows that ended, long enough ago, and were not alive at any revision that a release reads."""
    settled = _last_revision_before(knowledge_base, older_than=older_than)
    condition = Q(removed_in__lte=settled)
    for revision in pinned_revisions(knowledge_base):
        condition &= ~Q(added_in__lte=revision, removed_in__gt=revision)
    return condition


def _is_pinned(knowledge_base: KnowledgeBase) -> Q:
    """Whether a pin holds a row that belongs to a document: it was alive at the pin's revision. What was deleted out of
    a private base is held by nothing."""
    named = Q(document=None) | Q(document=OuterRef("document"))
    pins = RevisionPin.objects.filter(named, knowledge_base=knowledge_base)
    held = Q(Exists(pins.filter(revision__gte=OuterRef("added_in"), revision__lt=OuterRef("removed_in"))))
    return held & Q(document__removed_in=None) if knowledge_base.is_private else held


def pinned_revisions(knowledge_base: KnowledgeBase) -> list[int]:
    """The revisions of this knowledge base that releases read, ascending."""
    pins: list[list[dict[str, Any]]] = list(
        Release.objects.filter(knowledge__contains=[{"knowledge_base": knowledge_base.pk}])
        .values_list("knowledge", flat=True)
        .distinct()
    )
    ours = [pin for knowledge in pins for pin in knowledge if pin["knowledge_base"] == knowledge_base.pk]
    return sorted({int(pin["revision"]) for pin in ours})


def _last_revision_before(knowledge_base: KnowledgeBase, *, older_than: timedelta) -> int:
    past = Revision.objects.filter(knowledge_base=knowledge_base, created_at__lte=timezone.now() - older_than).order_by(
        "-number"
    )
    return past.values_list("number", flat=True).first() or 0
