"""Makes a review: the structure of its document first, then a finding for each position, then the summary.

What is done is in rows, so that a review that was interrupted goes on behind its last finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import transaction

from contracts.clauses.clause_types import ContractPage, ParsedContract, TextSpan
from contracts.clauses.parse_contract import contract_pages, parse_pages
from contracts.models import ContractReview, Finding, ReviewKind, ReviewState, Verdict
from contracts.playbook.escalation import EscalationFacts, holds
from contracts.playbook.limits import stated_amounts
from contracts.playbook.parse_playbook import parse_playbook
from contracts.playbook.playbook_types import Playbook, PlaybookStatement, Position
from contracts.review.decided_contracts import learned_thresholds
from contracts.review.document_search import DocumentAt, verified_spans, weigh_text
from contracts.review.judgement import DEFAULT_THRESHOLDS, Judgement, judge_position
from contracts.risk import Classification, recommended_action, worst
from knowledge.lease import confirm_held
from trees.quantities import find_unit, format_number

_FOUND_SUMMARY = (
    "{green} of {total} positions are as the playbook wants them, {yellow} need a look, {red} go against it."
)


@dataclass(frozen=True, kw_only=True)
class _ReviewedContract:
    """What a review reads, in memory."""

    review: ContractReview
    playbook: Playbook
    document: DocumentAt
    texts: Mapping[int, str]  # of the pages, by id
    parsed: ParsedContract


def run_review(review: ContractReview) -> None:
    """Does what is left to do of the review. Raises `DocumentNotReady`, `UnfitPlaybook`, `EmbedderError`, and
    `LeaseLost` where another worker has taken over."""
    read = _read_contract(review)
    learned = learned_thresholds(review)
    known = set(review.findings.values_list("number", flat=True))
    for position in read.playbook.positions:
        if position.number not in known:
            judgement = judge_position(
                position,
                weigh=partial(weigh_text, read.document),
                thresholds=learned.get(position.name, DEFAULT_THRESHOLDS),
            )
            with transaction.atomic():
                confirm_held()
                _finding(read, position, judgement).save(force_insert=True)
                known.add(position.number)
                review.advance(done=len(known))
    with transaction.atomic():
        confirm_held()
        _finish(read)


def _read_contract(review: ContractReview) -> _ReviewedContract:
    """The pages and the playbook; their structure is kept with the first start."""
    pages = contract_pages(review.document, revision=review.revision)
    parsed = parse_pages(pages, is_nda=review.kind == ReviewKind.NDA)
    playbook = parse_playbook(review.playbook_text, fields=review.playbook_fields, title=review.playbook_name)
    review.state, review.positions_total = ReviewState.RUNNING, len(playbook.positions)
    review.structure = parsed.as_dict()
    review.save(update_fields=["state", "positions_total", "structure", "updated_at"])
    return _ReviewedContract(
        review=review,
        playbook=playbook,
        document=DocumentAt.of(review.document, revision=review.revision),
        texts=_texts_by_page(pages),
        parsed=parsed,
    )


def _texts_by_page(pages: Sequence[ContractPage]) -> dict[int, str]:
    return {page.id: page.text for page in pages}


def _finding(read: _ReviewedContract, position: Position, judged: Judgement) -> Finding:
    """The finding with the quotations that stand on their pages. Without one that stands nothing is GREEN."""
    spans = verified_spans(judged.spans, dict(read.texts))
    verdict, classification, reason = judged.verdict, judged.classification, judged.reason
    if classification == Classification.GREEN and not spans:
        verdict, classification, reason = Verdict.UNCLEAR, Classification.YELLOW, "No quotation stands for it."
    return Finding(
        review=read.review,
        number=position.number,
        position=position.name,
        verdict=verdict,
        reason=reason,
        contract_spans=[_span_dict(read.parsed, span) for span in spans],
        nearest_spans=[_span_dict(read.parsed, span) for span in verified_spans(judged.nearest, dict(read.texts))],
        playbook_spans=[_statement_dict(read.review, read.playbook, judged.statement)],
        strength=judged.strength,
        severity=position.severity,
        likelihood=position.likelihood,
        classification=classification,
        suggestion="" if classification == Classification.GREEN else position.suggestion,
    )


def _span_dict(parsed: ParsedContract, span: TextSpan) -> dict[str, object]:
    clause = parsed.clause_at(span)
    return {**span.as_dict(), "clause": clause.label if clause else ""}


def _statement_dict(review: ContractReview, playbook: Playbook, statement: PlaybookStatement) -> dict[str, object]:
    """Where the statement stands: in the text of the playbook, which is the page of its document."""
    if playbook.text[statement.start : statement.end] != statement.text:
        raise ValueError("a statement of the playbook does not stand where it was read")
    place = {"start": statement.start, "end": statement.end, "text": statement.text}
    return {"pageId": review.playbook_page, "page": 1, **place, "kind": statement.kind}


# --- Summary and escalation ------------------------------------------------------------------------------------


def _finish(read: _ReviewedContract) -> None:
    review, findings = read.review, list(read.review.findings.all())
    review.classification = worst(Classification(one.classification) for one in findings)
    review.summary = _summary(findings, Classification(review.classification))
    review.escalations = _escalations(read, findings)
    review.positions_done, review.state = len(findings), ReviewState.DONE
    columns = ["classification", "summary", "escalations", "positions_done", "state", "updated_at"]
    review.save(update_fields=columns)


def _summary(findings: Sequence[Finding], classification: Classification) -> str:
    counts = _counts(findings)
    told = _FOUND_SUMMARY.format(total=len(findings), **{name.lower(): count for name, count in counts.items()})
    return f"{told} {recommended_action(classification)}."


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    return {one.value: sum(each.classification == one for each in findings) for one in Classification}


def _escalations(read: _ReviewedContract, findings: Sequence[Finding]) -> list[dict[str, str]]:
    facts = _escalation_facts(read, findings)
    return [{"to": rule.to, "why": rule.why} for rule in read.playbook.escalations if holds(rule.condition, facts)]


def _escalation_facts(read: _ReviewedContract, findings: Sequence[Finding]) -> EscalationFacts:
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
        texts=[clause.text for clause in read.parsed.clauses],
        missing=frozenset(one.position.casefold() for one in missing),
        figures=figures,
    )
