"""An answer as a response of OpenAI's Responses API."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

from api.chat_completions.completions import cited_links, extensions, message_text
from api.chat_completions.structured_output import tool_of
from api.responses.requests import ResponseRequest
from api.responses.stored_responses import MESSAGE_PREFIX, RESPONSE_PREFIX
from lexic.errors import LexicError
from querying.types.answer import Answer
from querying.types.question import Question
from querying.types.token_usage import Usage


@dataclass(frozen=True, kw_only=True)
class ResponseFormat:
    """The response to one question. Its `model` is the release that answers."""

    question: Question
    request: ResponseRequest
    created: int = field(default_factory=lambda: int(time.time()))

    @property
    def response_id(self) -> str:
        return f"{RESPONSE_PREFIX}{self.question.id.hex}"

    @property
    def message_id(self) -> str:
        return f"{MESSAGE_PREFIX}{self.question.id.hex}"

    def completed(self, answer: Answer) -> dict[str, Any]:
        """The response in one piece. It is kept, so it names the nearest places without their sentences."""
        answer = replace(answer, readable_nearest=frozenset())
        more = extensions(answer, question=self.question, ignored=self.request.ignored)
        text = message_text(answer)
        if self.tool:
            output = [self.call(text, status="completed")]
        else:
            output = [self.message([self.text_part(text, annotations=self.annotations(answer))], status="completed")]
        return self._response_object("completed", output=output, usage=_usage_json(answer.usage)) | more

    @property
    def tool(self) -> str:
        """The function that is called with the values; empty where the answer is a message."""
        return tool_of(self.request.structure)

    def call(self, arguments: str, *, status: str) -> dict[str, Any]:
        """The call of the tool, with these arguments as JSON."""
        return {
            "type": "function_call",
            "id": f"fc_{self.question.id.hex}",
            "call_id": f"call_{self.question.id.hex}",
            "name": self.tool,
            "arguments": arguments,
            "status": status,
        }

    def in_progress(self) -> dict[str, Any]:
        """The response before anything is said."""
        return self._response_object("in_progress")

    def failed(self, error: LexicError) -> dict[str, Any]:
        """The response to a question that could not be answered."""
        return self._response_object("failed", error={"code": error.code, "message": error.message_with_hint})

    def annotations(self, answer: Answer) -> list[dict[str, Any]]:
        """Each `[Source N]` of the text as the protocol's link to what it cites."""
        citations = extensions(answer, question=self.question, ignored=())["citations"]
        return [{"type": "url_citation", **link} for link in cited_links(message_text(answer), citations)]

    def message(self, content: list[dict[str, Any]], *, status: str) -> dict[str, Any]:
        return {"type": "message", "id": self.message_id, "status": status, "role": "assistant", "content": content}

    @staticmethod
    def text_part(text: str, *, annotations: list[dict[str, Any]]) -> dict[str, Any]:
        return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}

    def _response_object(
        self,
        status: str,
        *,
        output: list[dict[str, Any]] | None = None,
        usage: dict[str, Any] | None = None,
        error: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """All that clients look for. What steers a model has no effect, so it is not repeated."""
        return {
            "id": self.response_id,
            "object": "response",
            "created_at": self.created,
            "status": status,
            "model": str(self.question.release),
            "error": error,
            "incomplete_details": None,
            "instructions": None,
            "output": output or [],
            "usage": usage,
            "previous_response_id": self.request.previous_response_id,
            "store": self.request.store,
            "metadata": self.request.metadata,
            "text": self.request.text,
            "tools": [],
            "tool_choice": "auto",
            "parallel_tool_calls": False,
            "background": False,
            "truncation": "disabled",
            "temperature": None,
            "top_p": None,
            "max_output_tokens": None,
            "reasoning": None,
        }


def _usage_json(usage: Usage) -> dict[str, Any]:
    """Tokens as the provider counted them; zero where no model was asked."""
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.total,
    }
