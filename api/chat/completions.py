"""Answers as OpenAI's clients read them: a chat completion, or the chunks of one."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from querying import json_format
from querying.question import clarifications
from querying.types import Answer, Question, Usage

_CITATION_MARK = re.compile(r"\[Source (\d{1,6})\]")
# These have places of their own in a completion; whatever else an answer has is Lexic's own.
_TOP_LEVEL_KEYS = {"answer", "citations", "usage"}


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The answer to one question, in the protocol's words. `model` is the release that answers, pinned."""

    question: Question
    ignored: tuple[str, ...] = ()
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Answer and all, in one piece."""
        added = self.added(answer)
        text = message_text(answer)
        message = {
            "role": "assistant",
            "content": text,
            "refusal": None,
            "annotations": make_annotations(text, added["citations"]),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage_json(answer.usage), **added}

    def chunk(self, delta: Mapping[str, Any], *, finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def make_last_chunk(self, answer: Answer) -> dict[str, Any]:
        """After the text: that it is over, and everything about it that is not text."""
        added = self.added(answer)
        noted = make_annotations(message_text(answer), added["citations"])
        return self.chunk({"annotations": noted} if noted else {}, finish_reason="stop") | added

    def make_usage_chunk(self, answer: Answer) -> dict[str, Any]:
        return {**self._head("chat.completion.chunk"), "choices": [], "usage": usage_json(answer.usage)}

    def added(self, answer: Answer) -> dict[str, Any]:
        """`citations`, and `lexic` with the rest of what `/api/v1/query` would say."""
        shown = json_format.answer_as_json(answer, question=self.question)
        own = {name: value for name, value in shown.items() if name not in _TOP_LEVEL_KEYS}
        return {"citations": shown["citations"], "lexic": {**own, "ignored": list(self.ignored)}}

    def _head(self, kind: str) -> dict[str, Any]:
        release = self.question.release
        return {
            "id": f"chatcmpl-{self.question.id.hex}",
            "object": kind,
            "created": self.created,
            "model": str(release),
        }


def message_text(answer: Answer) -> str:
    """What the assistant says: the answer, the refusal, or the question that we ask back."""
    return clarifications.clarification_text(answer.clarification) if answer.clarification else answer.text


def make_annotations(text: str, citations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each `[Source N]` of the text as the protocol's link to what it cites. Places are counted in characters."""
    cited = {citation["id"]: citation for citation in citations}
    marks = [(mark, cited.get(f"src_{mark[1]}")) for mark in _CITATION_MARK.finditer(text)]
    return [_make_annotation(mark, citation) for mark, citation in marks if citation]


def _make_annotation(mark: re.Match[str], citation: Mapping[str, Any]) -> dict[str, Any]:
    place = {"start_index": mark.start(), "end_index": mark.end()}
    link = {"url": citation["url"], "title": citation["document"]}
    return {"type": "url_citation", "url_citation": {**place, **link}}


def usage_json(counted: Usage) -> dict[str, int]:
    """Tokens as the provider counted them; zero where no model was asked."""
    return {
        "prompt_tokens": counted.prompt_tokens,
        "completion_tokens": counted.completion_tokens,
        "total_tokens": counted.prompt_tokens + counted.completion_tokens,
    }
