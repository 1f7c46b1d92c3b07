"""Golden questions in and out: a table for a spreadsheet, pasted lines, or lines of JSON."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.panes import render_pane
from builder.readiness import reverse_pane
from evaluation.golden import golden_file, import_text, question_table
from evaluation.golden.golden_file import GoldenFileTooLarge
from evaluation.golden.import_text import WrongLines
from evaluation.golden.tree_ends import tree_ends
from knowledge.models import Document
from plugins.models import Plugin


def export_questions(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """All golden questions as lines of JSON, or as CSV with `?as=csv`."""
    if request.GET.get("as") == "csv":
        # With the mark by which spreadsheets know UTF-8.
        body, media_type, ending = f"\ufeff{question_table.write_table(plugin)}", "text/csv", "csv"
    else:
        body = "".join(f"{line}\n" for line in golden_file.export_golden_questions(plugin))
        media_type, ending = "application/x-ndjson", "jsonl"
    response = HttpResponse(body, content_type=f"{media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{plugin.slug}-golden.{ending}"'
    return response


def import_questions(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The page to import on. All of the text or nothing; what is there already is brought up to date."""
    if request.method != "POST":
        return _render_import(request, plugin, {})
    pasted, file = request.POST.get("pasted", ""), request.FILES.get("file")
    try:
        text = import_text.text_of_upload(file) if file else pasted
        if not text.strip():
            raise WrongLines(["Choose a file, or paste the questions into the box."])
        done = import_text.import_text(plugin, text)
    except (WrongLines, GoldenFileTooLarge) as error:
        problems = error.problems if isinstance(error, WrongLines) else [error.message_with_hint]
        more = error.more if isinstance(error, WrongLines) else 0
        source = file.name if file else ""
        wrong = {"problems": problems, "more": more, "source": source, "pasted": pasted}
        return _render_import(request, plugin, wrong, status=422)
    counts = f"{done.added} added, {done.changed} changed, {done.unchanged} were there already."
    log_plugin_change(request, plugin, f"Imported golden questions: {counts}")
    messages.success(request, counts)
    return HttpResponseRedirect(reverse_pane(plugin, "golden"))


def _render_import(
    request: SignedInRequest, plugin: Plugin, context: dict[str, object], *, status: int = 200
) -> HttpResponse:
    title = Document.objects.of_plugin(plugin).order_by("title").values_list("title", flat=True).first()
    example_end = next(iter(tree_ends(plugin)), None)
    shown = {
        "example_title": title or "Cover handbook",
        "example_end": example_end.label if example_end else "",
        "columns": list(question_table.COLUMNS.values()),
        "form_url": reverse("admin:builder_golden_import", args=[plugin.pk]),
        **context,
    }
    response = render_pane(request, plugin, "golden", "builder/golden/import.html", shown)
    response.status_code = status
    return response
