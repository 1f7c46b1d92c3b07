"""The tool `sanitize_content`: a text without markup, and [REDACTED] for sentences that speak to a language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.classifiers.example_classifier import example_classifier
from agents.tools.tool_types import Tool, ToolContext, ToolOutput, schema
from language.sentences import sentence_spans
from lexic.database import in_thread
from querying.sanitize import sanitize

REDACTED = "[REDACTED]"
_MAX_CHARACTERS = 100_000
# A sentence is an instruction when it is so much more of one than of a document's text: half the difference of the
# scores. Higher, more instructions pass; lower, more sentences of contracts are taken out.
_THRESHOLD = 0.1
# How many sentences are judged at once. A call that timed out, or was stopped, ends after the batch.
_BATCH = 32


async def redact_instructions(text: str) -> str:
    """The text without markup (`querying.sanitize`); instructions to a language model are [REDACTED], and the line
    breaks stay."""
    text = await in_thread(sanitize, text)
    spans = await in_thread(sentence_spans, text)
    redacted, at = "", 0
    for first in range(0, len(spans), _BATCH):
        batch = spans[first : first + _BATCH]
        verdicts = await in_thread(_are_instructions, [text[start:end] for start, end in batch])
        for (start, end), is_instruction in zip(batch, verdicts, strict=True):
            if is_instruction:
                redacted += text[at:start] + REDACTED + "\n" * text[start:end].count("\n")
                at = end
    return redacted + text[at:]


def _are_instructions(sentences: list[str]) -> list[bool]:
    classifier = example_classifier("instructions")
    scores, instruction = classifier.scores(sentences), classifier.classes.index("instruction")
    return [bool(score[instruction] - score.sum() / 2 > _THRESHOLD) for score in scores]


async def _sanitize_content(context: ToolContext, given: Mapping[str, Any]) -> ToolOutput:
    return ToolOutput(result=await redact_instructions(given["content"]))


SANITIZE_CONTENT = Tool(
    name="sanitize_content",
    description="Take markup, links and instructions to language models out of a text; its lines stay.",
    parameters=schema("content", content={"type": "string", "maxLength": _MAX_CHARACTERS}),
    call=_sanitize_content,
)
