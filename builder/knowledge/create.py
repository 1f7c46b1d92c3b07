"""Documents come in: files, pasted text, addresses. One that is refused does not stop the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.knowledge.forms import AddressesForm, TextForm
from builder.knowledge.lookup import target_base_or_404
from builder.knowledge.views import render_documents
from builder.readiness import reverse_pane
from knowledge.documents.lifecycle import AddResult, add_file, add_text, add_url
from knowledge.models import DocumentStatus
from lexic.errors import LexicError
from plugins.models import Plugin

_MAX_NAME_LENGTH = 80


@dataclass(frozen=True, kw_only=True)
class UploadOutcome:
    """What became of one of those that came in."""

    name: str
    is_in: bool
    said: str


def add_files(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Any number of files. To a script it answers in JSON: what became of each, which for some is a refusal."""
    base = target_base_or_404(request, plugin)
    chosen = request.FILES.getlist("files")
    results = [
        _try_add(
            file.name or "file",
            lambda file=file: add_file(  # type: ignore[misc]
                knowledge_base=base, file_name=file.name or "", stream=file
            ),
        )
        for file in chosen
    ]
    if not chosen:
        results = [UploadOutcome(name="", is_in=False, said="No file was chosen.")]
    _log_added(request, plugin, results)
    if request.accepts("text/html"):
        return _redirect_to_list(request, plugin, results)
    return JsonResponse({"results": [asdict(result) for result in results]})


def add_pasted_text(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    form = TextForm(request.POST, auto_id="text_%s")
    if form.is_valid():
        said = form.cleaned_data
        base = target_base_or_404(request, plugin)
        result = _try_add(said["title"], lambda: add_text(knowledge_base=base, title=said["title"], text=said["text"]))
        if result.is_in:
            _log_added(request, plugin, [result])
            return _redirect_to_list(request, plugin, [result])
        form.add_error("text", result.said)
    return render_documents(request, plugin, text_form=form)


def add_addresses(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """One document for each address. Those that are none stay in the form, with the reason."""
    form = AddressesForm(request.POST, auto_id="url_%s")
    if not form.is_valid():
        return render_documents(request, plugin, addresses_form=form)
    base = target_base_or_404(request, plugin)
    results = [
        _try_add(address, lambda address=address: add_url(knowledge_base=base, url=address))  # type: ignore[misc]
        for address in form.cleaned_data["addresses"]
    ]
    _log_added(request, plugin, results)
    refused = [result for result in results if not result.is_in]
    if not refused:
        return _redirect_to_list(request, plugin, results)
    _report_results(request, [result for result in results if result.is_in])
    left = AddressesForm({"addresses": "\n".join(result.name for result in refused)}, auto_id="url_%s")
    left.full_clean()
    for result in refused:
        left.add_error("addresses", f"{_short_name(result.name)}: {result.said}")
    return render_documents(request, plugin, addresses_form=left)


def _try_add(name: str, work: Callable[[], AddResult]) -> UploadOutcome:
    try:
        added = work()
    except LexicError as error:
        return UploadOutcome(name=name, is_in=False, said=error.message_with_hint)
    return UploadOutcome(name=name, is_in=True, said=_added_text(added))


def _added_text(added: AddResult) -> str:
    if added.is_new:
        return "is in, and waits to be read."
    if added.document.status == DocumentStatus.READY:
        return "was here already, word for word."
    if added.document.added_in is not None:
        return "is read anew; the earlier version answers until then."
    return "is in already, and is being read."


def _log_added(request: SignedInRequest, plugin: Plugin, results: list[UploadOutcome]) -> None:
    names = [_short_name(result.name) for result in results if result.is_in]
    if names:
        log_plugin_change(request, plugin, f"Added {names[0] if len(names) == 1 else f'{len(names)} documents'}.")


def _redirect_to_list(request: SignedInRequest, plugin: Plugin, results: list[UploadOutcome]) -> HttpResponseRedirect:
    _report_results(request, results)
    return HttpResponseRedirect(reverse_pane(plugin, "knowledge"))


def _report_results(request: SignedInRequest, results: list[UploadOutcome]) -> None:
    """Each refusal by name; of the others, how many."""
    taken = [result for result in results if result.is_in]
    if len(taken) > 1:
        messages.success(request, f"{len(taken)} are in, and are read one after another.")
    for result in taken if len(taken) == 1 else []:
        messages.success(request, f"{_short_name(result.name)} {result.said}")
    for result in results:
        if not result.is_in:
            messages.error(request, f"{_short_name(result.name)}: {result.said}" if result.name else result.said)


def _short_name(name: Any) -> str:
    return name if len(name) <= _MAX_NAME_LENGTH else f"{name[:_MAX_NAME_LENGTH]}…"
