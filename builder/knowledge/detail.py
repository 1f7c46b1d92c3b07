"""One document: its pages beside their chunks, what people say about it, and what a question would find in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from accounts.signed_in_request import SignedInRequest
from builder.history import changed_labels, errors_as_messages, log_plugin_change
from builder.knowledge.forms import DescriptionForm
from builder.knowledge.lookup import (
    base_access,
    get_editable_document_or_404,
    get_readable_document_or_404,
)
from builder.knowledge.retrieval_preview import search_context
from builder.panes import may_edit_plugin, plugin_page_context, render_pane
from knowledge.documents.document_rows import document_rows
from knowledge.documents.edited_text import is_editable
from knowledge.documents.lifecycle import update_details
from knowledge.documents.page_corrections import MAX_TEXT_LENGTH
from knowledge.documents.text_blocks import TextBlock, split_blocks
from knowledge.models import Chunk, Document, Page
from lexic.http.parameters import parse_natural
from plugins.models import Plugin

# A source without pages is one long page: so many of its chunks are shown at a time.
CHUNKS_PER_PART = 20


@dataclass(frozen=True, kw_only=True)
class PagePart:
    """A page, or one part of a long page: part `number` of `count`. `blocks` pairs each block with the chunks that
    begin in it."""

    page: Page
    blocks: list[tuple[list[Chunk], TextBlock]]
    chunks: list[Chunk]
    number: int
    count: int


def show_document(request: SignedInRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """GET: the document. POST: save what is said about it."""
    is_post = request.method == "POST"
    find_document = get_editable_document_or_404 if is_post else get_readable_document_or_404
    form = DescriptionForm(request.POST or None, instance=find_document(request, plugin, document))
    # The form changes its instance while it is checked: what is saved and shown is read anew.
    with transaction.atomic():
        if is_post and form.is_valid():
            _save_description(request, plugin, find_document(request, plugin, document), form)
            return HttpResponseRedirect(request.get_full_path())
    stored = get_readable_document_or_404(request, plugin, document)
    context = {
        "document": stored,
        "row": document_rows([stored], base_access(request, plugin))[0],
        "form": form,
        "file_metadata": _file_metadata(stored),
        "is_editable": is_editable(stored),
        **_page_context(request, stored),
        **search_context(request, plugin, document=stored),
    }
    return render_pane(request, plugin, "knowledge", "builder/knowledge/document.html", context)


def show_status(request: SignedInRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """How far it has come, for a page that is open already."""
    found = get_readable_document_or_404(request, plugin, document)
    row = document_rows([found], base_access(request, plugin))[0]
    context = {
        "plugin": plugin,
        "document": found,
        "may_change": may_edit_plugin(request, plugin),
        # The strip above is brought up to date once it is done, which ends the asking.
        **({} if row.is_working else plugin_page_context(request, plugin, "knowledge")),
        "row": row,
        "is_partial_update": True,
    }
    return TemplateResponse(request, "builder/knowledge/_status.html", context)


def _save_description(request: SignedInRequest, plugin: Plugin, document: Document, form: DescriptionForm) -> None:
    if not form.changed_data:
        messages.info(request, "Nothing was changed.")
        return
    labels = {name: form.cleaned_data[name] for name in form.changed_data}
    with errors_as_messages(request):
        title, language = labels.pop("title", None), labels.pop("language", None)
        update_details(document, title=title, labels=labels, language=language)
        log_plugin_change(request, plugin, f"Changed what is said of “{document}”: {changed_labels(form)}.")
        if "title" in form.changed_data:
            messages.success(request, "Saved. The document is read again under its new title.")
        else:
            messages.success(request, "Saved. Questions use it at once; releases keep what they had of the text.")


def _file_metadata(document: Document) -> list[tuple[str, str]]:
    """Names and values. Made here: a file may call a value like a method that templates would rather see."""
    said = document.metadata.get("file", {})
    return [(str(name), _shown_value(value)) for name, value in said.items()] if isinstance(said, dict) else []


def _shown_value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _page_context(request: SignedInRequest, document: Document) -> dict[str, Any]:
    """The page that is looked at, its neighbours, and its chunks. Five statements at most."""
    pages = document.pages.filter(added_in__isnull=False, removed_in=None).order_by("number")
    total = pages.count()
    number = _read_number(request, "page", maximum=total)
    shown = pages.defer("words", "packed_words").select_related("correction__by")
    page = shown.filter(number=number).first() or shown.first()
    if page is None:
        return {"page_part": None, "page_total": 0}
    return {
        "page_part": _make_page_part(page, number=_read_number(request, "part", maximum=10**6)),
        "page_total": total,
        "unsure_numbers": _unsure_numbers(page),
        "max_text_length": MAX_TEXT_LENGTH,
    }


def _unsure_numbers(page: Page) -> list[str]:
    """What OCR has read differently a second time, as it stands in the text."""
    return [page.text[start:end] for start, end in page.unsure_spans or ()]


def _make_page_part(page: Page, *, number: int) -> PagePart:
    chunks = page.chunks.filter(added_in__isnull=False, removed_in=None).order_by("index")
    count = max(1, -(-chunks.count() // CHUNKS_PER_PART))
    number = min(number, count)
    first = (number - 1) * CHUNKS_PER_PART
    shown = list(chunks[first : first + CHUNKS_PER_PART])
    start = shown[0].start if shown and number > 1 else 0
    end = shown[-1].end if shown and number < count else len(page.text)
    return PagePart(
        page=page,
        blocks=_blocks_with_chunks(page.text, start, end, shown),
        chunks=shown,
        number=number,
        count=count,
    )


def _blocks_with_chunks(text: str, start: int, end: int, chunks: list[Chunk]) -> list[tuple[list[Chunk], TextBlock]]:
    """The blocks of the text, each with the chunks that begin in it."""
    found = split_blocks(text[start:end], cuts={chunk.start - start for chunk in chunks})
    blocks: list[tuple[list[Chunk], TextBlock]] = []
    waiting = list(chunks)
    for block in found:
        begun = [chunk for chunk in waiting if chunk.start - start < block.end]
        waiting = waiting[len(begun) :]
        blocks.append((begun, block))
    return blocks


def _read_number(request: SignedInRequest, name: str, *, maximum: int) -> int:
    given = parse_natural(request.GET.get(name, ""), max_digits=7)
    return max(1, min(1 if given is None else given, maximum))
