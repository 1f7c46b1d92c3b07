"""The documents that a release reads: those of its knowledge bases at the revisions that it pins."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import models
from django.db.models.functions import Coalesce, NullIf

from knowledge.models import Chunk, Document, DocumentQuerySet
from plugins.models import Release
from querying import releases
from querying.question import document_access

# What visitors are told of, where there is something that they are not.
_PUBLIC_CONDITION = {"is_public": True, "is_template": False}


def public_documents(release: Release) -> DocumentQuerySet:
    """Titles, dates and counts of pages may be shown to anybody; the text only by `Page.objects.visible_to`. Where the
    author tells public documents from others, these are the public ones, as they are marked today."""
    return _public_documents(release, rows_condition(release))


def _public_documents(release: Release, read: models.Q) -> DocumentQuerySet:
    documents = Document.objects.filter(read)
    return documents.filter(**_PUBLIC_CONDITION) if document_access.restricts_to_public(release) else documents


def private_documents(release: Release) -> DocumentQuerySet:
    """The documents that the release reads and that visitors do not see."""
    if not document_access.restricts_to_public(release):
        return Document.objects.none()
    return Document.objects.filter(rows_condition(release)).exclude(**_PUBLIC_CONDITION)


def rows_condition(release: Release, *, base_field: str = "knowledge_base") -> models.Q:
    """Which documents, chunks or pages the release reads: each is part of a base between two of its revisions. One
    statement."""
    read = models.Q(pk=None)
    for base in releases.pinned_bases(release):
        was_there = models.Q(removed_in=None) | models.Q(removed_in__gt=base.revision)
        read |= models.Q(**{base_field: base.knowledge_base_id}, added_in__lte=base.revision) & was_there
    return read


def titled_documents(release: Release) -> DocumentQuerySet:
    """The same with `title_then`: what each was called when the release was made. Its author may have given it another
    name since, which stays private until the next release."""
    read = rows_condition(release)
    chunks = Chunk.objects.filter(read, document=models.OuterRef("pk")).order_by()
    then = NullIf(models.Subquery(chunks.values("document_title")[:1]), models.Value(""))
    return _public_documents(release, read).annotate(title_then=Coalesce(then, "title"))


def source_figures(release: Release, *, today: date, measured_on: date | None) -> dict[str, Any]:
    """`sources`, their `pages` and how many of them have pages (`paged`), how many are `superseded` today, the `newest`
    date among them, and how many were superseded `since` the release was measured. Two statements."""
    is_over = models.Q(superseded_on__lte=today)
    since = is_over & models.Q(superseded_on__gt=measured_on) if measured_on else models.Q(pk=None)
    figures = public_documents(release).aggregate(
        sources=models.Count("pk"),
        pages=Coalesce(models.Sum("page_count"), 0),
        paged=models.Count("page_count"),
        superseded=models.Count("pk", filter=is_over),
        newest=models.Max(Coalesce("effective_from", "doc_date")),
        since=models.Count("pk", filter=since),
    )
    return dict(figures)
