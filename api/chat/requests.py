"""The body of a chat completion as the body of a query, and the names of what has no effect in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from api.chat import messages
from api.chat.serializers import ChatSerializer
from api.fields import validated

# How many ignored names an answer lists at most, and how long a listed name may be.
_MAX_IGNORED_NAMES, _MAX_NAME_LENGTH = 50, 60


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """`query` is the body of a query, for `api.query.questions.read_question`; `ignored` names what has no effect."""

    query: dict[str, Any]
    stream: bool
    include_usage: bool
    ignored: tuple[str, ...]


def read_chat_request(data: Any) -> ChatRequest:
    """A body as a client sent it. A `followup` needs no question: its token holds the one it belongs to.

    Raises `ValidationError`, `UnsupportedParameter`, `NoQuestion`, and what `read_messages` raises.
    """
    body = validated(ChatSerializer(data=data))
    chat = messages.read_messages(body["messages"])
    if not (chat.question or body.get("followup")):
        raise messages.NoQuestion(param="messages")
    known = ChatSerializer().fields.keys()
    sent = [name for name, value in data.items() if value is not None and len(name) <= _MAX_NAME_LENGTH]
    unread = [name for name in sent if name not in known]
    return ChatRequest(
        query={
            "plugin": body["model"],
            "query": "" if body.get("followup") else chat.question,
            "context": chat.turns,
            **{name: body.get(name) for name in ("options", "facts", "followup")},
        },
        stream=bool(body["stream"]),
        include_usage=bool((body.get("stream_options") or {}).get("include_usage")),
        ignored=(*chat.ignored, *sorted(unread)[:_MAX_IGNORED_NAMES]),
    )
