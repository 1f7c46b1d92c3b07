"""`/contracts/reviews/<id>`: a contract beside what a playbook says of it, and what people decide of each finding."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.quotas import TooManyUnfinishedReviews
from accounts.signed_in_request import SignedInRequest
from contracts.clauses.parse_contract import DocumentNotReady, contract_pages
from contracts.models import MAX_NOTE_CHARACTERS, ContractReview, Decision, Finding, ReviewState
from contracts.review.start_review import ReviewNotFailed, retry_review, start_review
from contracts.review_access import find_finding, find_review, may_change
from conversations.models import Project
from knowledge.models import Document, DocumentQuerySet, DocumentStatus, SourceType
from lexic.errors import LexicError
from querying.question.user_limits import check_user_limit
from workspace.document_collection import DocumentCollection, with_place
from workspace.forms import ContractReviewForm
from workspace.page_base import render_page, workspace_view
from workspace.review_page import findings_context, marked_pages, shown_finding

_MAX_NUMBER = 32_000  # what a column of small numbers takes
_FORMATS = (
    ("html", "Report"),
    ("docx", "Word"),
    ("docx-comments", "Word, comments only"),
    ("markdown", "Markdown"),
    ("json", "JSON"),
    ("csv", "Obligations (CSV)"),
)


@workspace_view("GET", "POST")
@with_place
def new_review(request: SignedInRequest, place: DocumentCollection, document: UUID) -> HttpResponse:
    """GET: choose a playbook. POST: begin the review and go to it."""
    return _begin_review(request, place, place.documents.own_document(document), earlier=None)


@workspace_view("GET", "POST")
@with_place
def new_comparison(request: SignedInRequest, place: DocumentCollection, document: UUID) -> HttpResponse:
    """GET: choose the earlier version among the other documents, and a playbook. POST: begin the review of what changed
    and go to it."""
    found = place.documents.own_document(document)
    others = place.documents.documents().filter(status=DocumentStatus.READY, is_template=False)
    return _begin_review(request, place, found, earlier=others.exclude(pk=found.pk))


def _begin_review(
    request: SignedInRequest, place: DocumentCollection, document: Document, *, earlier: DocumentQuerySet | None
) -> HttpResponse:
    data = request.POST if request.method == "POST" else None
    form = ContractReviewForm(data, user=request.user, document=document, earlier=earlier)
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            check_user_limit(request.user)
            review = start_review(
                document,
                by=request.user,
                principal=request.user,
                playbook=chosen["playbook"],
                side=chosen["side"],
                compare_with=earlier.get(pk=chosen["compare_with"]) if earlier is not None else None,
            )
        except LexicError as error:
            form.add_error(None, error.message_with_hint)
        else:
            return redirect("review", review.pk)
    context = {
        "place": place,
        "project": place.project,
        "document": document,
        "is_comparison": earlier is not None,
        "form": form,
        "back": place.page_url(),
    }
    status = 400 if form.errors else 200
    return render_page(request, "workspace/new_review.html", context, section=place.section, status=status)


@workspace_view("GET")
def show_review(request: SignedInRequest, review: UUID) -> HttpResponse:
    """The whole page."""
    found = find_review(request.user, review)
    context = _review_context(request, found)
    try:
        pages = contract_pages(found.document, revision=found.revision)
    except DocumentNotReady:
        pages = ()
    context["project"] = _project_of(found)
    context["document_url"] = reverse("source", args=[pages[0].id]) if pages else ""
    context["pages"] = marked_pages(
        pages, context["all_findings"], is_markdown=found.document.source_type == SourceType.MARKDOWN
    )
    context["is_shortened"] = len(context["pages"]) < len(pages)
    section = "projects" if context["project"] else "knowledge"
    return render_page(request, "workspace/review.html", context, section=section)


@workspace_view("GET")
def list_findings(request: SignedInRequest, review: UUID) -> HttpResponse:
    """The findings alone, for a page that is open while the review is made; once it is done the page is opened anew."""
    found = find_review(request.user, review)
    response = render(
        request, "workspace/_findings.html", {**_review_context(request, found), "is_partial_update": True}
    )
    if found.is_finished:
        response["HX-Refresh"] = "true"
    return response


@workspace_view("POST")
def decide_finding(request: SignedInRequest, review: UUID, number: int) -> HttpResponse:
    """Keeps what the person makes of a finding, with a note; an empty decision takes an earlier one back."""
    finding = find_finding(request.user, review, min(number, _MAX_NUMBER))
    found = finding.review
    decision = request.POST.get("decision", "")
    if decision and decision not in Decision.values:
        messages.error(request, "Nothing was changed. Accept or dismiss the finding.")
    else:
        note = request.POST.get("note", "").replace("\x00", " ").strip()[:MAX_NOTE_CHARACTERS]
        finding.decide(decision, note=note, by=request.user)
    if "HX-Request" in request.headers:
        return render(request, "workspace/_decided_finding.html", _decided_context(found, finding))
    return HttpResponseRedirect(f"{reverse('review', args=[found.pk])}#finding-{finding.number}")


@workspace_view("POST")
def try_again(request: SignedInRequest, review: UUID) -> HttpResponse:
    """Has a worker go on with a review that failed, behind its last finding."""
    found = find_review(request.user, review, for_editing=True)
    try:
        retry_review(found, by=request.user)
    except (ReviewNotFailed, TooManyUnfinishedReviews) as error:
        messages.error(request, error.message_with_hint)
    return redirect("review", found.pk)


@workspace_view("GET", "POST")
def remove_review(request: SignedInRequest, review: UUID) -> HttpResponse:
    """Says what goes with it; then, when that is confirmed, deletes it."""
    found = find_review(request.user, review, for_editing=True)
    project = _project_of(found)
    if request.method == "POST":
        found.delete()
        messages.success(request, f"The review of “{found.document}” is deleted.")
        return redirect("project", project.pk) if project else redirect("knowledge")
    context = {"review": found, "project": project, "decided": Finding.objects.filter(review=found).decided().count()}
    section = "projects" if project else "knowledge"
    return render_page(request, "workspace/delete_review.html", context, section=section)


def _project_of(review: ContractReview) -> Project | None:
    """None for one of the person's own documents."""
    return Project.objects.filter(knowledge_base=review.document.knowledge_base_id).first()


def _review_context(request: SignedInRequest, review: ContractReview) -> dict[str, Any]:
    is_editor = may_change(request.user, review)
    return {
        "review": review,
        "may_change": is_editor and review.is_finished,
        "may_retry": is_editor and review.state == ReviewState.FAILED,
        "export_url": reverse("api_contract_review_export", args=[review.pk]),
        "formats": _FORMATS,
        **findings_context(review, request.GET.dict()),
    }


def _decided_context(review: ContractReview, finding: Finding) -> dict[str, Any]:
    """The finding and the figures above it, which its decision changes."""
    shown = {"review": review, "one": shown_finding(finding), "may_change": True, "is_partial_update": True}
    return {**findings_context(review, {}), **shown}
