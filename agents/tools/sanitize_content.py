"""The tool `sanitize_content`: a text without markup, and [REDACTED] for sentences that speak to a language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.examples.classifier import example_classifier
from agents.tools.tool_types import Tool, ToolContext, ToolOutput, schema
from language.sentences import sentence_spans
from lexic.database import in_thread
from querying.sanitize import sanitize

REDACTED = "[REDACTED]"
_MAX_CHARACTERS = 100_000
# A sentence is an instruction when it is so much more of one than of a document's text: half the difference of the
# scores. Higher, more instructions pass; lower, more sentences of contracts are taken out.
_THRESHOLD = 0.1


def redact_instructions(text: str) -> str:
    """The text without markup (`querying.sanitize`); instructions to a language model are [REDACTED], and the line
    breaks stay."""
    text = sanitize(text)
    spans = sentence_spans(text)
    classifier = example_classifier("instructions")
    scores: Any = classifier.scores([text[start:end] for start, end in spans]) if spans else []
    instruction = classifier.classes.index("instruction")
    redacted, at = "", 0
    for (start, end), score in zip(spans, scores, strict=True):
        if score[instruction] - score.sum() / 2 > _THRESHOLD:
            redacted += text[at:start] + REDACTED + "\n" * text[start:end].count("\n")
            at = end
    return redacted + text[at:]


async def _sanitize_content(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    return ToolOutput(result=await in_thread(redact_instructions, given["content"]))


SANITIZE_CONTENT = Tool(
    name="sanitize_content",
    description="Take markup, links and instructions to language models out of a text; its lines stay.",
    parameters=schema("content", content={"type": "string", "maxLength": _MAX_CHARACTERS}),
    call=_sanitize_content,
)
