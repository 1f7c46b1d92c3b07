"""Makes a review: the structure of its document first, then a finding for each position, then the summary.

What is done is in rows, so that a review that was interrupted goes on behind its last finding.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction

from contracts.clauses.clause_changes import ClauseChange, find_changes
from contracts.clauses.obligations import find_obligations
from contracts.models import RULES, ContractReview, Finding, Verdict
from contracts.playbook.playbook_types import Position
from contracts.review.llm_opinion import ModelOpinion
from contracts.review.position_judge import PositionJudge
from contracts.review.review_summary import escalations, summarise
from contracts.review.reviewed_contract import DocumentVersion, ReviewedContract, read_reviewed
from contracts.review.rule_judge import Judgement
from contracts.review.version_comparison import (
    MAX_CHANGES,
    OTHER_LIKELIHOOD,
    OTHER_SEVERITY,
    ChangedPosition,
    change_verdict,
    changed_positions,
    judge_change,
)
from contracts.risk import Classification, worst
from knowledge.lease import confirm_held
from querying.answering.llms import get_llm
from querying.llm_interface import LLM

# As many as a tool is given; the pages have all.
MAX_CLAUSES = 1000
Judge = Callable[[Position, DocumentVersion], Judgement]


@dataclass(frozen=True, kw_only=True)
class _PlannedFinding:
    number: int
    make: Callable[[], Finding]


def run_review(review: ContractReview, *, until: float | None = None, llm: LLM | None = None) -> bool:
    """Does what is left to do of the review, as far as the time (of `time.monotonic`) allows, one finding at least.
    Returns whether it is done. A language model judges beside the rules: this one, or that of the settings.

    Raises `DocumentNotReady`, `UnfitPlaybook`, `EmbedderError`, `LeaseLost` where another worker has taken over, and
    `ReviewDeleted`; of a contract that is not in English also `UnreadLanguage`, `ProviderFailed` and
    `SpendingCapReached`.
    """
    read = read_reviewed(review)
    planned = _plan_findings(read, llm or get_llm())
    _store_structure(read, total=len(planned))
    known = set(review.findings.values_list("number", flat=True))
    for one in planned:
        if one.number in known:
            continue
        finding = one.make()
        with _review_lock(review):
            finding.save(force_insert=True)
            known.add(one.number)
            review.advance(done=len(known))
        if until is not None and time.monotonic() > until and len(known) < len(planned):
            return False
    result = _summary_columns(read)
    with _review_lock(review):
        review.finish(**result)
    return True


@contextmanager
def _review_lock(review: ContractReview) -> Iterator[None]:
    """A transaction in which the review is locked against deletion and against other workers. Raises `LeaseLost`,
    `ReviewDeleted`."""
    with transaction.atomic():
        confirm_held()
        review.lock_existing()
        yield


def _store_structure(read: ReviewedContract, *, total: int) -> None:
    """Keeps what the contract says about itself, once."""
    review, parsed = read.review, read.contract.parsed
    if review.obligations is None:
        review.structure = parsed.as_dict(max_clauses=MAX_CLAUSES)
        review.obligations = [one.as_row() for one in find_obligations(parsed.clauses)]
    with _review_lock(review):
        review.begin(total=total)


def _plan_findings(read: ReviewedContract, llm: LLM) -> list[_PlannedFinding]:
    """The findings to make; always the same for the same review, so that it can be resumed."""
    judge = PositionJudge(read, llm).judge
    if read.earlier is None:
        positions = read.playbook.positions
        return [_PlannedFinding(number=one.number, make=partial(_finding, read, one, judge)) for one in positions]
    changed = changed_positions(read.playbook, _changes(read, read.earlier)[:MAX_CHANGES])
    return [
        _PlannedFinding(number=one.number, make=partial(_changed_finding, read, read.earlier, one, judge))
        for one in changed
    ]


def _changes(read: ReviewedContract, earlier: DocumentVersion) -> list[ClauseChange]:
    return find_changes(earlier.parsed.clauses, read.contract.parsed.clauses)


def _finding(read: ReviewedContract, position: Position, judge: Judge) -> Finding:
    """The finding with the quotations that stand on their pages."""
    judged = judge(position, read.contract)
    return Finding(
        review=read.review,
        number=position.number,
        position=position.name,
        verdict=judged.verdict,
        reason=judged.reason,
        contract_spans=read.contract.quotations(judged.spans),
        nearest_spans=read.contract.quotations(judged.nearest),
        playbook_spans=[read.quote_playbook(judged.statement)],
        strength=judged.strength if read.review.is_english else None,
        model_opinion=_kept_opinion(read, judged.opinion),
        severity=position.severity,
        likelihood=position.likelihood,
        classification=judged.classification,
        suggestion="" if judged.classification == Classification.GREEN else position.suggestion,
    )


def _kept_opinion(read: ReviewedContract, opinion: ModelOpinion | None) -> dict[str, Any] | None:
    """The model's opinion with the places of what it quotes."""
    if opinion is None:
        return None
    if opinion.reading is None:
        return opinion.as_dict(contract=(), playbook=None)
    reading = opinion.reading
    playbook = read.quote_playbook(reading.statement)
    return opinion.as_dict(contract=read.contract.quotations(reading.spans), playbook=playbook)


def _changed_finding(
    read: ReviewedContract, earlier: DocumentVersion, changed: ChangedPosition, judge: Judge
) -> Finding:
    """A position that a change touches, judged in both versions; or a change that the playbook does not speak of."""
    position = changed.position
    quoted = read.contract.quotations(changed.later_spans)
    finding = Finding(
        review=read.review,
        number=changed.number,
        position=changed.name,
        verdict=Verdict.CHANGED,
        reason="The playbook has no position on this.",
        contract_spans=quoted,
        compared_spans=earlier.quotations(changed.earlier_spans),
        severity=position.severity if position else OTHER_SEVERITY,
        likelihood=position.likelihood if position else OTHER_LIKELIHOOD,
        classification=Classification.YELLOW,
    )
    if position is not None:
        after = judge(position, read.contract)
        classification, finding.reason = judge_change(judge(position, earlier), after)
        is_unquoted = classification == Classification.GREEN and not quoted
        finding.classification = Classification.YELLOW if is_unquoted else classification
        finding.verdict, finding.strength = change_verdict(after), after.strength
        finding.model_opinion = _kept_opinion(read, after.opinion)
        finding.playbook_spans = [read.quote_playbook(after.statement)]
        finding.suggestion = "" if finding.classification == Classification.GREEN else position.suggestion
    return finding


def _summary_columns(read: ReviewedContract) -> dict[str, Any]:
    """What all findings come to, by the review's columns."""
    findings = list(read.review.findings.all())
    left_out = max(0, len(_changes(read, read.earlier)) - MAX_CHANGES) if read.earlier else 0
    unread = [Classification.YELLOW] if left_out else []
    classification = worst([*(Classification(one.classification) for one in findings), *unread])
    return {
        "classification": classification,
        "summary": summarise(findings, classification, is_comparison=read.earlier is not None, left_out=left_out),
        "escalations": escalations(read, findings),
        "positions_done": len(findings),
        "checked_by": _checked_by(findings),
    }


def _checked_by(findings: Sequence[Finding]) -> str:
    """The model that judged at least one of them; otherwise the rules."""
    judged = (one.model_opinion for one in findings if one.model_opinion and one.model_opinion["classification"])
    return str(next((opinion["model"] for opinion in judged), RULES))[:80]
