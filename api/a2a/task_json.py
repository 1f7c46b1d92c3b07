"""The JSON of tasks, statuses and artifacts, as version 1.0 of A2A defines them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from api.chat_completions.completions import message_text
from api.models import A2ATask
from querying import json_format
from querying.models import Query
from querying.types.answer import Answer, Outcome
from querying.types.events import Failed
from querying.types.question import Question

WORKING = "TASK_STATE_WORKING"
_STATES = {
    Outcome.ANSWERED: "TASK_STATE_COMPLETED",
    Outcome.REFUSED: "TASK_STATE_COMPLETED",
    Outcome.CLARIFY: "TASK_STATE_INPUT_REQUIRED",
}
CANCELED, FAILED = "TASK_STATE_CANCELED", "TASK_STATE_FAILED"

Json = dict[str, Any]


def status(state: str, *, parts: Iterable[Json] = (), ids: Json | None = None, at: datetime | None = None) -> Json:
    """A task status. With a `text` it has a message of the agent, with the ids of the task."""
    shown: Json = {"state": state, "timestamp": _timestamp(at or timezone.now())}
    said = list(parts)
    if said:
        shown["message"] = {"messageId": str(uuid.uuid4()), "role": "ROLE_AGENT", "parts": said, **(ids or {})}
    return shown


def answer_state(answer: Answer) -> str:
    return _STATES[answer.outcome]


def answer_status(answer: Answer, *, question: Question, ids: Json) -> Json:
    """The status of the task for this answer. If the answer asks back, that question is the message of the status."""
    parts = answer_parts(answer, question=question) if answer.clarification else []
    return status(answer_state(answer), parts=parts, ids=ids)


def answer_artifact(answer: Answer, *, question: Question) -> Json:
    """The text of the answer, and all other fields of the answer as data."""
    parts = answer_parts(answer, question=question)
    return {"artifactId": artifact_id(question.id), "name": artifact_name(answer.outcome), "parts": parts}


def answer_parts(answer: Answer, *, question: Question) -> list[Json]:
    return [text_part(message_text(answer)), data_part(answer_data(answer, question=question))]


def answer_data(answer: Answer, *, question: Question) -> Json:
    """The answer as the API returns it, without its text and its resume token: the id of the task continues it."""
    data = json_format.answer_as_json(answer, question=question)
    del data["answer"]
    if data["clarification"]:
        del data["clarification"]["token"]
    return data


def failed_status(failed: Failed, *, ids: Json) -> Json:
    told = data_part({"error": failed.error, "code": failed.code, "hint": failed.hint})
    return status(FAILED, parts=[text_part(f"{failed.error} {failed.hint}".strip()), told], ids=ids)


def stored_task(task: A2ATask, *, history: bool = True, artifacts: bool = True) -> Json:
    """A task that is made from its row in the log of questions."""
    query, ids = task.query, {"taskId": str(task.pk), "contextId": task.context_id}
    outcome = Outcome(query.outcome)
    state = CANCELED if task.is_cancelled else _STATES.get(outcome, FAILED)
    parts = [text_part(query.answer), data_part(_stored_data(query))] if query.answer else []
    is_answer = outcome in (Outcome.ANSWERED, Outcome.REFUSED)
    said = parts if state == _STATES[Outcome.CLARIFY] else [text_part(query.error)] if state == FAILED else []
    shown: Json = {"id": str(task.pk), "contextId": task.context_id}
    shown["status"] = status(state, parts=said, ids=ids, at=query.created_at)
    if artifacts and is_answer and parts:
        name = artifact_name(outcome)
        shown["artifacts"] = [{"artifactId": artifact_id(query.pk), "name": name, "parts": parts}]
    if history:
        asked = {"messageId": str(query.pk), "role": "ROLE_USER", "parts": [text_part(query.question)], **ids}
        shown["history"] = [asked]
    return shown


def _stored_data(query: Query) -> Json:
    return {
        "citations": query.citations,
        "decisionPath": query.decision_path,
        "confidence": query.confidence,
        "outcome": query.outcome,
        "reason": query.reason or None,
        "queryId": str(query.pk),
        "release": query.release_name,
    }


def artifact_id(question_id: Any) -> str:
    return f"answer-{question_id}"


def artifact_name(outcome: Outcome) -> str:
    return "refusal" if outcome == Outcome.REFUSED else "answer"


def text_part(text: str) -> Json:
    return {"text": text, "mediaType": "text/plain"}


def data_part(data: Json) -> Json:
    return {"data": data, "mediaType": "application/json"}


def _timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
