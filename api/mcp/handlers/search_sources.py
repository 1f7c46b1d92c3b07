"""Finds the passages of `search_sources`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accounts.models import ApiKey, may_read_documents
from api.mcp import resources
from api.mcp.tools.search_sources import SearchArguments
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from api.query.questions import parse_question
from knowledge.code_location import place_as_json
from knowledge.models import KnowledgeBase
from knowledge.search.passages import Passage
from lexic.database import in_thread
from querying.retrieval import retriever

_MAX_EXCERPT_LENGTH = 2000


@dataclass(frozen=True, kw_only=True)
class FoundPassages:
    passages: list[Passage]
    readable: frozenset[int]  # the knowledge bases whose text the key may read
    release: str


async def run(call: McpToolCall) -> ToolResult:
    found = await in_thread(find_passages, call.arguments, key=call.key)
    body = {
        "passages": [_passage_json(passage, is_readable=_is_readable(passage, found)) for passage in found.passages],
        "textShown": any(_is_readable(passage, found) for passage in found.passages),
        "release": found.release,
    }
    return make_result(body, text=_passages_text(body))


def find_passages(arguments: SearchArguments, *, key: ApiKey) -> FoundPassages:
    """What a question to this release would find. Raises `UnknownPlugin`, `UnknownRelease`, `EmbedderError`."""
    body = {"plugin": arguments.plugin, "query": arguments.query, "options": {"maxSources": arguments.limit}}
    question = parse_question(body, key=key)
    passages = retriever.retrieve(question)
    bases = {passage.knowledge_base_id for passage in passages} if may_read_documents(key) else set()
    readable = KnowledgeBase.objects.visible_to(key).filter(pk__in=bases).values_list("pk", flat=True)
    return FoundPassages(passages=passages, readable=frozenset(readable), release=str(question.release))


def _is_readable(passage: Passage, found: FoundPassages) -> bool:
    return passage.knowledge_base_id in found.readable


def _passage_json(passage: Passage, *, is_readable: bool) -> dict[str, Any]:
    span = {"start": passage.start, "end": passage.end}
    fields = {
        "document": passage.document_title,
        "documentId": str(passage.document_id),
        "page": passage.page_number,
        "pageLabel": passage.page_label or None,
        "ocr": passage.is_ocr or None,
        "section": " > ".join(passage.section_path) or None,
        "excerpt": passage.content[:_MAX_EXCERPT_LENGTH] if is_readable else None,
        "url": resources.page_url(passage.page_id, **span),
        "uri": resources.page_uri(passage.page_id, **span),
        "score": round(passage.score, 4),
        "cosine": None if passage.cosine is None else round(passage.cosine, 4),
        "lexical": round(passage.lexical, 4),
        **place_as_json(passage.file_place()),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _passages_text(body: dict[str, Any]) -> str:
    if not body["passages"]:
        return "Nothing was found. Try other words, or ask_expert."
    lines = []
    for number, passage in enumerate(body["passages"], start=1):
        lines += [
            f"{number}. {resources.format_place(passage)} (score {passage['score']:.2f})",
            passage.get("excerpt", ""),
        ]
    if not body["textShown"]:
        lines.append("The text may not be read with this key. ask_expert cites what answers a question.")
    return "\n".join(line for line in lines if line)
