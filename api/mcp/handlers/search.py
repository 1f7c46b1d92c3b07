"""Finds what `search` finds: passages of all plugins of a key whose pages it may read."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Case, IntegerField, Q, Value, When

from accounts.models import ApiKey
from api.mcp import resources
from api.mcp.handlers.list_experts import SEARCHED_COLUMNS
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from api.query.questions import parse_question
from knowledge.models import Page
from knowledge.search.passages import Passage
from language.terms import terms
from lexic.database import in_thread
from plugins.models import Plugin
from querying.retrieval import retriever
from querying.retrieval.combined_evidence import passage_place

# Each plugin is a search of its own, for each has its own documents and rules of access.
MAX_PLUGINS = 20
_MAX_WORDS = 20
_MAX_RESULTS = 10


async def run(call: McpToolCall) -> ToolResult:
    passages = await in_thread(find_passages, call.arguments.query, key=call.key)
    body = {"results": [_result_json(passage) for passage in passages]}
    # Research connectors read the text as JSON.
    return make_result(body, text=json.dumps(body, ensure_ascii=False))


def find_passages(query: str, *, key: ApiKey) -> list[Passage]:
    """The best passages on pages that the key may read, best first. Raises `EmbedderError`."""
    found: dict[tuple[int, int, int], Passage] = {}
    for plugin in plugins_to_search(query, key=key):
        question = parse_question({"plugin": plugin.slug, "query": query}, key=key)
        for passage in retriever.retrieve(question):
            found.setdefault(passage_place(passage), passage)
    pages = {passage.page_id for passage in found.values()}
    readable = set(Page.objects.visible_to(key).filter(pk__in=pages).values_list("pk", flat=True))
    passages = [passage for passage in found.values() if passage.page_id in readable]
    return sorted(passages, key=lambda passage: (-passage.score, passage.chunk_id))[:_MAX_RESULTS]


def plugins_to_search(query: str, *, key: ApiKey) -> list[Plugin]:
    """The plugins that the key may ask, at most `MAX_PLUGINS`. Those whose names and descriptions have most of the
    words come first."""
    fit: Any = Value(0)
    for word in sorted(terms(query))[:_MAX_WORDS]:
        has_word = Q(*((f"{column}__icontains", word) for column in SEARCHED_COLUMNS), _connector=Q.OR)
        fit = fit + Case(When(has_word, then=Value(1)), default=Value(0), output_field=IntegerField())
    return list(Plugin.objects.discoverable_by(key).annotate(fit=fit).order_by("-fit", "slug")[:MAX_PLUGINS])


def _result_json(passage: Passage) -> dict[str, Any]:
    span = {"start": passage.start, "end": passage.end}
    place = {
        "document": passage.document_title,
        "page": passage.page_number,
        "pageLabel": passage.page_label,
        "section": " > ".join(passage.section_path),
    }
    return {
        "id": resources.page_uri(passage.page_id, **span),
        "title": resources.format_place(place),
        "url": resources.page_url(passage.page_id, **span),
    }
