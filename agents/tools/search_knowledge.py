"""The tool `search_knowledge`: what the plugin's release and the private layers say about something, up to the gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any
from uuid import uuid4

from agents.models import AgentType
from agents.tools.tool_types import SEARCH_SECONDS, Tool, ToolContext, ToolOutput, schema
from conversations.private_document_search import DocumentScope, private_bases
from knowledge.search.filters import Filters
from lexic.database import in_thread
from lexic.errors import InvalidInput
from querying import pipeline
from querying.answering.findings import Findings
from querying.json_format import clarification_as_json
from querying.presentation.source_citations import found_sources
from querying.releases import pinned_bases
from querying.types.question import Question

_MAX_QUERY_CHARACTERS, _MAX_SOURCES = 2000, 50
# The plugin's documents, besides those that people have for themselves (`DocumentScope`).
_SHARED = "shared"


async def _search_knowledge(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    question = await in_thread(_question_for, context, given)
    found = await pipeline.retrieve_evidence(question, llm=context.llm)
    return ToolOutput(result=await in_thread(_as_result, found), findings=found)


def _question_for(context: ToolContext, given: Mapping[str, Any]) -> Question:
    """The query as a question; the message itself keeps what was said before it. Raises `InvalidInput`."""
    asked, options = context.question, context.question.options
    query = given["query"].strip()
    if query != asked.text.strip():
        asked = replace(asked, text=query, context=(), facts={})
    filters = Filters.parse({**given.get("filters", {}), **({"as_of": given["asOf"]} if "asOf" in given else {})})
    if (scope := given.get("scope", DocumentScope.ALL)) != DocumentScope.ALL:
        filters = replace(filters, knowledge_base_ids=_bases_in_scope(context, scope))
    options = replace(options, filters=filters or None, max_sources=given.get("topK"))
    return replace(asked, options=options, id=uuid4())


def _bases_in_scope(context: ToolContext, scope: str) -> tuple[int, ...]:
    """The ids of the bases of one layer. Raises `InvalidInput` where there is none, for no filter would mean all."""
    if scope == _SHARED:
        ids = {base.knowledge_base_id for base in pinned_bases(context.question.release)}
    else:
        bases = private_bases(context.principal, scope=DocumentScope(scope), project=context.session.project)
        ids = set(bases.values_list("pk", flat=True)) & {one.knowledge_base_id for one in context.question.layers}
    if not ids:
        raise InvalidInput(f"There are no documents in the scope “{scope}”.", hint="Search in the scope “all”.")
    return tuple(sorted(ids))


def _as_result(found: Findings) -> dict[str, Any]:
    sources = found_sources(found)
    return {
        "citations": [asdict(source) for source in sources.sources],
        "isSufficient": sources.is_sufficient,
        "why": list(sources.why),
        "recommendation": sources.recommendation,
        "decisionPath": list(sources.decision_path),
        "clarification": clarification_as_json(sources.clarification) if sources.clarification else None,
    }


SEARCH_KNOWLEDGE = Tool(
    name="search_knowledge",
    description="Search the plugin's documents and the person's own. Says whether what was found answers the query.",
    parameters=schema(
        "query",
        query={"type": "string", "minLength": 1, "maxLength": _MAX_QUERY_CHARACTERS},
        scope={"enum": [*(scope.value for scope in DocumentScope), _SHARED]},
        filters={"type": "object", "description": "docTypes, tagsAny, dateFrom, dateTo, documentIds …"},
        asOf={"type": "string", "format": "date", "description": "Only what was in force on this day."},
        topK={"type": "integer", "minimum": 1, "maximum": _MAX_SOURCES},
    ),
    call=_search_knowledge,
    seconds=SEARCH_SECONDS,
    agent_type=AgentType.RAG,
)
