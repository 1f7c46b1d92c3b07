"""The JSON of a text review, in which REST, MCP and streams answer."""

from __future__ import annotations

from typing import Any

from collaboration.text_review.review_types import (
    Annotated,
    Annotation,
    BatchCompleted,
    ReviewDone,
    ReviewEvent,
    ReviewStatus,
    Severity,
)
from collaboration.text_review.segments import line_of
from querying import json_format
from querying.types.events import Failed
from querying.types.question import Question

_MAX_TOP_ISSUES = 5


class ReviewEncoder:
    """Encodes the events of one review of this text."""

    def __init__(self, question: Question, *, text: str, title: str) -> None:
        self._question, self._text, self._title = question, text, title

    def event(self, event: ReviewEvent) -> dict[str, Any]:
        """One event of the stream. `type` says which."""
        match event:
            case ReviewStatus():
                return {"type": "status", "status": event.status, "message": event.message}
            case Annotated():
                return {"type": "annotation", "annotation": self._annotation(event.annotation, event.number)}
            case BatchCompleted():
                return {"type": "batch_complete", "batchIndex": event.index, "totalBatches": event.total}
            case ReviewDone():
                return {"type": "done", **self.whole(event)}
            case Failed():
                return json_format.failed_as_json(event)

    def whole(self, done: ReviewDone) -> dict[str, Any]:
        release = self._question.release
        return {
            "documentTitle": self._title,
            "totalSegments": len(done.segments),
            "annotations": [self._annotation(one, number) for number, one in enumerate(done.annotations)],
            "summary": _summary(done),
            "confidence": done.confidence.value,
            "pluginVersion": release.version or release.plugin.version,
            "release": str(release),
            "queryId": str(self._question.id),
            "latencyMs": done.latency_ms,
        }

    def _annotation(self, annotation: Annotation, number: int) -> dict[str, Any]:
        slug = self._question.release.plugin.slug
        cited = [json_format.citation_as_json(citation) for citation in annotation.citations]
        return {
            "id": f"ann_{number}",
            "segmentIndex": annotation.segment.index,
            "startLine": line_of(self._text, annotation.start),
            "endLine": line_of(self._text, max(annotation.start, annotation.end - 1)),
            "start": annotation.start,
            "end": annotation.end,
            "originalText": self._text[annotation.start : annotation.end],
            "severity": annotation.severity.value,
            "category": annotation.category.value,
            "issue": annotation.issue,
            "suggestedFix": annotation.suggested_fix or None,
            "citations": [{**citation, "plugin": slug} for citation in cited],
            "confidence": annotation.confidence.value,
        }


def _summary(done: ReviewDone) -> dict[str, Any]:
    def count(severity: Severity) -> int:
        return sum(one.severity == severity for one in done.annotations)

    weighty = [one for level in (Severity.ERROR, Severity.WARNING) for one in done.annotations if one.severity == level]
    return {
        "errorCount": count(Severity.ERROR),
        "warningCount": count(Severity.WARNING),
        "infoCount": count(Severity.INFO),
        "passCount": count(Severity.PASS),
        "overallCompliance": done.compliance.value,
        "topIssues": [one.issue for one in weighty[:_MAX_TOP_ISSUES]],
    }
