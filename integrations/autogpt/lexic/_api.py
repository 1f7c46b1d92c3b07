"""One question to a Lexic server, and what its answer means to a block. Knows nothing of blocks."""

from typing import Any
from urllib.parse import urlsplit

ANSWER_PATH = "/api/v1/query"


class LexicFailed(Exception):
    """What went wrong, in one sentence for the person who built the agent. Never holds the key."""


def url_of(server: str) -> str:
    """Where to send the question. Raises `LexicFailed` for an address that would show the key to others."""
    try:
        parts = urlsplit(server.strip())
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "https" or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise LexicFailed("The server's address has to look like https://lexic.example.org.")
    return f"https://{parts.netloc}{parts.path.rstrip('/')}{ANSWER_PATH}"


def body_of(*, plugin: str, question: str, facts: dict[str, Any], max_sources: int | None) -> dict[str, Any]:
    """Only what was filled in is sent."""
    body: dict[str, Any] = {"plugin": plugin, "query": question}
    if facts:
        body["facts"] = facts
    if max_sources:
        body["options"] = {"maxSources": max_sources}
    return body


def read(status: int, reply: Any) -> dict[str, Any]:
    """The answer as a dict with every key. Raises `LexicFailed` for an error."""
    fields = reply if isinstance(reply, dict) else {}
    if not 200 <= status < 300:
        said = " ".join(text for name in ("error", "hint") if (text := _string_or_empty(fields.get(name))))
        raise LexicFailed(said or f"The server answered with status {status}.")
    return {
        "answer": _string_or_empty(fields.get("answer")),
        "citations": _objects(fields.get("citations")),
        "decision_path": _objects(fields.get("decisionPath")),
        "confidence": _string_or_empty(fields.get("confidence")) or "low",
        "outcome": _string_or_empty(fields.get("outcome")) or "answered",
        "clarification": fields["clarification"] if isinstance(fields.get("clarification"), dict) else None,
    }


def _string_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
