"""Golden questions as a file: one JSON object a line, out and in."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from builder.readiness import url_of
from lexic.errors import InvalidInput, LexicError
from plugins.models import Plugin
from querying import golden_rows

MOST_BYTES = 5_000_000


class NoFile(InvalidInput):
    """Choose a file first."""

    code = "no_file"


class FileTooLarge(InvalidInput):
    """The file is larger than 5 MB."""

    code = "file_too_large"


class NotText(InvalidInput):
    """The file is not text in UTF-8."""

    code = "not_text"


def export(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    lines = (f"{line}\n" for line in golden_rows.export(plugin))
    response = HttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{plugin.slug}-golden.jsonl"'
    return response


def take_in(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """All of the file or nothing; what is there already is brought up to date."""
    try:
        done = golden_rows.import_rows(plugin, lines=_text(request).split("\n"))
    except LexicError as error:
        messages.error(request, f"{error.message} Nothing was taken in. {error.hint}".strip())
    else:
        said = f"{done.added} added, {done.changed} changed, {done.unchanged} were there already."
        messages.success(request, said)
    return HttpResponseRedirect(url_of(plugin, "golden"))


def _text(request: HttpRequest) -> str:
    """Raises `NoFile`, `FileTooLarge` and `NotText`."""
    file = request.FILES.get("file")
    if file is None:
        raise NoFile
    if (file.size or 0) > MOST_BYTES:
        raise FileTooLarge
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotText from error
