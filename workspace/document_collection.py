"""Documents on a page: those of a project, or the person's own, with their addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Q
from django.http import HttpResponseBase
from django.urls import reverse

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from contracts.models import ContractReview, ContractReviewQuerySet
from conversations.models import Project
from conversations.private_documents import PrivateDocuments, personal_documents, project_documents
from conversations.projects.access import find_project
from knowledge.documents.document_rows import BaseAccess, DocumentRow, document_rows
from knowledge.documents.forms import SUPPORTED_TYPES_TEXT, AddressesForm, TextForm
from knowledge.models import Document, DocumentQuerySet, DocumentStatus, KnowledgeBase, Page
from knowledge.personal_knowledge_base import personal_knowledge_base
from lexic.http.parameters import MAX_SEARCH_LENGTH, get_page, single_line

PER_PAGE = 25
_MAX_REVIEWS = 20
_FINAL_STATUSES = (DocumentStatus.READY, DocumentStatus.FAILED)


@dataclass(frozen=True, kw_only=True)
class DocumentCollection:
    """The documents of `project` with the role of this person, or the person's own where it is None."""

    user: User
    project: Project | None
    documents: PrivateDocuments

    @property
    def section(self) -> str:
        """The entry of the sidebar that they are in."""
        return "projects" if self.project else "knowledge"

    def url(self, name: str, *arguments: object) -> str:
        """The address of this name below the project, or below the person's own documents."""
        if self.project is None:
            return reverse(f"own_{name}", args=arguments)
        return reverse(f"project_{name}", args=[self.project.pk, *arguments])

    def new_document_base(self) -> KnowledgeBase:
        """The base that new documents go to; the person's own one is made on first use. Raises `ReadOnlyDocuments`."""
        return self.documents.new_document_base() if self.project else personal_knowledge_base(self.user)

    def ask_url(self, document: UUID) -> str:
        """Where a conversation about this document begins."""
        project = {"project": self.project.pk} if self.project else {}
        return f"{reverse('new_conversation')}?{urlencode({**project, 'document': document})}"

    def page_url(self) -> str:
        return f"{reverse('project', args=[self.project.pk]) if self.project else reverse('knowledge')}#documents-title"


@dataclass(frozen=True, kw_only=True)
class DocumentListItem:
    """A line of the list. `opens` is the address of its first page, `asks` of a new conversation about it; `reviews`,
    `compares`, `retries` and `deletes` take forms."""

    row: DocumentRow
    opens: str
    asks: str
    reviews: str
    compares: str
    retries: str
    deletes: str


def find_place(user: User, project: UUID | None, *, for_editing: bool) -> DocumentCollection:
    """Raises `UnknownProject`, `ReadOnlyProject`."""
    if project is None:
        return DocumentCollection(user=user, project=None, documents=personal_documents(user))
    found = find_project(user, project, for_editing=for_editing)
    return DocumentCollection(user=user, project=found, documents=project_documents(found))


def with_place(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Gives the view the place instead of a project's id. Whatever it is sent by POST changes documents."""

    @wraps(view)
    def placed(request: SignedInRequest, project: UUID | None = None, **captured: Any) -> HttpResponseBase:
        place = find_place(request.user, project, for_editing=request.method == "POST")
        return view(request, place, **captured)

    return placed


def documents_context(request: SignedInRequest, place: DocumentCollection) -> dict[str, Any]:
    """What the list and the forms above it show. The number of statements does not grow with that of the documents."""
    everything = place.documents.documents()
    words = single_line(request.GET.get("title", ""), max_length=MAX_SEARCH_LENGTH)
    chosen = everything.name_contains(words) if words else everything
    counts = chosen.aggregate(
        total=Count("pk"),
        working=Count("pk", filter=~Q(status__in=_FINAL_STATUSES)),
        failed=Count("pk", filter=Q(status=DocumentStatus.FAILED)),
    )
    page = get_page(request, chosen.unfinished_first(), per_page=PER_PAGE)
    return {
        "place": place,
        "may_change": place.documents.is_editor,
        "lines": _list_items(list(page), place, comparable=_comparable(everything)),
        "page": page,
        "counts": counts,
        "title_words": words,
        "list_url": f"{place.url('documents')}?{urlencode({'title': words, 'page': page.number})}",
        "files_url": place.url("files"),
        "text_url": place.url("text"),
        "addresses_url": place.url("addresses"),
        "drive_url": place.url("drive"),
        "page_url": place.page_url(),
        "reviews": _reviews(place),
    }


def add_forms_context() -> dict[str, Any]:
    """The forms that add documents, empty, and what may be sent by them."""
    return {
        "text_form": TextForm(auto_id="text_%s"),
        "addresses_form": AddressesForm(auto_id="url_%s"),
        "most_bytes": settings.LEXIC_MAX_DOCUMENT_BYTES,
        "most_megabytes": settings.LEXIC_MAX_DOCUMENT_BYTES // (1024 * 1024),
        "types": SUPPORTED_TYPES_TEXT,
    }


def _reviews(place: DocumentCollection) -> ContractReviewQuerySet:
    """The newest reviews of these documents, without their long texts."""
    reviews = ContractReview.objects.visible_to(place.user).filter(document__knowledge_base=place.documents.base)
    shown = reviews.select_related("document", "compared_document").defer(
        "playbook_text", "playbook_fields", "structure", "obligations", "escalations"
    )
    return shown[:_MAX_REVIEWS]


def _comparable(documents: DocumentQuerySet) -> set[UUID]:
    """Two of those that another one may be compared with, or as many as there are."""
    ready = documents.filter(status=DocumentStatus.READY, is_template=False)
    return set(ready.values_list("pk", flat=True)[:2])


def _list_items(
    documents: Sequence[Document], place: DocumentCollection, *, comparable: Set[UUID]
) -> list[DocumentListItem]:
    base = place.documents.base
    readable = {base.pk} if base else set()
    access = BaseAccess(readable=readable, editable=readable if place.documents.is_editor else set())
    first_pages = _first_pages(documents)
    return [
        DocumentListItem(
            row=row,
            opens=reverse("source", args=[first_pages[pk]]) if (pk := row.document.pk) in first_pages else "",
            asks=place.ask_url(pk) if pk in first_pages else "",
            reviews=place.url("review", pk) if pk in first_pages else "",
            compares=place.url("compare", pk) if pk in first_pages and comparable - {pk} else "",
            retries=place.url("retry", pk),
            deletes=place.url("delete_document", pk),
        )
        for row in document_rows(documents, access)
    ]


def _first_pages(documents: Sequence[Document]) -> dict[UUID, int]:
    """The id of the first page of each document that has been read."""
    pages = Page.objects.filter(document__in=documents, added_in__isnull=False, removed_in=None)
    first = pages.order_by("document", "number").distinct("document")
    return dict(first.values_list("document", "pk"))
