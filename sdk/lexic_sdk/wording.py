"""An answer as agents read it: as text, or as JSON with only what a model can use."""

from __future__ import annotations

import json
from typing import Any

from lexic_sdk.results import Answer, Citation, DecisionStep

MAX_EXCERPT_LENGTH = 300
_CITATION_FIELDS = ("id", "document", "page", "section", "excerpt", "url")
_STEP_FIELDS = ("step", "node", "label", "value", "result")


def as_text(answer: Answer) -> str:
    """For people and for agents that read text: the answer, its sources, how it was decided, how sure it is."""
    if asked := answer.clarification:
        options = f" Options: {', '.join(asked.options)}." if asked.options else ""
        field = f" Answer with the fact {asked.field!r}." if asked.field else ""
        return f"Before this can be answered: {asked.question}{options}{field}"
    parts = [answer.answer or "There is no answer."]
    if answer.citations:
        parts.append("\n".join(["Sources:", *(_citation_text(citation) for citation in answer.citations)]))
    if answer.decision_path:
        parts.append(f"Decision path: {' → '.join(_step_text(step) for step in answer.decision_path)}")
    parts.append(f"Confidence: {answer.confidence}")
    return "\n\n".join(parts)


def as_json(answer: Answer) -> str:
    """For models: `answer`, `citations`, `confidence`, `decisionPath`, `outcome`, and any `clarification`."""
    shown: dict[str, Any] = {
        "answer": answer.answer,
        "citations": [_known_fields(citation, _CITATION_FIELDS) for citation in answer.citations],
        "confidence": answer.confidence,
        "decisionPath": [_known_fields(step, _STEP_FIELDS) for step in answer.decision_path],
        "outcome": answer.outcome,
    }
    if answer.clarification:
        asked = answer.clarification
        shown["clarification"] = {"question": asked.question, "options": asked.options, "field": asked.field}
    return json.dumps(shown, ensure_ascii=False)


def _citation_text(citation: Citation) -> str:
    """As `[1] IS 456:2000, p. 47, Table 16: “…”`, by the number that the text's marks have."""
    number = citation.id.removeprefix("src_")
    page = citation.page_label or (f"p. {citation.page}" if citation.page is not None else "")
    place = ", ".join(part for part in (citation.document, page, citation.section) if part)
    excerpt = " ".join(citation.excerpt.split())
    if len(excerpt) > MAX_EXCERPT_LENGTH:
        excerpt = f"{excerpt[:MAX_EXCERPT_LENGTH].rstrip()}…"
    return f"[{number}] {place}" + (f": “{excerpt}”" if excerpt else "")


def _step_text(step: DecisionStep) -> str:
    name, outcome = step.label or step.node, step.value or step.result
    return f"{name}: {outcome}" if outcome else name


def _known_fields(value: Citation | DecisionStep, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: field for name in names if (field := getattr(value, name)) is not None}
