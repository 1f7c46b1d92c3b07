"""A stored review as the report that people and tools are given. All figures come from its rows."""

from __future__ import annotations

from typing import Any

from contracts.models import ContractReview, Finding, ReviewKind
from contracts.risk import Classification, recommended_action

_SCOPE_NOTE = "A review checks a text against a playbook. It is no legal advice."


def review_report(review: ContractReview) -> dict[str, Any]:
    """The report of this kind of review."""
    return nda_report(review) if review.kind == ReviewKind.NDA else contract_report(review)


def contract_report(review: ContractReview) -> dict[str, Any]:
    """`{title, summary, classification, findings, recommendedAction, …}`."""
    return _report(review, findings_key="findings")


def nda_report(review: ContractReview) -> dict[str, Any]:
    """`{title, summary, classification, checklistResults, recommendedAction, …}`."""
    return _report(review, findings_key="checklistResults")


def finding_row(one: Finding) -> dict[str, Any]:
    """A finding with both quotations."""
    return {
        "number": one.number,
        "position": one.position,
        "verdict": one.verdict,
        "classification": one.classification,
        "reason": one.reason,
        "contract": one.contract_spans,
        "nearest": one.nearest_spans,
        "earlier": one.compared_spans,
        "playbook": one.playbook_spans,
        "severity": one.severity,
        "likelihood": one.likelihood,
        "score": one.score,
        "level": one.level.value,
        "strength": one.strength,
        "suggestion": one.suggestion,
        "model": one.model_opinion,
        "modelRemark": one.model_remark,
        "decision": one.decision or None,
        "note": one.note,
        "decidedAt": one.decided_at,
    }


def _report(review: ContractReview, *, findings_key: str) -> dict[str, Any]:
    findings = list(review.findings.all())
    counts = {one.value: sum(each.classification == one for each in findings) for one in Classification}
    action = recommended_action(Classification(review.classification)) if review.classification else None
    return {
        "title": f"{review.playbook_name}: {review.document.title}",
        "summary": review.summary,
        "classification": review.classification or None,
        findings_key: [finding_row(one) for one in findings],
        "recommendedAction": action,
        "counts": counts,
        "escalations": review.escalations,
        "metadata": review.structure.get("metadata", {}),
        "checkedBy": review.checked_by,
        "language": review.language,
        "usage": {"promptTokens": review.prompt_tokens, "completionTokens": review.completion_tokens},
        "playbook": {
            "name": review.playbook_name,
            "version": review.playbook_version,
            "sha256": review.playbook_sha256,
        },
        "document": {"id": str(review.document_id), "title": review.document.title, "revision": review.revision},
        "note": " ".join(filter(None, [_SCOPE_NOTE, review.language_note])),
    }
