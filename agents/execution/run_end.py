"""Ends a run in its conversation: with the answer as a message, or with what was written of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone

from agents.execution.loop import RunOutcome
from agents.journal.progress import Progress
from agents.models import AgentRun, EventKind
from agents.planners.templated_replies import DRAFT
from conversations.models import ChatMessage
from querying.json_format import answer_as_json, clarification_as_json
from querying.types.answer import Outcome
from querying.types.token_usage import Usage

FINISHED_STEPS = {
    "search_knowledge": "Searched the documents",
    "parse_contract": "Read the contract",
    "parse_nda": "Read the agreement",
    "load_playbook": "Read the playbook",
    "analyze_clause": "Compared a clause with the playbook",
    "check_nda": "Checked what the agreement says",
    "render_contract_report": "Reviewed the contract",
    "render_nda_report": "Went through the checklist",
    "extract_document_info": "Checked what the template needs",
    "generate_legal_document": "Filled in the template",
    "sanitize_content": "Cleaned the text",
}
CANCELLED = "cancelled"


def last_entries(ending: RunOutcome) -> list[tuple[EventKind, Mapping[str, Any]]]:
    """A question back, where there is one that no tool has asked, and `done`."""
    answer, entries = ending.answer, []
    if answer.clarification and (not ending.state or ending.state.get("isKept")):
        entries.append((EventKind.CLARIFICATION, clarification_as_json(answer.clarification)))
    done = done_data(answer.outcome.value, stopped=ending.stopped, usage=answer.usage)
    return [*entries, (EventKind.DONE, done)]


def done_data(outcome: str, *, stopped: str, usage: Usage) -> dict[str, Any]:
    counted = {"promptTokens": usage.prompt_tokens, "completionTokens": usage.completion_tokens}
    return {"outcome": outcome, "stopped": stopped or None, "usage": counted}


def answer_message(run: AgentRun, ending: RunOutcome, progress: Progress) -> ChatMessage:
    """The answer, as other answers are kept."""
    stored = answer_as_json(ending.answer, question=ending.question)
    if ending.keeps_shown:
        stored["citations"] = [_as_citation(source) for source in progress.citations]
    ended = {"state": dict(ending.state), "stopped": ending.stopped or None}
    return _message(run, ending.answer.text, {**stored, **_run_data(run, progress), **ended})


def partial_answer_message(run: AgentRun, progress: Progress, *, outcome: Outcome, error: str) -> ChatMessage:
    """What was shown until the run was stopped or failed, and why it ended. A draft that waited before it goes on
    waiting, unless it was among what was shown."""
    is_drafted = any(one.call.tool == DRAFT and not one.error for one in progress.results)
    ended: dict[str, Any] = {"state": {}} if is_drafted else {}
    stored = {
        "outcome": outcome.value,
        "answer": progress.text,
        "citations": [_as_citation(source) for source in progress.citations],
        "error": error,
        "release": run.release_name,
    }
    return _message(run, progress.text or error, {**stored, **_run_data(run, progress), **ended})


def _message(run: AgentRun, content: str, metadata: dict[str, Any]) -> ChatMessage:
    return ChatMessage(
        session_id=run.session_id,
        role=ChatMessage.Role.ASSISTANT,
        content=content,
        metadata=metadata,
        seconds=round((timezone.now() - run.created_at).total_seconds(), 2),
        query_id=run.message.query_id,
    )


def _run_data(run: AgentRun, progress: Progress) -> dict[str, Any]:
    steps = [{"message": FINISHED_STEPS.get(one.call.tool, one.call.tool), "ms": one.ms} for one in progress.results]
    return {
        "runId": str(run.pk),
        "agentType": progress.agent_type or None,
        "steps": steps,
        "readDocuments": [{"documentId": pk} for pk in progress.read_documents],
    }


def _as_citation(source: Mapping[str, Any]) -> dict[str, Any]:
    """A source of the journal as a citation is kept (`querying.json_format.citation_as_json`)."""
    span = source["metadata"]
    shown = {
        "id": f"src_{span['number']}",
        "document": source["title"],
        "page": span["page"],
        "section": span["section"] or None,
        "excerpt": source["summary"],
        "documentId": source["id"],
        "start": span["start"],
        "end": span["end"],
        "url": f"{settings.PUBLIC_URL}{span['url']}#cited",
        "score": source["score"],
    }
    return {key: value for key, value in shown.items() if value is not None}
