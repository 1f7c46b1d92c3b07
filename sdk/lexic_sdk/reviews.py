"""What a plugin's documents say of a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lexic_sdk import normalise
from lexic_sdk.normalise import CONFIDENCES, as_mapping, integer_field, read_each, string_field, string_list
from lexic_sdk.results import Citation, Confidence, Raw


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """What is said of some words of the text. `severity` is error, warning, info or pass; lines count from 1."""

    id: str
    segment: int
    start_line: int
    end_line: int
    text: str
    severity: str
    category: str
    issue: str
    suggested_fix: str | None
    citations: list[Citation]
    confidence: Confidence
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class DocumentReview:
    """`compliance` is compliant, partially-compliant or non-compliant; `counts` are of annotations, by severity."""

    title: str
    annotations: list[Annotation]
    compliance: str
    counts: dict[str, int]
    top_issues: list[str]
    confidence: Confidence
    segments: int
    plugin_version: str
    query_id: str | None = None
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


def review(value: Any) -> DocumentReview:
    fields = as_mapping(value)
    summary = as_mapping(fields.get("summary"))
    severities = ("error", "warning", "info", "pass")
    return DocumentReview(
        title=string_field(fields, "documentTitle"),
        annotations=read_each(fields.get("annotations"), annotation),
        compliance=string_field(summary, "overallCompliance") or "non-compliant",
        counts={one: integer_field(summary, f"{one}Count", minimum=0) or 0 for one in severities},
        top_issues=string_list(summary.get("topIssues")),
        confidence=CONFIDENCES.get(string_field(fields, "confidence"), "low"),
        segments=integer_field(fields, "totalSegments", minimum=0) or 0,
        plugin_version=string_field(fields, "pluginVersion") or normalise.UNKNOWN_VERSION,
        query_id=string_field(fields, "queryId") or None,
        raw=fields,
    )


def annotation(fields: Raw, *, position: int = 1) -> Annotation:
    return Annotation(
        id=string_field(fields, "id"),
        segment=integer_field(fields, "segmentIndex", minimum=0) or 0,
        start_line=integer_field(fields, "startLine") or 1,
        end_line=integer_field(fields, "endLine") or 1,
        text=string_field(fields, "originalText"),
        severity=string_field(fields, "severity") or "info",
        category=string_field(fields, "category"),
        issue=string_field(fields, "issue"),
        suggested_fix=string_field(fields, "suggestedFix") or None,
        citations=read_each(fields.get("citations"), normalise.citation),
        confidence=CONFIDENCES.get(string_field(fields, "confidence"), "low"),
        raw=fields,
    )
