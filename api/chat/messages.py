"""The messages of a chat as a question and the turns before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from api.query.serializers import MAX_QUESTION, MAX_TURNS
from lexic.errors import InvalidInput

# What else a turn may hold at any door; a chat that has grown is cut, for its author cannot make it shorter.
_MAX_TURN_LENGTH = 20_000
_TEXT_PARTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_CONVERSATION_ROLES = {"user", "assistant"}


class UnsupportedContent(InvalidInput):
    """Only text can be read here, no images, sound or files."""

    code = "unsupported_content"
    hint = "Send the content as a string, or as parts of the type “text”."


class InvalidContent(InvalidInput):
    """The content of a message is a string, or a list of parts."""

    code = "invalid_content"


class NoQuestion(InvalidInput):
    """There is no question: the last message of the user has no text."""

    code = "no_question"
    hint = "Put the question into the last message with the role “user”."


class QuestionTooLong(InvalidInput):
    """The question is too long."""

    code = "context_length_exceeded"
    hint = f"A question has at most {MAX_QUESTION} characters. Earlier messages may be longer."


@dataclass(frozen=True, kw_only=True)
class ChatConversation:
    """`turns` as `context` of a query; `ignored` names the kinds of messages that were left out."""

    question: str
    turns: list[dict[str, str]]
    ignored: list[str]


def read_messages(messages: list[Mapping[str, Any]]) -> ChatConversation:
    """The user's last message is the question; what user and assistant said before it are the turns, the latest kept.

    `messages` have a known role each. Messages after the question (a call of a tool and what it gave, the beginning
    of an answer) are left out. The question may be empty where there is none.
    Raises `UnsupportedContent`, `InvalidContent`, `QuestionTooLong`.
    """
    said = [
        {"role": message["role"], "content": _message_text(message["content"], param=f"messages.{number}.content")}
        for number, message in enumerate(messages)
        if message["role"] in _CONVERSATION_ROLES
    ]
    last = max((at for at, turn in enumerate(said) if turn["role"] == "user"), default=None)
    question = "" if last is None else said[last]["content"].strip()
    if len(question) > MAX_QUESTION:
        raise QuestionTooLong(param="messages")
    turns = [_truncate_turn(turn) for turn in said[:last] if turn["content"].strip()] if last is not None else []
    return ChatConversation(question=question, turns=turns[-MAX_TURNS:], ignored=_ignored_roles(messages))


def _truncate_turn(turn: dict[str, str]) -> dict[str, str]:
    return {**turn, "content": turn["content"][:_MAX_TURN_LENGTH]}


def _ignored_roles(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    return sorted(
        {f"messages.{message['role']}" for message in messages} - {f"messages.{r}" for r in _CONVERSATION_ROLES}
    )


def _message_text(content: Any, *, param: str) -> str:
    """The text of a message: a string, or the text parts on lines of their own; none where it only calls a tool."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise InvalidContent(param=param)
    return "\n".join(_part_text(part, param=f"{param}.{number}") for number, part in enumerate(content))


def _part_text(part: Any, *, param: str) -> str:
    if not isinstance(part, Mapping):
        raise InvalidContent(param=param)
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _TEXT_PARTS:
        raise UnsupportedContent(param=param)
    text = part.get(_TEXT_PARTS[kind])
    if not isinstance(text, str):
        raise InvalidContent(param=param)
    return text
