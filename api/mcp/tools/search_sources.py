"""`search_sources`: the passages that an answer would be made from.

Everybody who may ask the plugin sees where a passage stands: a refusal names places too. Its text needs a key that may
read documents, of a person who may read this one; the pages that show sources have the same rule. So a plugin that is
published but not shared shows strangers no more here than its answers do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from accounts.models import ApiKey
from api.mcp import resources
from api.mcp.threads import in_thread
from api.mcp.tools.tool import Tool, ToolArguments, ToolCall, ToolResult, make_result
from api.query.questions import parse_question
from api.query.serializers import MAX_QUESTION
from knowledge.models import KnowledgeBase
from knowledge.search.hybrid import Passage
from querying.retrieval import retriever

_MAX_EXCERPT_LENGTH = 2000


class SearchArguments(ToolArguments):
    plugin: str = Field(max_length=120, description="The expert: a slug from list_experts, or slug@1.2.0.")
    query: str = Field(min_length=1, max_length=MAX_QUESTION, description="What to look for: a question or words.")
    limit: int = Field(default=8, ge=1, le=50, description="At most as many as the expert reads for one question.")


class PassageResult(BaseModel):
    document: str
    documentId: str
    page: int | None = Field(default=None, description="Left out where the document has no pages.")
    section: str | None = None
    excerpt: str | None = Field(default=None, description="Left out where the text may not be read with this key.")
    url: str
    uri: str = Field(description="For get_source, or to read as a resource.")
    score: float = Field(description="0 to 1: half meaning, half words.")
    cosine: float | None = Field(default=None, description="How near in meaning, -1 to 1.")
    lexical: float = Field(description="The share of the words, by weight, 0 to 1.")


class SearchResult(BaseModel):
    passages: list[PassageResult] = Field(description="Best first.")
    textShown: bool = Field(description="Whether any text may be read with this key; if not, only places are given.")
    release: str


@dataclass(frozen=True, kw_only=True)
class FoundPassages:
    passages: list[Passage]
    readable: frozenset[int]  # the knowledge bases whose text the key may read
    release: str


async def run(call: ToolCall) -> ToolResult:
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
    bases = {passage.knowledge_base_id for passage in passages} if resources.may_read_documents(key) else set()
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
        "section": " > ".join(passage.section_path) or None,
        "excerpt": passage.content[:_MAX_EXCERPT_LENGTH] if is_readable else None,
        "url": resources.page_url(passage.page_id, **span),
        "uri": resources.page_uri(passage.page_id, **span),
        "score": round(passage.score, 4),
        "cosine": None if passage.cosine is None else round(passage.cosine, 4),
        "lexical": round(passage.lexical, 4),
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


TOOL = Tool(
    name="search_sources",
    title="Search an expert's sources",
    description=(
        "Find the passages of an expert's documents that belong to a question, best first, without making an answer of "
        "them. Use it to see what the documents hold, or where something stands; to answer a question use ask_expert, "
        "which checks what it says. Text is given where this key may read the documents, else only the places."
    ),
    arguments=SearchArguments,
    result=SearchResult,
    run=run,
)
