"""The body of a chat completion as the body of a query, and the names of what has no effect in it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework.serializers import Serializer

from api.chat_completions import messages
from api.chat_completions.serializers import ChatSerializer
from api.chat_completions.structured_output import WantedStructure, read_wanted_structure
from api.fields import validated

# How many ignored names an answer lists at most, and how long a listed name may be.
_MAX_IGNORED_NAMES, _MAX_NAME_LENGTH = 50, 60


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """`query` is the body of a query, for `api.query.questions.read_question`; `ignored` names what has no effect."""

    query: dict[str, Any]
    stream: bool
    include_usage: bool
    structure: WantedStructure | None
    ignored: tuple[str, ...]


def read_chat_request(data: Any) -> ChatRequest:
    """A body as a client sent it. A `followup` needs no question: its token holds the one it belongs to.

    Raises `ValidationError`, `UnsupportedParameter`, `NoQuestion`, and what `read_messages` and
    `read_wanted_structure` raise.
    """
    body = validated(ChatSerializer(data=data))
    chat = messages.read_messages(body["messages"])
    if not (chat.question or body.get("followup")):
        raise messages.NoQuestion(param="messages")
    wanted = read_wanted_structure(
        wanted_format=body.get("response_format"),
        format_param="response_format",
        tools=body.get("tools"),
        tool_choice=body.get("tool_choice"),
    )
    return ChatRequest(
        query={
            "plugin": body["model"],
            "query": "" if body.get("followup") else chat.question,
            "context": chat.turns,
            **{name: body.get(name) for name in ("options", "facts", "followup")},
        },
        stream=bool(body["stream"]),
        include_usage=bool((body.get("stream_options") or {}).get("include_usage")),
        structure=wanted,
        ignored=(*chat.ignored, *unread_names(data, known=read_fields(ChatSerializer(), wanted))),
    )


def read_fields(serializer: Serializer, wanted: WantedStructure | None) -> set[str]:
    """The fields of a body that have an effect: tools have one where one of them is called."""
    return set(serializer.fields) - (set() if wanted and wanted.tool else {"tools"})


def unread_names(data: Mapping[str, Any], *, known: Container[str]) -> list[str]:
    """The names in a body that have a value and are not known, for `lexic.ignored`."""
    sent = (name for name, value in data.items() if value is not None and len(name) <= _MAX_NAME_LENGTH)
    return sorted(name for name in sent if name not in known)[:_MAX_IGNORED_NAMES]
