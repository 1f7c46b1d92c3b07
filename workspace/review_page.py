"""A review as it is shown: the document with the quoted words marked, the findings, the risk grid and the filters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.clauses.parsed_contract import ContractPage
from contracts.models import ContractReview, Decision, Finding
from contracts.risk import MAX_SCALE, MIN_SCALE, Classification, RiskLevel, risk_level, risk_score
from workspace.text_pieces import QuotedSpan, TextPiece, text_pieces

# A longer document is shown by those pages that a finding quotes.
MAX_SHOWN_CHARACTERS = 600_000
UNDECIDED = "open"
# How each class and level is drawn: the style of its label, its icon.
CLASS_STYLES = {
    Classification.GREEN: ("ok", "check"),
    Classification.YELLOW: ("warn", "flag"),
    Classification.RED: ("no", "alert"),
}


@dataclass(frozen=True, kw_only=True)
class MarkedPage:
    """A page of the document in pieces."""

    number: int
    pieces: tuple[TextPiece, ...]


@dataclass(frozen=True, kw_only=True)
class ShownFinding:
    """A finding with the style and icon of its class."""

    finding: Finding
    style: str
    icon: str

    @property
    def is_quoted(self) -> bool:
        return bool(self.finding.contract_spans)


@dataclass(frozen=True, kw_only=True)
class RiskCell:
    """A cell of the risk grid with the findings in it."""

    score: int
    level: RiskLevel
    findings: tuple[Finding, ...]


@dataclass(frozen=True, kw_only=True)
class FindingFilter:
    """Which findings are shown: those of a class, those that were decided like this; "" shows all."""

    classification: str = ""
    decision: str = ""

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> FindingFilter:
        """What is no class and no decision filters nothing."""
        classification, decision = parameters.get("class", ""), parameters.get("decision", "")
        return cls(
            classification=classification if classification in list(Classification) else "",
            decision=decision if decision in (UNDECIDED, *Decision.values) else "",
        )

    def allows(self, finding: Finding) -> bool:
        if self.classification and finding.classification != self.classification:
            return False
        return not self.decision or (finding.decision or UNDECIDED) == self.decision


def shown_finding(finding: Finding) -> ShownFinding:
    style, icon = CLASS_STYLES[Classification(finding.classification)]
    return ShownFinding(finding=finding, style=style, icon=icon)


def risk_grid(findings: Iterable[Finding]) -> list[tuple[int, list[RiskCell]]]:
    """Five rows, of the greatest severity first, each with its five cells by likelihood."""
    placed: defaultdict[tuple[int, int], list[Finding]] = defaultdict(list)
    for finding in findings:
        placed[finding.severity, finding.likelihood].append(finding)
    scale = range(MIN_SCALE, MAX_SCALE + 1)
    return [(severity, [_risk_cell(severity, likelihood, placed) for likelihood in scale]) for severity in scale[::-1]]


def _risk_cell(severity: int, likelihood: int, placed: Mapping[tuple[int, int], list[Finding]]) -> RiskCell:
    score = risk_score(severity, likelihood)
    return RiskCell(score=score, level=risk_level(score), findings=tuple(placed.get((severity, likelihood), ())))


def class_counts(findings: Sequence[Finding]) -> list[tuple[str, int]]:
    """How many findings each class has, the worst first."""
    classes = sorted(Classification, key=lambda one: -one.rank)
    return [(one.value, sum(finding.classification == one for finding in findings)) for one in classes]


def marked_pages(
    pages: Sequence[ContractPage], findings: Sequence[Finding], *, is_markdown: bool = False
) -> list[MarkedPage]:
    """The pages with what the findings quote, and wrapped lines joined; of a very long document those pages alone that
    are quoted."""
    quoted: defaultdict[int, list[QuotedSpan]] = defaultdict(list)
    for finding in findings:
        for span in finding.contract_spans:
            quoted[span["pageId"]].append(QuotedSpan(start=span["start"], end=span["end"], number=finding.number))
    is_long = sum(len(page.text) for page in pages) > MAX_SHOWN_CHARACTERS
    met: set[int] = set()
    return [
        MarkedPage(
            number=page.number,
            pieces=tuple(text_pieces(page.text, quoted=quoted[page.id], met=met, is_markdown=is_markdown)),
        )
        for page in pages
        if quoted[page.id] or not is_long
    ]


def findings_context(review: ContractReview, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The findings that the filter allows, and figures of all of them. One statement."""
    everything = list(review.findings.select_related("decided_by"))
    chosen = FindingFilter.read(parameters)
    return {
        "all_findings": everything,
        "findings": [shown_finding(one) for one in everything if chosen.allows(one)],
        "chosen": chosen,
        "class_counts": class_counts(everything),
        "undecided": sum(not one.decision for one in everything),
        "grid": risk_grid(everything),
        "scale": range(MIN_SCALE, MAX_SCALE + 1),
        "decisions": [(UNDECIDED, "open"), *Decision.choices],
    }
