"""Answers `review_text`, with the checks and the review of `POST /api/v1/review`."""

from __future__ import annotations

from typing import Any

from accounts.models import ApiKey
from api.fields import validated
from api.mcp.handlers.ask_experts import count_more_questions
from api.mcp.shielded_work import run_shielded
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from api.query.questions import make_caller
from api.text_review.serializers import ReviewRequestSerializer
from collaboration.text_review.review_json import ReviewEncoder
from collaboration.text_review.review_types import Segment
from collaboration.text_review.segments import split_text
from collaboration.text_review.stream_review import batches_of, make_question, review_text
from lexic.database import in_thread
from querying import releases
from querying.types.events import AnswerFailed, Failed
from querying.types.question import Question


async def run(call: McpToolCall) -> ToolResult:
    """The review. Raises `LexicError`."""
    body = validated(ReviewRequestSerializer(data=call.arguments.model_dump(mode="json")))
    question, segments = await in_thread(_read_review, body, key=call.key)
    last = await run_shielded(review_text(question, segments))
    if isinstance(last, Failed):
        raise AnswerFailed(last)
    found = ReviewEncoder(question, text=body["document"], title=body["title"]).whole(last)
    return make_result(found, text=_review_text(found))


def _read_review(body: dict[str, Any], *, key: ApiKey) -> tuple[Question, list[Segment]]:
    """Raises `UnknownPlugin`, `UnknownRelease`, `KeyRateLimited`."""
    release = releases.resolve(body["plugin"], principal=key)
    segments = split_text(body["document"])
    count_more_questions(key, max(0, len(batches_of(segments)) - 1))
    return make_question(body["title"], release=release, caller=make_caller(key)), segments


def _review_text(found: dict[str, Any]) -> str:
    lines = [f"{found['documentTitle']}: {found['summary']['overallCompliance']}"]
    for one in found["annotations"]:
        fix = f" Instead: {one['suggestedFix']}" if one["suggestedFix"] and one["severity"] != "pass" else ""
        lines.append(f"- line {one['startLine']}, {one['severity']}: {one['issue']}{fix}")
    return "\n".join(lines)
