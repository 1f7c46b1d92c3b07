"""`ListTasks`: the tasks of a key with one agent, in pages."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from accounts.models import ApiKey
from api.a2a import task_json
from api.a2a.tasks import kept_context, tasks_of
from api.models import A2ATaskQuerySet
from lexic.errors import InvalidInput
from lexic.http.parameters import parse_natural
from plugins.models import Plugin
from querying.query_log.quotations import withhold_quotations
from querying.types.answer import Outcome

_DEFAULT_PAGE, _LONGEST_PAGE = 50, 100
_MAX_TOKEN_DIGITS = 9
_ANSWERED = (Outcome.ANSWERED, Outcome.REFUSED)
_OPEN = Q(is_cancelled=False)
_CONDITIONS = {
    "TASK_STATE_COMPLETED": _OPEN & Q(query__outcome__in=_ANSWERED),
    "TASK_STATE_INPUT_REQUIRED": _OPEN & Q(query__outcome=Outcome.CLARIFY),
    "TASK_STATE_CANCELED": ~_OPEN,
    "TASK_STATE_FAILED": _OPEN & ~Q(query__outcome__in=(*_ANSWERED, Outcome.CLARIFY)),
}


def list_tasks(params: dict[str, Any], *, plugin: Plugin, key: ApiKey) -> dict[str, Any]:
    """A page of tasks, the newest first. Raises `InvalidInput`."""
    found = _filtered(tasks_of(plugin, key=key), params)
    size, start = _read_size(params), _read_start(params)
    total = found.count()
    page = list(found[start : start + size])
    withhold_quotations([task.query for task in page], viewer=key.owner)
    with_artifacts = params.get("includeArtifacts") is True
    shown = [task_json.stored_task(task, history=False, artifacts=with_artifacts) for task in page]
    following = str(start + size) if start + size < total else ""
    return {"tasks": shown, "nextPageToken": following, "pageSize": size, "totalSize": total}


def _filtered(tasks: A2ATaskQuerySet, params: dict[str, Any]) -> A2ATaskQuerySet:
    if context_id := params.get("contextId"):
        tasks = tasks.filter(context_id=kept_context(str(context_id)))
    if state := params.get("status"):
        if not isinstance(state, str):
            raise InvalidInput("status is no text.", hint="Send TASK_STATE_COMPLETED, for example.", param="status")
        tasks = tasks.filter(_CONDITIONS[state]) if state in _CONDITIONS else tasks.none()
    if since := params.get("statusTimestampAfter"):
        tasks = tasks.filter(query__created_at__gte=_read_time(since))
    return tasks


def _read_time(since: Any) -> datetime:
    try:
        at = parse_datetime(since) if isinstance(since, str) else None
    except ValueError:  # 30 February
        at = None
    if at is None or not is_aware(at):
        hint = "Send one like 2026-03-31T12:00:00Z."
        raise InvalidInput("statusTimestampAfter is no time.", hint=hint, param="statusTimestampAfter")
    return at


def _read_size(params: dict[str, Any]) -> int:
    size = params.get("pageSize") or _DEFAULT_PAGE
    if not isinstance(size, int) or not 1 <= size <= _LONGEST_PAGE:
        raise InvalidInput(f"pageSize is a whole number from 1 to {_LONGEST_PAGE}.", param="pageSize")
    return size


def _read_start(params: dict[str, Any]) -> int:
    token = params.get("pageToken") or "0"
    start = parse_natural(token, max_digits=_MAX_TOKEN_DIGITS) if isinstance(token, str) else None
    if start is None:
        raise InvalidInput("This pageToken was not issued here.", param="pageToken")
    return start
