"""A review as a stream of events: batch by batch, each of which is one question to the plugin in the log."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from collaboration.text_review.judge_playbook import judge_by_playbook
from collaboration.text_review.judge_segment import judge_segment, statement_spans
from collaboration.text_review.review_types import (
    SEGMENTS_IN_BATCH,
    Annotated,
    Annotation,
    BatchCompleted,
    Compliance,
    ReviewDone,
    ReviewEvent,
    ReviewStatus,
    Segment,
    Severity,
)
from lexic.database import in_thread
from lexic.middleware.request_id import new_question_id
from plugins.models import Release
from querying import pipeline
from querying.answering.llms import get_llm
from querying.llm_interface import LLM
from querying.types.confidence import Confidence
from querying.types.events import Failed
from querying.types.question import Caller, Question

_MAX_SEARCHED_CHARACTERS = 1500


def make_question(title: str, *, release: Release, caller: Caller) -> Question:
    """What the log of questions has of a review: what the text is called, and not its words."""
    return Question(text=f"Review of “{title}”", release=release, caller=caller, id=new_question_id())


def batches_of(segments: Sequence[Segment]) -> list[Sequence[Segment]]:
    """As many questions as the review is. Headings are not looked up."""
    judged = [segment for segment in segments if statement_spans(segment)]
    return [judged[at : at + SEGMENTS_IN_BATCH] for at in range(0, len(judged), SEGMENTS_IN_BATCH)]


async def stream_review(
    question: Question, segments: Sequence[Segment], *, llm: LLM | None = None
) -> AsyncGenerator[ReviewEvent]:
    """The events of a review of these segments; the question names what is reviewed. Errors come as `Failed`."""
    try:
        async with aclosing(_events(question, segments, llm=llm or get_llm())) as events:
            async for event in events:
                yield event
    except Exception as error:
        yield Failed.from_error(pipeline.as_lexic_error(error, question))


async def review_text(
    question: Question, segments: Sequence[Segment], *, llm: LLM | None = None
) -> ReviewDone | Failed:
    """The last event of the review."""
    last: ReviewEvent | None = None
    async with aclosing(stream_review(question, segments, llm=llm)) as events:
        async for event in events:
            last = event
    assert isinstance(last, ReviewDone | Failed)
    return last


async def _events(question: Question, segments: Sequence[Segment], *, llm: LLM) -> AsyncGenerator[ReviewEvent]:
    started, batches = time.monotonic(), batches_of(segments)
    annotations: list[Annotation] = []
    parts = "1 segment" if len(segments) == 1 else f"{len(segments)} segments"
    yield ReviewStatus(status="segmented", message=f"The text has {parts}")
    for index, batch in enumerate(batches):
        found = await _judge_batch(_part(question, index, len(batches)), batch, llm=llm)
        for annotation in found:
            yield Annotated(number=len(annotations), annotation=annotation)
            annotations.append(annotation)
        yield BatchCompleted(index=index, total=len(batches))
    if batches:
        for annotation in await in_thread(judge_by_playbook, question, segments):
            yield Annotated(number=len(annotations), annotation=annotation)
            annotations.append(annotation)
    yield ReviewDone(
        segments=tuple(segments),
        annotations=tuple(annotations),
        compliance=_compliance(annotations),
        confidence=_confidence(annotations),
        latency_ms=round(1000 * (time.monotonic() - started)),
    )


async def _judge_batch(question: Question, batch: Sequence[Segment], *, llm: LLM) -> list[Annotation]:
    """Raises what `pipeline.search_each` raises."""
    texts = [f"{segment.heading} {segment.text}".strip()[:_MAX_SEARCHED_CHARACTERS] for segment in batch]
    found = await pipeline.search_each(question, texts, llm=llm)
    judged: list[Annotation] = []
    for segment, passages in zip(batch, found, strict=True):
        judged += await in_thread(judge_segment, segment, passages)
    return judged


def _part(question: Question, index: int, total: int) -> Question:
    """The question as a row of the log has it."""
    if total == 1:
        return question
    text = f"{question.text}, part {index + 1} of {total}"
    return replace(question, text=text, id=question.id if index == 0 else uuid.uuid4())


def _compliance(annotations: Sequence[Annotation]) -> Compliance:
    """A text is compliant only if the documents support it somewhere and contradict it nowhere."""
    found = {annotation.severity for annotation in annotations}
    if Severity.ERROR in found:
        return Compliance.NOT
    if Severity.WARNING in found or Severity.PASS not in found:
        return Compliance.PARTIALLY
    return Compliance.COMPLIANT


def _confidence(annotations: Sequence[Annotation]) -> Confidence:
    """How much of the text the documents speak of, and for certain: high where it is two thirds, low where it is less
    than a third."""
    if not annotations:
        return Confidence.LOW
    certain = sum(annotation.confidence == Confidence.HIGH for annotation in annotations)
    share = certain / len(annotations)
    return Confidence.HIGH if 3 * share >= 2 else Confidence.MEDIUM if 3 * share >= 1 else Confidence.LOW
