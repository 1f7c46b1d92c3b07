"""Tasks: kept with the query rows of their questions, for the key that asked."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError
from django.utils.crypto import salted_hmac

from accounts.models import ApiKey
from api.a2a.protocol_errors import TaskNotFound
from api.models import A2ATask, A2ATaskQuerySet
from lexic.database import release_connections
from plugins.models import Plugin
from plugins.slugs import parse_id
from querying.query_log.quotations import withhold_quotations
from querying.redaction.redact_question import redact_question
from querying.types.answer import Answer
from querying.types.question import Question

logger = logging.getLogger(__name__)

# What was said before in the same context, that a question is read after.
_MAX_TASKS_OF_CONTEXT = 6
_CONTEXT_SALT = "api.a2a.context"
# Without digits, which could be taken for a number of somebody.
_HASH_LENGTH, _LETTERS = 24, str.maketrans("0123456789", "ghijklmnop")


@dataclass(frozen=True, kw_only=True)
class AskedMessage:
    """A question, and the task that it is asked in. `message` is what the caller sent, for the task's history."""

    question: Question
    message: dict[str, Any]
    task_id: UUID
    context_id: str

    @property
    def ids(self) -> dict[str, str]:
        return {"taskId": str(self.task_id), "contextId": self.context_id}

    def task(self, **fields: Any) -> dict[str, Any]:
        """The task in JSON, with what the caller sent as its history."""
        sent = {**self.message, "role": "ROLE_USER", **self.ids}
        return {"id": str(self.task_id), "contextId": self.context_id, "history": [sent], **fields}


def get_task(task_id: str, *, plugin: Plugin, key: ApiKey) -> A2ATask:
    """The task of this key, of this plugin, without quotations that it may not read any more. Raises `TaskNotFound`."""
    pk = parse_id(task_id)
    task = tasks_of(plugin, key=key).filter(pk=pk).first() if pk else None
    if task is None:
        raise TaskNotFound
    withhold_quotations([task.query], viewer=key.owner)
    return task


def tasks_of(plugin: Plugin, *, key: ApiKey) -> A2ATaskQuerySet:
    """The tasks of this key that the plugin was asked in, the newest first."""
    return A2ATask.objects.readable_by(key).filter(query__plugin=plugin)


def turns_of_context(context_id: str, *, plugin: Plugin, key: ApiKey) -> list[dict[str, str]]:
    """The conversation so far: question and answer of the last tasks in this context."""
    tasks = list(tasks_of(plugin, key=key).filter(context_id=kept_context(context_id))[:_MAX_TASKS_OF_CONTEXT])
    withhold_quotations([task.query for task in tasks], viewer=key.owner)
    said = [(task.query.question, task.query.answer) for task in reversed(tasks) if task.query.answer]
    roles = ("user", "assistant")
    return [{"role": role, "content": text} for turn in said for role, text in zip(roles, turn, strict=True)]


def kept_context(context_id: str) -> str:
    """The caller's context id as it is stored: redacted, because the caller may have put a name into it, and then with
    a hash of it, for the addresses of two people are redacted to the same text. What is stored is kept as it is."""
    redacted = redact_question(context_id)
    if redacted == context_id:
        return context_id
    hashed = salted_hmac(_CONTEXT_SALT, context_id, algorithm="sha256").hexdigest()[:_HASH_LENGTH]
    words = redacted[: A2ATask.MAX_CONTEXT_LENGTH - _HASH_LENGTH - 1]
    return f"{words} {hashed.translate(_LETTERS)}"


def save_task(asked: AskedMessage, *, key: ApiKey, answer: Answer | None) -> None:
    """Keeps the task with the query row of its last question; where that row could not be written, it is not kept."""
    asked_field = answer.clarification.field if answer and answer.clarification else ""
    values: dict[str, Any] = {"query_id": asked.question.id, "asked_field": asked_field}
    first = {**values, "context_id": kept_context(asked.context_id)}
    with release_connections():
        try:
            A2ATask.objects.update_or_create(pk=asked.task_id, api_key=key, defaults=values, create_defaults=first)
        except IntegrityError:
            logger.exception("the task %s could not be stored", asked.task_id)
