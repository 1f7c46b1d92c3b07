"""The messages of a chat as a question and the turns before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from api.query.serializers import MAX_TURNS
from lexic.errors import InvalidInput
from querying.forms import MAX_QUESTION_CHARACTERS, MAX_TURN_CHARACTERS

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
    hint = f"A question has at most {MAX_QUESTION_CHARACTERS} characters. Earlier messages may be longer."


@dataclass(frozen=True, kw_only=True)
class ChatConversation:
    """A question, and the `turns` before it as `context` of a query; `ignored` names the kinds of messages left out."""

    question: str
    turns: list[dict[str, str]]
    ignored: list[str]


def read_messages(messages: list[Mapping[str, Any]], *, param: str = "messages") -> ChatConversation:
    """The user's last message is the question; earlier messages of user and assistant are the turns, the latest kept.
    `param` is what the body calls the list.

    Each message has a known role. Messages after the question (a call of a tool and its result, the beginning of an
    answer) are left out. The question is empty where the user sent none.
    Raises `UnsupportedContent`, `InvalidContent`, `QuestionTooLong`.
    """
    spoken = [
        {"role": message["role"], "content": _message_text(message["content"], param=f"{param}.{number}.content")}
        for number, message in enumerate(messages)
        if message["role"] in _CONVERSATION_ROLES
    ]
    last = max((position for position, turn in enumerate(spoken) if turn["role"] == "user"), default=None)
    question = "" if last is None else spoken[last]["content"].strip()
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise QuestionTooLong(param=param)
    before = [] if last is None else spoken[:last]
    turns = [{**turn, "content": turn["content"][:MAX_TURN_CHARACTERS]} for turn in before if turn["content"].strip()]
    ignored_roles = {message["role"] for message in messages} - _CONVERSATION_ROLES
    ignored = [f"{param}.{role}" for role in sorted(ignored_roles)]
    return ChatConversation(question=question, turns=turns[-MAX_TURNS:], ignored=ignored)


def _message_text(content: Any, *, param: str) -> str:
    """The text of a message: a string, or its text parts, one a line. A message that only calls a tool has none."""
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
