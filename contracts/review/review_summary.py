"""Summarises a review: its class, one sentence with figures, and to whom the contract goes."""

from __future__ import annotations

from collections.abc import Sequence

from contracts.models import Finding, Verdict
from contracts.playbook.escalation import EscalationFacts, holds
from contracts.playbook.limits import stated_amounts
from contracts.review.reviewed_contract import ReviewedContract
from contracts.risk import Classification, recommended_action
from trees.quantities import find_unit, format_number

_POSITIONS = "{green} of {total} positions are as the playbook wants them, {yellow} need a look, {red} go against it."
_CHANGES = "{total} positions changed: {green} for the better, {yellow} need a look, {red} go against the playbook."
_CLAUSE_BREAK = "\n¶\n"  # no keyword goes over it
_NO_CHANGES = "The two versions say the same."
_LEFT_OUT = "{count} further changes were not reviewed: compare these by hand."
_ONE_LEFT_OUT = "One further change was not reviewed: compare it by hand."


def summarise(
    findings: Sequence[Finding], classification: Classification, *, is_comparison: bool, left_out: int = 0
) -> str:
    """The figures, and what to do. `left_out` is how many changes nobody has judged."""
    if is_comparison and not findings and not left_out:
        return _NO_CHANGES
    counts = {name.lower(): count for name, count in _counts(findings).items()} | {"total": len(findings)}
    told = [_CHANGES.format(**counts) if is_comparison else _POSITIONS.format(**counts)]
    if left_out:
        told.append(_ONE_LEFT_OUT if left_out == 1 else _LEFT_OUT.format(count=left_out))
    return " ".join([*told, f"{recommended_action(classification)}."])


def escalations(read: ReviewedContract, findings: Sequence[Finding]) -> list[dict[str, str]]:
    """The rules of the playbook that hold."""
    facts = _escalation_facts(read, findings)
    return [{"to": rule.to, "why": rule.why} for rule in read.playbook.escalations if holds(rule.condition, facts)]


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    return {one.value: sum(each.classification == one for each in findings) for one in Classification}


def _escalation_facts(read: ReviewedContract, findings: Sequence[Finding]) -> EscalationFacts:
    missing = [one for one in findings if one.verdict == Verdict.MISSING]
    scores = [one.score for one in findings if one.classification != Classification.GREEN]
    figures: dict[str, list[str]] = {name.lower(): [str(count)] for name, count in _counts(findings).items()}
    figures |= {"missing": [str(len(missing))], "score": [str(max(scores, default=0))]}
    quoted = {one.number: [str(span["text"]) for span in one.contract_spans] for one in findings}
    for position in read.playbook.positions:
        for limit in position.limits:
            unit = find_unit(limit.unit.replace("_", " "))
            amounts = [amount for text in quoted.get(position.number, ()) for amount in stated_amounts(limit, text)]
            written = [format_number(amount, unit.symbol if unit else None) for amount in amounts]
            figures.setdefault(limit.name, []).extend(written)
    return EscalationFacts(
        text=_CLAUSE_BREAK.join(clause.text for clause in read.contract.parsed.clauses),
        missing=frozenset(one.position.casefold() for one in missing),
        figures=figures,
    )
