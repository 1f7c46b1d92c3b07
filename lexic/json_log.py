"""The log as JSON, for programs that collect it."""

from __future__ import annotations

from typing import Any

from pythonjsonlogger.json import JsonFormatter

from lexic.log_redaction import redact
from lexic.middleware.request_id import current_request_id


class RedactingJsonFormatter(JsonFormatter):
    """One JSON object a line: `time`, `level`, `logger`, `process`, `message`, and where there are such, `request_id`,
    `task`, `task_id`, `exception` and `status_code`. What else code or libraries attach to a record is left out."""

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s %(process)d %(message)s", timestamp="time", json_ensure_ascii=False)

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        from celery import current_task  # slow import

        found = {
            "time": log_data["time"].isoformat(timespec="milliseconds"),
            "level": log_data["levelname"],
            "logger": log_data["name"],
            "process": log_data["process"],
            "request_id": current_request_id(),
            "task": current_task.name if current_task else "",
            "task_id": current_task.request.id if current_task else "",
            "status_code": log_data.get("status_code", ""),
            "message": log_data["message"],
            "exception": log_data.get("exc_info", ""),
        }
        return {
            name: redact(value) if isinstance(value, str) else value
            for name, value in found.items()
            if value not in ("", None)
        }
