"""Documents come in, are watched while they are read, tried again and deleted: a project's and one's own alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render

from accounts.signed_in_request import SignedInRequest
from knowledge.documents.forms import AddressesForm, TextForm
from knowledge.documents.lifecycle import reingest_document
from knowledge.documents.upload_outcomes import (
    UploadOutcome,
    add_each_address,
    add_each_file,
    report_outcomes,
)
from lexic.errors import LexicError
from privacy.document_deletion import delete_private_document
from workspace.document_collection import DocumentCollection, documents_context, with_place
from workspace.knowledge_page import render_knowledge
from workspace.page_base import render_page, workspace_view
from workspace.project_page import render_project


@workspace_view("GET")
@with_place
def list_documents(request: SignedInRequest, place: DocumentCollection) -> HttpResponse:
    """The list alone, for a page that is open already."""
    context = {**documents_context(request, place), "is_partial_update": True}
    return render(request, "workspace/_documents.html", context)


@workspace_view("POST")
@with_place
def add_files(request: SignedInRequest, place: DocumentCollection) -> HttpResponse:
    """Any number of files. To a script it answers in JSON: what became of each."""
    base, files = place.new_document_base(), request.FILES.getlist("files")
    outcomes = add_each_file(base, files, paths=request.POST.getlist("paths"))
    if request.accepts("text/html"):
        return _redirect_to_list(request, place, outcomes)
    return JsonResponse({"results": [asdict(outcome) for outcome in outcomes]})


@workspace_view("POST")
@with_place
def add_pasted_text(request: SignedInRequest, place: DocumentCollection) -> HttpResponse:
    form = TextForm(request.POST, auto_id="text_%s")
    if form.is_valid() and (outcome := form.add_to(place.new_document_base())):
        return _redirect_to_list(request, place, [outcome])
    return _render_place(request, place, text_form=form)


@workspace_view("POST")
@with_place
def add_addresses(request: SignedInRequest, place: DocumentCollection) -> HttpResponse:
    """One document for each address. Those that are refused stay in the form, with the reason."""
    form = AddressesForm(request.POST, auto_id="url_%s")
    if not form.is_valid():
        return _render_place(request, place, addresses_form=form)
    outcomes = add_each_address(place.new_document_base(), form.cleaned_data["addresses"])
    if all(outcome.is_in for outcome in outcomes):
        return _redirect_to_list(request, place, outcomes)
    report_outcomes(request, [outcome for outcome in outcomes if outcome.is_in])
    return _render_place(request, place, addresses_form=AddressesForm.of_refused(outcomes))


@workspace_view("POST")
@with_place
def retry_document(request: SignedInRequest, place: DocumentCollection, document: UUID) -> HttpResponse:
    """Reads it once more; a web page is fetched anew."""
    found = place.documents.own_document(document)
    reingest_document(found)
    messages.info(request, f"“{found}” waits to be read again.")
    return HttpResponseRedirect(place.page_url())


@workspace_view("GET", "POST")
@with_place
def remove_document(request: SignedInRequest, place: DocumentCollection, document: UUID) -> HttpResponse:
    """Says what will happen; then, when that is confirmed, does it."""
    found = place.documents.own_document(document)
    if request.method == "POST":
        try:
            delete_private_document(found)
            messages.success(request, f"“{found}” is deleted.")
        except LexicError as error:
            messages.error(request, error.message_with_hint)
        return HttpResponseRedirect(place.page_url())
    context = {"place": place, "project": place.project, "document": found, "back": place.page_url()}
    return render_page(request, "workspace/delete_document.html", context, section=place.section)


def _redirect_to_list(
    request: SignedInRequest, place: DocumentCollection, outcomes: Sequence[UploadOutcome]
) -> HttpResponseRedirect:
    report_outcomes(request, outcomes)
    return HttpResponseRedirect(place.page_url())


def _render_place(request: SignedInRequest, place: DocumentCollection, **forms: Any) -> HttpResponse:
    """The page of the documents, with a form in which something was wrong."""
    return (render_project if place.project else render_knowledge)(request, place, status=400, **forms)
