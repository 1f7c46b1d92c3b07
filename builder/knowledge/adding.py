"""Documents come in: files, pasted text, addresses. One that is refused does not stop the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse

from builder.knowledge.forms import AddressesForm, TextForm
from builder.knowledge.listing import pane
from builder.readiness import url_of
from knowledge.add import Added, add_file, add_text, add_url
from knowledge.attach import own_knowledge_base
from knowledge.models import DocumentStatus
from lexic.errors import LexicError
from plugins.models import Plugin

_LONGEST_NAME = 80


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one of those that came in."""

    name: str
    is_in: bool
    said: str


def files(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """Any number of files. To a script it answers in JSON: what became of each, which for some is a refusal."""
    base = own_knowledge_base(plugin)
    chosen = request.FILES.getlist("files")
    results = [
        _attempt(
            file.name or "file",
            lambda file=file: add_file(  # type: ignore[misc]
                knowledge_base=base, file_name=file.name or "", stream=file
            ),
        )
        for file in chosen
    ]
    if not chosen:
        results = [Result(name="", is_in=False, said="No file was chosen.")]
    if request.accepts("text/html"):
        return _back(request, plugin, results)
    return JsonResponse({"results": [asdict(result) for result in results]})


def text(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    form = TextForm(request.POST, auto_id="text_%s")
    if form.is_valid():
        said = form.cleaned_data
        base = own_knowledge_base(plugin)
        result = _attempt(
            said["title"], lambda: add_text(knowledge_base=base, title=said["title"], text=said["text"])
        )
        if result.is_in:
            return _back(request, plugin, [result])
        form.add_error("text", result.said)
    return pane(request, plugin, text_form=form)


def addresses(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """One document for each address. Those that are none stay in the form, with the reason."""
    form = AddressesForm(request.POST, auto_id="url_%s")
    if not form.is_valid():
        return pane(request, plugin, addresses_form=form)
    base = own_knowledge_base(plugin)
    results = [
        _attempt(address, lambda address=address: add_url(knowledge_base=base, url=address))  # type: ignore[misc]
        for address in form.cleaned_data["addresses"]
    ]
    refused = [result for result in results if not result.is_in]
    if not refused:
        return _back(request, plugin, results)
    _say(request, [result for result in results if result.is_in])
    left = AddressesForm({"addresses": "\n".join(result.name for result in refused)}, auto_id="url_%s")
    left.full_clean()
    for result in refused:
        left.add_error("addresses", f"{_short(result.name)}: {result.said}")
    return pane(request, plugin, addresses_form=left)


def _attempt(name: str, work: Callable[[], Added]) -> Result:
    try:
        added = work()
    except LexicError as error:
        return Result(name=name, is_in=False, said=f"{error.message} {error.hint}".strip())
    return Result(name=name, is_in=True, said=_became(added))


def _became(added: Added) -> str:
    if added.is_new:
        return "is in, and waits to be read."
    if added.document.status == DocumentStatus.READY:
        return "was here already, word for word."
    if added.document.added_in is not None:
        return "is read anew; the earlier version answers until then."
    return "is in already, and is being read."


def _back(request: HttpRequest, plugin: Plugin, results: list[Result]) -> HttpResponseRedirect:
    _say(request, results)
    return HttpResponseRedirect(url_of(plugin, "knowledge"))


def _say(request: HttpRequest, results: list[Result]) -> None:
    """Each refusal by name; of the others, how many."""
    taken = [result for result in results if result.is_in]
    if len(taken) > 1:
        messages.success(request, f"{len(taken)} are in, and are read one after another.")
    for result in taken if len(taken) == 1 else []:
        messages.success(request, f"{_short(result.name)} {result.said}")
    for result in results:
        if not result.is_in:
            messages.error(request, f"{_short(result.name)}: {result.said}" if result.name else result.said)


def _short(name: Any) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
