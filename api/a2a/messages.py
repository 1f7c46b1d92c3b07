"""A message of a caller → the question that it asks, and the task that it begins or continues."""

from __future__ import annotations

import uuid
from typing import Any

from accounts.models import ApiKey
from api.a2a.protocol_errors import ContentTypeNotSupported, UnsupportedOperation
from api.a2a.tasks import AskedMessage, get_task, kept_context, turns_of_context
from api.models import A2ATask
from api.query.questions import parse_question
from lexic.errors import InvalidInput
from plugins.models import Plugin
from querying.question.resume import resume_from_context

OUTPUT_MODES = ("text/plain", "application/json")
_ANY_MODES = {"*/*", "text/*", "application/*", *OUTPUT_MODES}
# What a data part may have: the fields of a question of the API.
_DATA_FIELDS = ("facts", "options")
_MAX_PARTS = 50


def read_message(params: dict[str, Any], *, plugin: Plugin, key: ApiKey) -> AskedMessage:
    """Raises `InvalidInput`, `ContentTypeNotSupported`, `TaskNotFound`, `UnsupportedOperation`, and what asking
    raises."""
    _check_output_modes(params.get("configuration"))
    message = params.get("message")
    if not isinstance(message, dict):
        raise InvalidInput("message is missing.", param="message")
    if message.get("role") not in (None, "ROLE_USER"):
        raise InvalidInput("message.role has to be that of a user.", param="message.role")
    text, fields = _read_parts(message.get("parts"))
    task_id, context_id = _read_name(message, "taskId"), _read_name(message, "contextId")
    if task_id:
        return _continue(text, fields, message, task=get_task(task_id, plugin=plugin, key=key), key=key)
    turns = turns_of_context(context_id, plugin=plugin, key=key) if context_id else []
    question = parse_question({"plugin": plugin.slug, "query": text, "context": turns, **fields}, key=key)
    if turns:
        question = resume_from_context(question)
    return AskedMessage(
        question=question, message=message, task_id=question.id, context_id=context_id or str(uuid.uuid4())
    )


def _continue(
    text: str, fields: dict[str, Any], message: dict[str, Any], *, task: A2ATask, key: ApiKey
) -> AskedMessage:
    """The first question again, to the release that asked back, with the fact that the message answers."""
    named = _read_name(message, "contextId")
    if named and kept_context(named) != task.context_id:
        raise InvalidInput("The task belongs to another contextId.", param="message.contextId")
    if not task.waits_for_input:
        raise UnsupportedOperation("This task has ended.", hint="Send the message without its taskId, in the context.")
    asked = task.query
    known = {**asked.facts, **({task.asked_field: text} if text else {}), **(fields.get("facts") or {})}
    body = {"plugin": asked.release_name, "query": asked.question, "context": asked.context, **fields, "facts": known}
    question = parse_question(body, key=key)
    return AskedMessage(question=question, message=message, task_id=task.pk, context_id=named or task.context_id)


def _read_parts(parts: Any) -> tuple[str, dict[str, Any]]:
    """The texts together, and the fields of the data parts."""
    if not isinstance(parts, list) or not parts or len(parts) > _MAX_PARTS:
        raise InvalidInput(f"message.parts has to be a list of 1 to {_MAX_PARTS} parts.", param="message.parts")
    texts: list[str] = []
    fields: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part, dict) and isinstance(part.get("data"), dict):
            fields |= _read_data(part["data"])
        else:
            raise ContentTypeNotSupported
    text = "\n".join(texts).strip()
    if not text and "facts" not in fields:
        raise InvalidInput("The message has no text.", hint="Send the question as a text part.", param="message.parts")
    return text, fields


def _read_data(data: dict[str, Any]) -> dict[str, Any]:
    if unknown := sorted(set(data) - set(_DATA_FIELDS)):
        raise InvalidInput(
            f"A data part has no field {unknown[0]}.", hint="It may have facts and options.", param="message.parts"
        )
    facts = data.get("facts")
    if facts is not None and not isinstance(facts, dict):
        raise InvalidInput("facts is no object.", hint="Send each fact under its name.", param="message.parts")
    return data


def _read_name(message: dict[str, Any], name: str) -> str:
    value = message.get(name) or ""
    if not isinstance(value, str) or len(value) > A2ATask.MAX_CONTEXT_LENGTH:
        limit = A2ATask.MAX_CONTEXT_LENGTH
        raise InvalidInput(f"message.{name} is a text of at most {limit} characters.", param=f"message.{name}")
    return value


def _check_output_modes(configuration: Any) -> None:
    modes = configuration.get("acceptedOutputModes") if isinstance(configuration, dict) else None
    if modes and not (isinstance(modes, list) and _ANY_MODES.intersection(map(str, modes))):
        raise ContentTypeNotSupported
