"""Searches private documents: a person's own, and those of a project."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from accounts.models import Principal, user_of
from conversations.projects.models import Project
from knowledge.embedders import get_embedder
from knowledge.models import BaseKind, KnowledgeBase, KnowledgeBaseQuerySet
from knowledge.search.filters import Filters
from knowledge.search.hybrid import BaseRevision, search
from knowledge.search.passages import Passage
from querying.presentation.source_citations import SourceCitation, source_citations
from querying.private_layers import current_layers

# A passage found by meaning alone must be more similar than this (cosine).
_THRESHOLD = 0.3


class DocumentScope(StrEnum):
    """Which documents: the person's own, those of a project, or both."""

    ALL = "all"
    PERSONAL = "personal"
    PROJECT = "project"


@dataclass(frozen=True, kw_only=True)
class UserDocumentSearch:
    """What to look for, and where. Passages with a score below `min_score` are left out."""

    principal: Principal
    text: str
    scope: DocumentScope = DocumentScope.ALL
    project: Project | None = None
    top_k: int = 8
    min_score: float = 0.0


def private_bases(
    principal: Principal, *, scope: DocumentScope = DocumentScope.ALL, project: Project | None = None
) -> KnowledgeBaseQuerySet:
    """The private bases that this person or key may read now: their own, that of the project, or both."""
    visible, person = KnowledgeBase.objects.visible_to(principal), user_of(principal)
    personal = visible.filter(kind=BaseKind.PERSONAL, owner=person)
    of_projects = visible.filter(kind=BaseKind.PROJECT)
    of_project = of_projects.filter(pk=project.knowledge_base_id) if project else of_projects.none()
    return {
        DocumentScope.PERSONAL: personal,
        DocumentScope.PROJECT: of_project,
        DocumentScope.ALL: personal | of_project,
    }[scope]


def private_layers(
    principal: Principal, *, scope: DocumentScope = DocumentScope.ALL, project: Project | None = None
) -> tuple[BaseRevision, ...]:
    """These bases at their current revisions, for a question that reads them in addition to a release."""
    return current_layers(private_bases(principal, scope=scope, project=project))


def search_user_documents(options: UserDocumentSearch) -> list[SourceCitation]:
    """The best passages of these documents as sources, best first. Raises `EmbedderError`."""
    return source_citations(find_user_passages(options))


def find_user_passages(options: UserDocumentSearch) -> list[Passage]:
    """The best passages of these documents, best first; templates are no text to quote. Raises `EmbedderError`."""
    bases = private_layers(options.principal, scope=options.scope, project=options.project)
    passages = search(
        knowledge_bases=bases,
        text=options.text,
        embedding={name: get_embedder(name).embed_one(options.text) for name in {base.embedder for base in bases}},
        filters=Filters(exclude_templates=True),
        limit=options.top_k,
        threshold=_THRESHOLD,
    )
    return [passage for passage in passages if passage.score >= options.min_score]
