"""The tools `extract_document_info`, which says what a template needs, and `generate_legal_document`, which fills it.

Nothing is invented: what does not stand in the person's own words is asked for, whatever a language model says. The
draft is shown, and saved by the person alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.models import AgentType, EventKind
from agents.tools.document_templates import DocumentTemplate, find_template
from agents.tools.stated_facts import unstated_facts
from agents.tools.tool_types import Tool, ToolContext, ToolOutput, schema
from lexic.database import in_thread
from lexic.errors import InvalidInput
from querying.question.clarifications import with_resume_token
from querying.types.answer import Clarification

_MAX_FACTS, _MAX_FACT_CHARACTERS = 100, 2000
_FACTS = {
    "type": "object",
    "maxProperties": _MAX_FACTS,
    "additionalProperties": {"type": "string", "maxLength": _MAX_FACT_CHARACTERS},
    "description": "What stands in the blanks, by their names: only what the person has said.",
}
_TEMPLATE = {"type": "string", "minLength": 1, "maxLength": 400, "description": "Its title, or its document's id."}


class UnstatedFacts(InvalidInput):
    """Some facts for this document have not been stated in the conversation."""

    code = "unstated_facts"


async def _extract_document_info(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    template = await in_thread(find_template, given["template"], context.question)
    return _document_info(template, {**template.facts_in(context.question.text), **given.get("facts", {})}, context)


def _document_info(template: DocumentTemplate, facts: dict[str, str], context: ToolContext) -> ToolOutput:
    """A fact that the person has not stated is as good as none: they are asked for it."""
    not_stated = unstated_facts(facts, context.said)
    facts = template.fitting_facts({name: value for name, value in facts.items() if name not in not_stated})
    missing = template.open_blanks(facts)
    result = {
        "template": template.title,
        "facts": facts,
        "notStated": not_stated,
        "missing": [{"name": blank.name, "options": list(blank.options)} for blank in missing],
    }
    if not missing:
        return ToolOutput(result=result)
    first = missing[0]
    asked = Clarification(question=first.question, options=first.options, field=first.name)
    asked = with_resume_token(asked, question=context.question)
    data = {
        "question": asked.question,
        "options": list(asked.options),
        "field": asked.field,
        "token": asked.token,
        "template": template.title,
    }
    return ToolOutput(result=result, events=((EventKind.DOCUMENT_QUESTION, data),))


async def _generate_legal_document(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    """Raises `UnstatedFacts`, `MissingFacts`, `UnknownTemplate`, `DraftTooLong`."""
    if not_stated := unstated_facts(given["facts"], context.said):
        names = ", ".join(not_stated)
        raise UnstatedFacts(hint=f"State them, or have extract_document_info ask for them: {names}.")
    template = await in_thread(find_template, given["template"], context.question)
    document = {
        "title": template.title,
        "text": template.fill(given["facts"]),
        "templateId": str(template.document_id),
        "facts": given["facts"],
    }
    return ToolOutput(result={"document": document}, events=((EventKind.DOCUMENT_RESULT, {"document": document}),))


EXTRACT_DOCUMENT_INFO = Tool(
    name="extract_document_info",
    description="What a template's blanks need, and which of it is known. Asks the person for the next missing fact.",
    parameters=schema("template", template=_TEMPLATE, facts=_FACTS),
    call=_extract_document_info,
    agent_type=AgentType.DOCUMENT,
)
GENERATE_LEGAL_DOCUMENT = Tool(
    name="generate_legal_document",
    description="A draft: the template with all its blanks filled in. It is shown to the person, who may save it.",
    parameters=schema("template", "facts", template=_TEMPLATE, facts=_FACTS),
    call=_generate_legal_document,
)
