"""`review_text`: checks a text against what a plugin's documents say."""

from __future__ import annotations

from pydantic import Field

from api.mcp.tools.schemas import model_for
from api.mcp.tools.tool import McpTool, ToolArguments
from api.text_review.serializers import TextReviewSerializer
from collaboration.text_review.review_types import MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS
from plugins.slugs import MAX_REFERENCE_LENGTH


class ReviewArguments(ToolArguments):
    plugin: str = Field(
        max_length=MAX_REFERENCE_LENGTH, description="The expert: a slug from list_experts, or slug@1.2.0."
    )
    document: str = Field(min_length=1, max_length=MAX_TEXT_CHARACTERS, description="The text, plain or Markdown.")
    title: str = Field(default="Untitled", max_length=MAX_TITLE_CHARACTERS, description="What the text is called.")


TOOL = McpTool(
    name="review_text",
    title="Have a text reviewed",
    description=(
        "Hold a text, such as a draft, a specification or a contract, against what an expert's documents say. Each "
        "annotation quotes the words, with their lines: `error` goes against the documents, `warning` may, `pass` is "
        "borne out, and `info` is what they say nothing of. Every ten paragraphs count as one question."
    ),
    arguments=ReviewArguments,
    result=model_for(TextReviewSerializer),
    work="api.mcp.handlers.review_text",
)
