"""Files of a person's Google Drive, to be chosen and read as documents of a project or of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect

from accounts.signed_in_request import SignedInRequest
from connectors.drive_access import open_connection
from connectors.drive_client import MAX_CURSOR_LENGTH, DriveClient, DriveListing
from connectors.drive_errors import DriveNotConnected, DriveNotSetUp
from connectors.drive_files import DriveEntry
from connectors.drive_import import MAX_FILES, ImportResult, import_files
from connectors.models import DriveFile
from conversations.private_documents import ReadOnlyDocuments
from knowledge.documents.upload_outcomes import UploadOutcome, report_outcomes
from lexic.column_length import column_length
from lexic.errors import LexicError
from lexic.http.parameters import MAX_SEARCH_LENGTH, single_line
from workspace.document_collection import DocumentCollection, with_place
from workspace.page_base import render_page, workspace_view

_PER_PAGE = 50
_OUTCOMES = {
    "created": "is in, and waits to be read.",
    "reading": "is a newer version, and waits to be read.",
    "unchanged": "was here already, just as it is.",
}


@dataclass(frozen=True, kw_only=True)
class DriveRow:
    """A file of the list; `problem` says why it cannot become a document."""

    entry: DriveEntry
    problem: str


@workspace_view("GET", "POST")
@with_place
def choose_drive_files(request: SignedInRequest, place: DocumentCollection) -> HttpResponse:
    """GET: the files, the last changed first, or those of a name. POST: the chosen ones are fetched and read."""
    if not place.documents.is_editor:
        raise ReadOnlyDocuments
    try:
        if request.method != "POST":
            return _render_files(request, place)
        chosen = [one for one in request.POST.getlist("files") if 0 < len(one) <= column_length(DriveFile, "file_id")]
        if not 0 < len(chosen) <= MAX_FILES:
            messages.error(request, f"Nothing was imported. Choose one file at least, and {MAX_FILES} at most.")
            return HttpResponseRedirect(request.get_full_path())
        results = import_files(open_connection(request.user), base=place.new_document_base(), file_ids=chosen)
    except LexicError as error:
        return _render_problem(request, place, error)
    report_outcomes(request, list(map(_as_outcome, results)))
    return HttpResponseRedirect(place.page_url())


def _render_files(request: SignedInRequest, place: DocumentCollection) -> HttpResponse:
    name = single_line(request.GET.get("q", ""), max_length=MAX_SEARCH_LENGTH)
    cursor = single_line(request.GET.get("cursor", ""), max_length=MAX_CURSOR_LENGTH)
    connection = open_connection(request.user)
    found = DriveClient(connection).list_files(name=name, cursor=cursor, limit=_PER_PAGE)
    context = {
        "connection": connection,
        "rows": _drive_rows(found.entries),
        "words": name,
        "is_first": not cursor,
        "more": _address_of_next(found, name),
        "most_files": MAX_FILES,
    }
    return _render_picker(request, place, context)


def _render_problem(request: SignedInRequest, place: DocumentCollection, error: LexicError) -> HttpResponse:
    """Where nothing is connected, how that is done; otherwise what went wrong."""
    if isinstance(error, DriveNotConnected | DriveNotSetUp):
        return _render_picker(request, place, {"is_set_up": isinstance(error, DriveNotConnected)})
    return _render_picker(request, place, {"is_set_up": True, "words": ""}, error=error)


def _render_picker(
    request: SignedInRequest, place: DocumentCollection, context: dict[str, Any], *, error: LexicError | None = None
) -> HttpResponse:
    shown = {"place": place, "project": place.project, "back": place.page_url(), **context}
    return render_page(request, "workspace/google_drive.html", shown, section=place.section, error=error)


def _drive_rows(entries: Sequence[DriveEntry]) -> list[DriveRow]:
    refusals = ((entry, entry.refusal()) for entry in entries)
    return [DriveRow(entry=entry, problem=refusal.message if refusal else "") for entry, refusal in refusals]


def _address_of_next(found: DriveListing, name: str) -> str:
    return f"?{urlencode({'q': name, 'cursor': found.next_cursor})}" if found.next_cursor else ""


def _as_outcome(result: ImportResult) -> UploadOutcome:
    said = result.error.message_with_hint if result.error else _OUTCOMES[result.outcome]
    return UploadOutcome(name=result.file_name or "A file", is_in=result.error is None, said=said)
