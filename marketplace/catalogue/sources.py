"""Which documents a release reads: those that were part of its knowledge bases at the revisions that it pins."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import models
from django.db.models.functions import Coalesce, NullIf

from knowledge.models import Chunk, Document, DocumentQuerySet
from plugins.models import Release
from querying import audience

# What visitors are told of, where there is something that they are not.
_SHOWN = {"is_public": True, "is_template": False}


def documents_of(release: Release) -> DocumentQuerySet:
    """Titles, dates and counts of pages may be shown to anybody; the text only by `Page.objects.visible_to`. Where the
    author tells public documents from others, these are the public ones, as they are marked today."""
    read = Document.objects.filter(_read_by(release))
    return read.filter(**_SHOWN) if audience.keeps_private(release) else read


def closed_documents_of(release: Release) -> DocumentQuerySet:
    """Those that it reads and visitors are not told of."""
    if not audience.keeps_private(release):
        return Document.objects.none()
    return Document.objects.filter(_read_by(release)).exclude(**_SHOWN)


def _read_by(release: Release) -> models.Q:
    read = models.Q(pk=None)
    for pinned in release.knowledge:
        revision = pinned["revision"]
        was_there = models.Q(removed_in=None) | models.Q(removed_in__gt=revision)
        read |= models.Q(knowledge_base=pinned["knowledge_base"], added_in__lte=revision) & was_there
    return read


def titled_documents_of(release: Release) -> DocumentQuerySet:
    """The same with `title_then`: what each was called when the release was made. Its author may have given it another
    name since, which is nobody's business before the next release."""
    chunks = Chunk.objects.filter(_alive_chunks(release), document=models.OuterRef("pk")).order_by()
    then = NullIf(models.Subquery(chunks.values("document_title")[:1]), models.Value(""))
    return documents_of(release).annotate(title_then=Coalesce(then, "title"))


def _alive_chunks(release: Release) -> models.Q:
    alive = models.Q(pk=None)
    for pinned in release.knowledge:
        was_there = models.Q(removed_in=None) | models.Q(removed_in__gt=pinned["revision"])
        alive |= models.Q(knowledge_base=pinned["knowledge_base"], added_in__lte=pinned["revision"]) & was_there
    return alive


def figures_of(release: Release, *, today: date, measured_on: date | None) -> dict[str, Any]:
    """`sources`, their `pages`, how many are `superseded` today, the `newest` date among them, and how many were
    superseded `since` the release was measured. One statement."""
    is_over = models.Q(superseded_on__lte=today)
    since = is_over & models.Q(superseded_on__gt=measured_on) if measured_on else models.Q(pk=None)
    figures = documents_of(release).aggregate(
        sources=models.Count("pk"),
        pages=Coalesce(models.Sum("page_count"), 0),
        superseded=models.Count("pk", filter=is_over),
        newest=models.Max(Coalesce("effective_from", "doc_date")),
        since=models.Count("pk", filter=since),
    )
    return dict(figures)
