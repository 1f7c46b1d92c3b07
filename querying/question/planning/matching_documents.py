"""The documents that a plan names: they match its filters, the caller may read them, and the release holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import Q, QuerySet
from django.utils import timezone

from knowledge.models import Chunk, Document
from knowledge.search.filters import Filters
from knowledge.search.revision_statistics import BaseRevision
from plugins.models import Release
from querying import releases
from querying.question import document_access
from querying.question.planning.query_plan import QueryPlan
from querying.types.question import Question


def matching_documents(question: Question, plan: QueryPlan) -> QuerySet[Document]:
    """The documents that the caller's filters, the plan, and what the asker may read all allow; in force today, unless
    a day was asked for."""
    filters = plan.narrowed(question.options.filters or Filters())
    if filters.as_of is None and not filters.statuses:
        filters = replace(filters, as_of=timezone.localdate())
    narrowed = document_access.combine_filters(filters, document_access.access_filters(question)) or Filters()
    return documents_of_question(narrowed.documents(), question)


def documents_of_question(documents: QuerySet[Document], question: Question) -> QuerySet[Document]:
    """The documents of these that the question reads, in its release and its private layers."""
    return _documents_in_bases(documents, releases.bases_of(question))


def documents_in_release(documents: QuerySet[Document], release: Release) -> QuerySet[Document]:
    """The documents of these that the release reads."""
    return _documents_in_bases(documents, releases.pinned_bases(release))


def _documents_in_bases(documents: QuerySet[Document], bases: Sequence[BaseRevision]) -> QuerySet[Document]:
    is_read = Q(pk=None)
    for base in bases:
        chunks = Chunk.objects.filter(knowledge_base=base.knowledge_base_id, index=0).alive_at(base.revision)
        is_read |= Q(pk__in=chunks.order_by().values("document"))
    return documents.filter(is_read)
