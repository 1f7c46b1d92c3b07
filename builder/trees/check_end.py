"""Checks one end of a tree against the plugin's documents as they are now."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse, JsonResponse

from accounts.signed_in_request import SignedInRequest
from builder.trees.json_requests import json_errors, read_body
from builder.trees.views import tree_or_404
from knowledge.citation_url import source_path
from knowledge.embedders.base import EmbedderError
from knowledge.page_names import page_name
from lexic.errors import InvalidInput
from plugins.models import CitationMode, Plugin
from querying import releases
from querying.answering.tree_support import find_end_support
from querying.types.answer import Citation
from trees.definition.parser import MAX_TEXT_LENGTH

# What people get who reach an end that no page supports.
_WITHOUT_PAGE = {
    CitationMode.MANDATORY: "refused",
    CitationMode.OPTIONAL: "unverified",
    CitationMode.OFF: "unchecked",
}


@json_errors
def check_end(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """Whether a page says what an end recommends, which need not be saved yet. `outcome` is what people get who reach
    it: "answered" with the page that is cited, or "refused", "unverified" or "unchecked" with `why` no page says it."""
    tree_or_404(plugin, tree)
    data = read_body(request)
    label, recommendation, hint = (_read_text(data, name) for name in ("label", "recommendation", "sourceHint"))
    if not recommendation.strip():
        raise InvalidInput("The end has no recommendation.", hint="Write what a professional would do here.")
    try:
        found = find_end_support(
            releases.snapshot(plugin), label=label, recommendation=recommendation, source_hint=hint
        )
    except EmbedderError as error:
        return JsonResponse({"outcome": "", "cited": None, "why": "", "error": error.message})
    cited = _cited_json(found.citations[0]) if found.citations else None
    outcome = "answered" if cited else _WITHOUT_PAGE[CitationMode(plugin.citation_mode)]
    return JsonResponse({"outcome": outcome, "cited": cited, "why": found.why, "error": ""})


def _cited_json(citation: Citation) -> dict[str, Any]:
    passage = citation.passage
    page = page_name(passage.page_number, passage.page_label, is_short=True)
    return {
        "title": ", ".join(filter(None, [passage.document_title, page])),
        "excerpt": citation.excerpt,
        "url": f"{source_path(passage.page_id, start=citation.start, end=citation.end)}#cited",
    }


def _read_text(data: dict[str, Any], name: str) -> str:
    value = data.get(name) or ""
    if not isinstance(value, str) or len(value) > MAX_TEXT_LENGTH:
        raise InvalidInput(f"“{name}” is a text of at most {MAX_TEXT_LENGTH} characters.", hint="Shorten it.")
    return value.replace("\0", "")
