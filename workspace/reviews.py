"""`/contracts/reviews/<id>`: a contract beside what a playbook says of it, and what people decide of each finding."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from contracts.clauses.parse_contract import DocumentNotReady, contract_pages
from contracts.models import ContractReview, Decision, Finding
from contracts.review.start_review import start_review
from contracts.review_access import find_finding, find_review, may_change
from lexic.errors import LexicError
from querying.question.user_limits import check_user_limit
from workspace.document_place import DocumentPlace, with_place
from workspace.forms import ReviewForm
from workspace.pages import render_page, workspace_view
from workspace.review_page import findings_context, marked_pages, shown_finding

_MAX_NOTE = 2000
_MAX_NUMBER = 32_000  # what a column of small numbers takes
_FORMATS = (
    ("html", "Report"),
    ("docx", "Word"),
    ("markdown", "Markdown"),
    ("json", "JSON"),
    ("csv", "Obligations (CSV)"),
)


@workspace_view("GET", "POST")
@with_place
def new_review(request: SignedInRequest, place: DocumentPlace, document: UUID) -> HttpResponse:
    """GET: choose a playbook. POST: begin the review and go to it."""
    found = place.documents.own_document(document)
    form = ReviewForm(request.POST if request.method == "POST" else None, user=request.user, document=found)
    if form.is_valid():
        try:
            check_user_limit(request.user)
            review = start_review(
                found,
                by=request.user,
                principal=request.user,
                playbook=form.cleaned_data["playbook"],
                side=form.cleaned_data["side"],
            )
        except LexicError as error:
            form.add_error(None, error.message_with_hint)
        else:
            return redirect("review", review.pk)
    section = "projects" if place.project else "knowledge"
    context = {"place": place, "project": place.project, "document": found, "form": form, "back": place.page_url()}
    return render_page(
        request, "workspace/new_review.html", context, section=section, status=400 if form.errors else 200
    )


@workspace_view("GET")
def show_review(request: SignedInRequest, review: UUID) -> HttpResponse:
    """The whole page."""
    found = find_review(request.user, review)
    context = _review_context(request, found)
    try:
        pages = contract_pages(found.document, revision=found.revision)
    except DocumentNotReady:
        pages = ()
    context["pages"] = marked_pages(pages, context["all_findings"])
    context["is_shortened"] = len(context["pages"]) < len(pages)
    return render_page(request, "workspace/review.html", context, section="projects")


@workspace_view("GET")
def list_findings(request: SignedInRequest, review: UUID) -> HttpResponse:
    """The findings alone, for a page that is open while the review is made; once it is done the page is opened anew."""
    found = find_review(request.user, review)
    response = render(request, "workspace/_findings.html", _review_context(request, found))
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
        note = request.POST.get("note", "").replace("\x00", " ").strip()[:_MAX_NOTE]
        finding.decide(decision, note=note, by=request.user)
    if "HX-Request" in request.headers:
        return render(request, "workspace/_finding.html", _finding_context(found, finding))
    return HttpResponseRedirect(f"{reverse('review', args=[found.pk])}#finding-{finding.number}")


@workspace_view("GET", "POST")
def remove_review(request: SignedInRequest, review: UUID) -> HttpResponse:
    """Says what goes with it; then, when that is confirmed, deletes it."""
    found = find_review(request.user, review, for_editing=True)
    if request.method == "POST":
        found.delete()
        messages.success(request, f"The review of “{found.document}” is deleted.")
        return redirect("projects")
    context = {"review": found, "decided": Finding.objects.filter(review=found).decided().count()}
    return render_page(request, "workspace/delete_review.html", context, section="projects")


def _review_context(request: SignedInRequest, review: ContractReview) -> dict[str, Any]:
    return {
        "review": review,
        "may_change": may_change(request.user, review) and review.is_finished,
        "export_url": reverse("api_contract_review_export", args=[review.pk]),
        "formats": _FORMATS,
        **findings_context(review, request.GET.dict()),
    }


def _finding_context(review: ContractReview, finding: Finding) -> dict[str, Any]:
    return {"review": review, "one": shown_finding(finding), "may_change": True}
