"""The `input` of a response as the messages of a chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from accounts.models import ApiKey
from api.chat_completions.messages import InvalidContent
from api.chat_completions.serializers import MAX_MESSAGES, ROLES
from api.responses.stored_responses import MESSAGE_PREFIX, UnknownResponse, find_stored, message_text_of, query_id_of
from lexic.errors import InvalidInput

_REFERENCE = "item_reference"
_MAX_KIND_LENGTH = 40


class InvalidInputItem(InvalidInput):
    """An item of the input cannot be read."""

    code = "invalid_input_item"
    hint = "Send a string, or a list of messages {role, content} and of items with a `type`."


class TooManyItems(InvalidInput):
    """There are too many items in the input."""

    code = "too_many_items"
    hint = f"Send at most {MAX_MESSAGES}; continue a stored response with previous_response_id."


@dataclass(frozen=True, kw_only=True)
class InputMessages:
    """`messages` are role and content of each; `ignored` names the kinds of items that have no effect."""

    messages: list[Mapping[str, Any]] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def read_input(value: Any, *, key: ApiKey) -> InputMessages:
    """Text is one message of the user. Items that are no messages have no effect; a reference to the message of a
    stored response is that message.

    Raises `InvalidInputItem`, `InvalidContent`, `TooManyItems`, `UnknownResponse`.
    """
    if value is None:
        return InputMessages()
    if isinstance(value, str):
        return InputMessages(messages=[{"role": "user", "content": value}])
    if not isinstance(value, list):
        raise InvalidInputItem(param="input")
    if len(value) > MAX_MESSAGES:
        raise TooManyItems(param="input")
    kinds = [_kind_of(item, param=f"input.{number}") for number, item in enumerate(value)]
    said = _referenced_texts(value, kinds, key=key)
    messages, ignored = list[Mapping[str, Any]](), set[str]()
    for number, (item, kind) in enumerate(zip(value, kinds, strict=True)):
        if kind == "message":
            messages.append(_message_turn(item, param=f"input.{number}"))
        elif number in said:
            messages.append({"role": "assistant", "content": said[number]})
        else:
            ignored.add(f"input.{kind[:_MAX_KIND_LENGTH]}")
    return InputMessages(messages=messages, ignored=sorted(ignored))


def _kind_of(item: Any, *, param: str) -> str:
    """The type of an item. A message may leave it out, and so may a reference."""
    if not isinstance(item, Mapping):
        raise InvalidInputItem(param=param)
    implied = "message" if "role" in item else _REFERENCE if "id" in item else None
    kind = item.get("type") or implied
    if not isinstance(kind, str):
        raise InvalidInputItem(param=param)
    return kind


def _referenced_texts(items: list[Any], kinds: list[str], *, key: ApiKey) -> dict[int, str]:
    """What was said in the messages that are referred to, by the place of the reference."""
    wanted: dict[int, UUID] = {
        number: query_id_of(str(item["id"]), prefix=MESSAGE_PREFIX, param=f"input.{number}")
        for number, (item, kind) in enumerate(zip(items, kinds, strict=True))
        if kind == _REFERENCE and str(item.get("id", "")).startswith(MESSAGE_PREFIX)
    }
    stored = find_stored(set(wanted.values()), key=key)
    for number, query_id in wanted.items():
        if query_id not in stored:
            raise UnknownResponse(param=f"input.{number}")
    return {number: message_text_of(stored[query_id]) for number, query_id in wanted.items()}


def _message_turn(item: Mapping[str, Any], *, param: str) -> Mapping[str, Any]:
    role = item.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise InvalidInputItem(f"{param}.role: This has to be one of {', '.join(ROLES)}.", param=f"{param}.role")
    if "content" not in item:
        raise InvalidContent(param=f"{param}.content")
    return {"role": role, "content": item["content"]}
