"""The body of a response's request as the body of a query, and what of it comes back with the response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import ApiKey
from api.chat_completions.messages import NoQuestion, read_messages
from api.chat_completions.requests import read_fields, unread_names
from api.chat_completions.structured_output import WantedStructure, read_wanted_structure
from api.fields import validated
from api.query.serializers import MAX_TURNS
from api.responses.input_items import read_input
from api.responses.serializers import ResponseRequestSerializer
from api.responses.stored_responses import get_stored, message_text_of
from querying.forms import MAX_TURN_CHARACTERS

_MAX_ECHOED = 500


@dataclass(frozen=True, kw_only=True)
class ResponseRequest:
    """`query` is the body of a query, for `api.query.questions.read_question`; `turns` is the conversation up to the
    question, as it is stored; `ignored` names what has no effect."""

    query: dict[str, Any]
    turns: list[dict[str, str]]
    stream: bool
    store: bool
    previous_response_id: str | None
    metadata: dict[str, str]
    structure: WantedStructure | None
    text: dict[str, Any]
    ignored: tuple[str, ...]


def read_response_request(data: Any, *, key: ApiKey) -> ResponseRequest:
    """A body as a client sent it. A `followup` needs no question: its token holds the one it belongs to.

    Raises `ValidationError`, `UnsupportedParameter`, `NoQuestion`, `UnknownResponse`, and what `read_input`,
    `read_messages` and `read_wanted_structure` raise.
    """
    body = validated(ResponseRequestSerializer(data=data))
    found = read_input(body.get("input"), key=key)
    chat = read_messages(found.messages, param="input")
    followup = body.get("followup")
    if not (chat.question or followup):
        raise NoQuestion(param="input")
    text = body.get("text") or {}
    wanted = read_wanted_structure(
        wanted_format=text.get("format"),
        format_param="text.format",
        tools=body.get("tools"),
        tool_choice=body.get("tool_choice"),
    )
    previous = body.get("previous_response_id")
    turns = (_turns_until(previous, key=key) if previous else []) + chat.turns
    said = str(followup["answer"]) if followup else chat.question
    return ResponseRequest(
        query={
            "plugin": body["model"],
            "query": "" if followup else chat.question,
            "context": turns[-MAX_TURNS:],
            **{name: body.get(name) for name in ("options", "facts", "followup")},
        },
        turns=[*turns, {"role": "user", "content": said}][-MAX_TURNS:],
        stream=bool(body["stream"]),
        store=body["store"] is not False,
        previous_response_id=previous or None,
        metadata=dict(body.get("metadata") or {}),
        structure=wanted,
        text={"format": _echoed_format(text["format"]) if wanted and not wanted.tool else {"type": "text"}},
        ignored=(
            *chat.ignored,
            *found.ignored,
            *unread_names(data, known=read_fields(ResponseRequestSerializer(), wanted)),
        ),
    )


def _echoed_format(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What comes back with the response, and is stored: of what was sent, what has a meaning and a limit."""
    named = {name: wanted[name] for name in ("name", "description") if isinstance(wanted.get(name), str)}
    texts = {name: text[:_MAX_ECHOED] for name, text in named.items()}
    strict = {"strict": wanted["strict"]} if isinstance(wanted.get("strict"), bool) else {}
    return {"type": "json_schema", **texts, "schema": wanted.get("json_schema", wanted)["schema"], **strict}


def _turns_until(previous: str, *, key: ApiKey) -> list[dict[str, str]]:
    """The conversation up to and with the answer of a stored response."""
    stored = get_stored(previous, key=key, param="previous_response_id")
    said = message_text_of(stored)[:MAX_TURN_CHARACTERS]
    return [*stored.turns, {"role": "assistant", "content": said}]
