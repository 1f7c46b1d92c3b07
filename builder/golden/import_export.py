"""Golden questions as a file: one JSON object a line, out and in."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.readiness import reverse_pane
from evaluation.golden import golden_file
from lexic.errors import InvalidInput, LexicError
from plugins.models import Plugin


class NoFileChosen(InvalidInput):
    """Choose a file first."""

    code = "no_file"


def export_questions(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    lines = (f"{line}\n" for line in golden_file.export_golden_questions(plugin))
    response = HttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{plugin.slug}-golden.jsonl"'
    return response


def import_questions(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """All of the file or nothing; what is there already is brought up to date."""
    try:
        if (file := request.FILES.get("file")) is None:
            raise NoFileChosen
        done = golden_file.import_golden_file(plugin, file)
    except LexicError as error:
        messages.error(request, f"{error.message} Nothing was taken in. {error.hint}".strip())
    else:
        counts = f"{done.added} added, {done.changed} changed, {done.unchanged} were there already."
        log_plugin_change(request, plugin, f"Imported golden questions: {counts}")
        messages.success(request, counts)
    return HttpResponseRedirect(reverse_pane(plugin, "golden"))
