"""The results of runs, read from their journals: reports of reviews, and drafts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.urls import reverse

from accounts.models import User
from agents.models import AgentEvent, AgentType, EventKind
from contracts.models import ContractReview
from contracts.risk import Classification
from knowledge.models import BaseKind, Document, KnowledgeBase
from workspace.review_page import CLASS_STYLES
from workspace.text_pieces import TextPiece, text_pieces

# What the result of each of these tools is.
_KINDS = {
    "render_contract_report": AgentType.CONTRACT,
    "render_nda_report": AgentType.NDA,
    "generate_legal_document": AgentType.DOCUMENT,
}


@dataclass(frozen=True, kw_only=True)
class ReportRow:
    """A position of a report, with the style and icon of its class."""

    number: int
    position: str
    classification: str
    reason: str
    style: str
    icon: str


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """`kind` is `contract` or `nda` of a report, with its `rows`, or `document` of a draft, with its `text`.
    `opens` is the address of the review, or of a document that has the draft's text word for word."""

    kind: str
    title: str
    text: str = ""
    rows: tuple[ReportRow, ...] = ()
    review: str = ""
    opens: str = ""

    @property
    def pieces(self) -> Iterable[TextPiece]:
        """The draft with its headings, to be shown: it is Markdown."""
        return text_pieces(self.text, is_markdown=True)

    @property
    def sha256(self) -> str:
        """Of the bytes that the draft is saved as."""
        return hashlib.sha256(self.text.strip().encode()).hexdigest()


def results_of(runs: Sequence[UUID], *, viewer: User) -> dict[UUID, RunResult]:
    """The last result of each of these runs that has one, with the addresses of what the viewer can open. Three
    statements at most."""
    found = dict(_read_results(runs))
    reports = [one.review for one in found.values() if one.review]
    reviews = ContractReview.objects.visible_to(viewer).filter(pk__in=reports).only("pk") if reports else ()
    addresses = {str(one.pk): reverse("review", args=[one.pk]) for one in reviews}
    addresses.update(_saved_drafts(found.values(), viewer=viewer))
    return {pk: replace(one, opens=addresses.get(one.review or one.sha256, "")) for pk, one in found.items()}


def draft_of(run: UUID) -> RunResult | None:
    """The document that the run has drafted."""
    result = dict(_read_results([run])).get(run)
    return result if result and result.kind == AgentType.DOCUMENT else None


def _read_results(runs: Sequence[UUID]) -> Iterator[tuple[UUID, RunResult]]:
    events = AgentEvent.objects.filter(run__in=runs, kind=EventKind.STEP_END, data__tool__in=list(_KINDS))
    for event in events.order_by("run", "number") if runs else ():
        result = event.data["result"]
        if result and (kind := _KINDS[event.data["tool"]]) == AgentType.DOCUMENT:
            drafted = result["document"]
            yield event.run_id, RunResult(kind=kind, title=drafted["title"], text=drafted["text"])
        elif result:
            yield event.run_id, _report(kind, result)


def _report(kind: str, result: Mapping[str, Any]) -> RunResult:
    report = result["report"]
    return RunResult(
        kind=kind,
        title=report["title"],
        rows=tuple(map(_report_row, report.get("findings") or report.get("checklistResults") or ())),
        review=result["reviewId"],
    )


def _report_row(finding: Mapping[str, Any]) -> ReportRow:
    style, icon = CLASS_STYLES[Classification(finding["classification"])]
    return ReportRow(
        number=finding["number"],
        position=finding["position"],
        classification=finding["classification"],
        reason=finding["reason"],
        style=style,
        icon=icon,
    )


def _saved_drafts(results: Iterable[RunResult], *, viewer: User) -> dict[str, str]:
    """The address of a private document with the very text of a draft, by the hash of the text."""
    hashes = [one.sha256 for one in results if one.kind == AgentType.DOCUMENT]
    if not hashes:
        return {}
    bases = KnowledgeBase.objects.visible_to(viewer).exclude(kind=BaseKind.PLUGIN)
    saved = Document.objects.present().filter(knowledge_base__in=bases.values("pk"), sha256__in=hashes)
    rows = saved.values_list("sha256", "knowledge_base__project")
    return {sha: f"{reverse('project', args=[pk]) if pk else reverse('knowledge')}#documents-title" for sha, pk in rows}
