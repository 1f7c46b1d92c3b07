"""Adds documents to a plugin: files, pasted text, URLs. If one is refused, the others are still added."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpResponse, HttpResponseRedirect, JsonResponse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.knowledge.lookup import target_base_or_404
from builder.knowledge.views import render_documents
from builder.readiness import reverse_pane
from knowledge.documents.forms import AddressesForm, TextForm
from knowledge.documents.upload_outcomes import (
    UploadOutcome,
    add_each_address,
    add_each_file,
    report_outcomes,
    short_name,
)
from plugins.models import Plugin


def add_files(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Any number of files. To a script it answers in JSON: what became of each, which for some is a refusal."""
    base, files = target_base_or_404(request, plugin), request.FILES.getlist("files")
    outcomes = add_each_file(base, files, paths=request.POST.getlist("paths"))
    _log_added(request, plugin, outcomes)
    if request.accepts("text/html"):
        return _redirect_to_list(request, plugin, outcomes)
    return JsonResponse({"results": [asdict(outcome) for outcome in outcomes]})


def add_pasted_text(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    form = TextForm(request.POST, auto_id="text_%s")
    if form.is_valid() and (outcome := form.add_to(target_base_or_404(request, plugin))):
        _log_added(request, plugin, [outcome])
        return _redirect_to_list(request, plugin, [outcome])
    return render_documents(request, plugin, text_form=form)


def add_addresses(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """One document for each address. Those that are none stay in the form, with the reason."""
    form = AddressesForm(request.POST, auto_id="url_%s")
    if not form.is_valid():
        return render_documents(request, plugin, addresses_form=form)
    outcomes = add_each_address(target_base_or_404(request, plugin), form.cleaned_data["addresses"])
    _log_added(request, plugin, outcomes)
    if all(outcome.is_in for outcome in outcomes):
        return _redirect_to_list(request, plugin, outcomes)
    report_outcomes(request, [outcome for outcome in outcomes if outcome.is_in])
    return render_documents(request, plugin, addresses_form=AddressesForm.of_refused(outcomes))


def _log_added(request: SignedInRequest, plugin: Plugin, outcomes: list[UploadOutcome]) -> None:
    names = [short_name(outcome.name) for outcome in outcomes if outcome.is_in]
    if names:
        log_plugin_change(request, plugin, f"Added {names[0] if len(names) == 1 else f'{len(names)} documents'}.")


def _redirect_to_list(request: SignedInRequest, plugin: Plugin, outcomes: list[UploadOutcome]) -> HttpResponseRedirect:
    report_outcomes(request, outcomes)
    return HttpResponseRedirect(reverse_pane(plugin, "knowledge"))
