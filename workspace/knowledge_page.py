"""`/knowledge`: a person's own documents, and a search in them."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from accounts.signed_in_request import SignedInRequest
from workspace.document_collection import DocumentCollection, add_forms_context, documents_context, with_place
from workspace.document_search import search_context
from workspace.page_base import render_page, workspace_view


@workspace_view("GET")
@with_place
def show_knowledge(request: SignedInRequest, place: DocumentCollection) -> HttpResponse:
    return render_knowledge(request, place)


def render_knowledge(
    request: SignedInRequest, place: DocumentCollection, *, status: int = 200, **forms: Any
) -> HttpResponse:
    """The page; `forms` stand in for the empty ones where something in them was wrong."""
    context = {**documents_context(request, place), **add_forms_context(), **search_context(request, place), **forms}
    return render_page(request, "workspace/knowledge.html", context, section="knowledge", status=status)
