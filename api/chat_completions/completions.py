"""Answers as OpenAI's clients read them: a chat completion, or the chunks of one."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from api.chat_completions.structured_output import fields_as_json
from querying import json_format
from querying.answering.citation_styles import CITATION_MARK
from querying.question import clarifications
from querying.types.answer import Answer
from querying.types.question import Question
from querying.types.token_usage import Usage

# These keys of an answer have a place of their own in a completion; the others go into `lexic`.
_TOP_LEVEL_KEYS = {"answer", "citations", "usage"}


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The answer to one question, in the protocol's format. Its `model` is the release that answers."""

    question: Question
    ignored: tuple[str, ...] = ()
    tool: str = ""  # the function that is called with the values
    created: int = field(default_factory=lambda: int(time.time()))

    def as_json(self, answer: Answer) -> dict[str, Any]:
        """The completion in one piece."""
        extensions = self._extensions(answer)
        text = message_text(answer)
        message = {
            "role": "assistant",
            "content": None if self.tool else text,
            "refusal": None,
            "annotations": make_annotations(text, extensions["citations"]),
            **({"tool_calls": [self.call(text)]} if self.tool else {}),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}
        return {
            **self._common_fields("chat.completion"),
            "choices": [choice],
            "usage": usage_json(answer.usage),
            **extensions,
        }

    @property
    def finish_reason(self) -> str:
        return "tool_calls" if self.tool else "stop"

    def call(self, arguments: str) -> dict[str, Any]:
        """The call of the tool, with these arguments as JSON."""
        function = {"name": self.tool, "arguments": arguments}
        return {"id": f"call_{self.question.id.hex}", "type": "function", "function": function}

    def chunk(self, delta: Mapping[str, Any], *, finish_reason: str | None = None) -> dict[str, Any]:
        """One chunk of a stream."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._common_fields("chat.completion.chunk"), "choices": [choice]}

    def make_last_chunk(self, answer: Answer) -> dict[str, Any]:
        """The chunk after the text: that it has ended, and everything about the answer that is not text."""
        extensions = self._extensions(answer)
        annotations = make_annotations(message_text(answer), extensions["citations"])
        return (
            self.chunk({"annotations": annotations} if annotations else {}, finish_reason=self.finish_reason)
            | extensions
        )

    def make_usage_chunk(self, answer: Answer) -> dict[str, Any]:
        """The chunk that counts tokens, which has no choices."""
        return {**self._common_fields("chat.completion.chunk"), "choices": [], "usage": usage_json(answer.usage)}

    def _extensions(self, answer: Answer) -> dict[str, Any]:
        return extensions(answer, question=self.question, ignored=self.ignored)

    def _common_fields(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self.question.id.hex}",
            "object": kind,
            "created": self.created,
            "model": str(self.question.release),
        }


def extensions(answer: Answer, *, question: Question, ignored: Sequence[str]) -> dict[str, Any]:
    """`citations`, and `lexic` with the rest of what `/api/v1/query` would say."""
    body = json_format.answer_as_json(answer, question=question)
    rest = {name: value for name, value in body.items() if name not in _TOP_LEVEL_KEYS}
    fields = {"fields": fields_as_json(answer.structure)} if answer.structure else {}
    return {"citations": body["citations"], "lexic": {**rest, **fields, "ignored": list(ignored)}}


def message_text(answer: Answer) -> str:
    """What the assistant says: the answer, the refusal, or the question that we ask back; or the JSON of a schema."""
    if answer.structure:
        return answer.text
    return clarifications.clarification_text(answer.clarification) if answer.clarification else answer.text


def make_annotations(text: str, citations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each `[Source N]` of the text as the protocol's link to what it cites."""
    return [{"type": "url_citation", "url_citation": link} for link in cited_links(text, citations)]


def cited_links(text: str, citations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Where each `[Source N]` of the text stands and what it cites. Indices count characters."""
    by_id = {citation["id"]: citation for citation in citations}
    return [
        {
            "start_index": mark.start(),
            "end_index": mark.end(),
            "url": citation["url"],
            "title": citation["document"],
        }
        for mark in CITATION_MARK.finditer(text)
        if (citation := by_id.get(f"src_{mark[1]}"))
    ]


def usage_json(usage: Usage) -> dict[str, int]:
    """Tokens as the provider counted them; zero where no model was asked."""
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }
