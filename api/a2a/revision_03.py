"""Revision 0.3, which many clients still speak: its names and shapes for those of 1.0."""

from __future__ import annotations

from typing import Any

METHODS = {
    "message/send": "SendMessage",
    "message/stream": "SendStreamingMessage",
    "tasks/get": "GetTask",
    "tasks/cancel": "CancelTask",
    "tasks/resubscribe": "SubscribeToTask",
    "tasks/pushNotificationConfig/set": "CreateTaskPushNotificationConfig",
    "tasks/pushNotificationConfig/get": "GetTaskPushNotificationConfig",
    "tasks/pushNotificationConfig/list": "ListTaskPushNotificationConfigs",
    "tasks/pushNotificationConfig/delete": "DeleteTaskPushNotificationConfig",
    "agent/getAuthenticatedExtendedCard": "GetExtendedAgentCard",
}
_ROLES = {"user": "ROLE_USER", "agent": "ROLE_AGENT"}
_OLD_ROLES = {new: old for old, new in _ROLES.items()}
_STATE_PREFIX = "TASK_STATE_"
# A stream ends with one of these.
_LAST_STATES = {"completed", "failed", "canceled", "rejected", "input-required", "auth-required"}


def params_of(params: dict[str, Any]) -> dict[str, Any]:
    """What 0.3 sent as 1.0 has it. What is wrong stays wrong, for whoever reads it."""
    message = params.get("message")
    return {**params, "message": _message_of(message)} if isinstance(message, dict) else params


def result_of(method: str, result: dict[str, Any]) -> dict[str, Any]:
    """A result of 1.0 as 0.3 has it."""
    if method in ("GetTask", "CancelTask"):
        return _old_task(result)
    [(kind, value)] = result.items()
    return _RESULTS[kind](value)


def _message_of(message: dict[str, Any]) -> dict[str, Any]:
    parts, role = message.get("parts"), message.get("role")
    read = [_part_of(part) for part in parts] if isinstance(parts, list) else parts
    return {**message, "role": _ROLES.get(role, role) if isinstance(role, str) else role, "parts": read}


def _part_of(part: Any) -> Any:
    if not isinstance(part, dict) or part.get("kind") != "file":
        return {name: value for name, value in part.items() if name != "kind"} if isinstance(part, dict) else part
    return {"url": "file"}  # of no kind that is read here


def _old_task(task: dict[str, Any]) -> dict[str, Any]:
    shown = {**task, "kind": "task", "status": _old_status(task["status"])}
    if "artifacts" in task:
        shown["artifacts"] = [_old_artifact(one) for one in task["artifacts"]]
    if "history" in task:
        shown["history"] = [_old_message(one) for one in task["history"]]
    return shown


def _old_status(status: dict[str, Any]) -> dict[str, Any]:
    shown = {**status, "state": status["state"].removeprefix(_STATE_PREFIX).lower().replace("_", "-")}
    return {**shown, "message": _old_message(status["message"])} if "message" in status else shown


def _old_message(message: dict[str, Any]) -> dict[str, Any]:
    parts = [_old_part(part) for part in message["parts"]]
    return {**message, "kind": "message", "role": _OLD_ROLES[message["role"]], "parts": parts}


def _old_artifact(artifact: dict[str, Any]) -> dict[str, Any]:
    return {**artifact, "parts": [_old_part(part) for part in artifact["parts"]]}


def _old_part(part: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "text", "text": part["text"]} if "text" in part else {"kind": "data", "data": part["data"]}


def _old_status_update(update: dict[str, Any]) -> dict[str, Any]:
    status = _old_status(update["status"])
    return {**update, "kind": "status-update", "status": status, "final": status["state"] in _LAST_STATES}


def _old_artifact_update(update: dict[str, Any]) -> dict[str, Any]:
    return {**update, "kind": "artifact-update", "artifact": _old_artifact(update["artifact"])}


_RESULTS = {"task": _old_task, "statusUpdate": _old_status_update, "artifactUpdate": _old_artifact_update}
