"""Judges what a contract says of one position of a playbook, without a language model.

Each statement of the position is searched for in the contract. The best sentences are then compared with it, by the
checks that compare an answer with its source: negation, modality, bounds, roles. Limits are compared as quantities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from contracts.clauses.parsed_contract import TextSpan
from contracts.models import Verdict
from contracts.playbook.limits import LimitVerdict, check_limit, limits_verdict
from contracts.playbook.playbook_types import PlaybookStatement, Position
from contracts.review.document_search import distinct_sentences
from contracts.review.llm_opinion import ModelOpinion
from contracts.review.statement_mismatches import has_other_figures, has_reservation, is_non_binding
from contracts.risk import Classification, classify_deviation
from querying.answering.grounding.claim_support import is_contradicted
from querying.answering.grounding.modality import overstates
from querying.answering.grounding.supporting_spans import as_one_line
from querying.types.evidence import Evidence

# The strengths of evidence from which a statement counts as found, as said, as surely said, and as said of what is
# ruled out; measured on contractnli-dev (docs/evaluation.md).
MIN_FOUND, MIN_STATED, MIN_STATED_FOR_GREEN, MIN_RULED_OUT = 0.32, 0.50, 0.55, 0.60
# A sentence that is this much weaker than the threshold is still compared with the statement.
_SENTENCE_SLACK = 0.05
_HELD_SENTENCES = 3
_NEAREST_SENTENCES = 3

EvidenceSearch = Callable[[str], Evidence]


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """From which strength on a position is found and said, and whether what is said of it mostly goes against it.
    Decided contracts teach all three (`contracts.review.learned_thresholds`)."""

    found: float = MIN_FOUND
    said: float = MIN_STATED
    is_mostly_against: bool = False


DEFAULT_THRESHOLDS = Thresholds()


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """`spans` are what the contract says of it, `nearest` what came near where it says nothing; `statement` is the part
    of the playbook that decided. `opinion` is that of a language model, where one was asked."""

    verdict: Verdict
    classification: Classification
    strength: float
    statement: PlaybookStatement
    reason: str
    spans: tuple[TextSpan, ...] = ()
    nearest: tuple[TextSpan, ...] = ()
    opinion: ModelOpinion | None = None


@dataclass(frozen=True, kw_only=True)
class _StatementMatch:
    """A statement with its evidence, and which of the best sentences say it. Where the best one contradicts it, none
    does: one that comes behind is about something else."""

    statement: PlaybookStatement
    strength: float
    sentences: tuple[TextSpan, ...]
    best_score: float = 0.0  # of the best sentence by itself, wherever the others are
    agreeing: tuple[TextSpan, ...] = field(default=())
    is_denied: bool = False  # each of the sentences says less or more


def judge_position(
    position: Position, *, search: EvidenceSearch, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Judgement:
    """What the contract says of the position; `search` finds the evidence for a statement.

    What is ruled out counts first, whatever else is said. GREEN needs a span that
    - says what is wanted, at least as strongly as before anybody decided a contract;
    - contains nothing that contradicts it;
    - keeps the limits.

    Raises `EmbedderError`.
    """
    # Where there are limits these judge the figures, and a statement's own are an example.
    is_exact = not position.limits
    wanted = [
        _match_statement(statement, search, least=thresholds.said, is_exact=is_exact) for statement in position.wanted
    ]
    ruled_out = [
        _match_statement(statement, search, least=MIN_RULED_OUT) for statement in position.of_kind("walk_away")
    ]
    best = max(wanted, key=lambda held: held.strength)
    worst = max(ruled_out, key=lambda held: held.strength, default=None)
    against = worst if worst and worst.best_score >= MIN_RULED_OUT and worst.agreeing else None
    if against:
        classification = classify_deviation(position.severity, position.likelihood)
        reason = "The contract says what the playbook rules out."
        return _judgement(Verdict.WALK_AWAY, classification, against, reason)
    strongest = max(best.strength, worst.strength if worst else 0.0)
    if strongest < thresholds.found:
        return _missing_or_near(position, best, search, thresholds)
    least = max(MIN_STATED_FOR_GREEN, thresholds.said)
    said = next((held for held in wanted if held.strength >= least and held.agreeing), None)
    return _within_limits(position, said) if said else _not_said(best, thresholds)


def downgrade_unfounded_green(judged: Judgement, *, is_quoted: bool, clauses: Iterable[str]) -> Judgement:
    """The judgement, but YELLOW for a GREEN one without a quotation, or out of a clause that does not bind. `clauses`
    are those that its spans are in, whole."""
    if judged.classification != Classification.GREEN:
        return judged
    if not is_quoted:
        reason = "No quotation from the contract supports it."
    elif any(map(is_non_binding, clauses)):
        reason = "The clause says of itself that it does not bind, or speaks to its reviewer."
    else:
        return judged
    return replace(judged, verdict=Verdict.UNCLEAR, classification=Classification.YELLOW, reason=reason)


def judge_quoted(
    position: Position, statement: PlaybookStatement, spans: Sequence[TextSpan], *, strength: float
) -> Judgement:
    """What the position comes to when these words of the contract say the statement: their figures decide where there
    are limits, and have to be the statement's where there are none."""
    quoted = tuple(spans)
    held = _StatementMatch(statement=statement, strength=strength, sentences=quoted, agreeing=quoted)
    words = " ".join(as_one_line(span.text) for span in spans)
    if not position.limits and has_other_figures(statement.plain, words):
        reason = "The quoted words name other figures than the playbook."
        return _judgement(Verdict.UNCLEAR, Classification.YELLOW, held, reason)
    return _within_limits(position, held)


def position_in_unread_language(position: Position) -> Judgement:
    """The judgement on a contract in a language that the rules do not read."""
    return Judgement(
        verdict=Verdict.UNCLEAR,
        classification=Classification.YELLOW,
        strength=0.0,
        statement=position.wanted[0],
        reason="The contract is not in English, so no rule has judged it.",
    )


def _match_statement(
    statement: PlaybookStatement, search: EvidenceSearch, *, least: float, is_exact: bool = False
) -> _StatementMatch:
    """Compares the statement with the best sentences of the contract. `is_exact`: with the same figures."""
    claim = statement.plain
    evidence = search(claim)
    found = distinct_sentences(evidence, limit=_HELD_SENTENCES)
    strong = [(span, as_one_line(span.text)) for span, sentence in found if sentence.score >= least - _SENTENCE_SLACK]
    contradicts = [is_contradicted(claim, text) for _, text in strong]
    agreeing = [
        span
        for (span, text), is_against in zip(strong, contradicts, strict=True)
        if not is_against
        and not contradicts[0]
        and not has_reservation(claim, text)
        and not (is_exact and has_other_figures(claim, text))
    ]
    return _StatementMatch(
        statement=statement,
        strength=evidence.strength,
        sentences=tuple(span for span, _ in found),
        best_score=found[0][1].score if found else 0.0,
        agreeing=tuple(agreeing),
        is_denied=bool(strong) and all(overstates(claim, text) for _, text in strong),
    )


def _missing_or_near(
    position: Position, best: _StatementMatch, search: EvidenceSearch, thresholds: Thresholds
) -> Judgement:
    """Nothing says it. Where the contract speaks of the topic, that is for a person to read."""
    about = search(f"{position.name}. {position.topic}".strip()) if position.topic else None
    near = distinct_sentences(about, limit=_NEAREST_SENTENCES) if about else []
    nearest = tuple(span for span, _ in near) or best.sentences
    if about and about.strength >= thresholds.said:
        reason = "The contract covers this topic in words that the playbook does not foresee."
        return _judgement(Verdict.UNCLEAR, Classification.YELLOW, best, reason, nearest=nearest)
    classification = Classification.RED if position.is_required else Classification.YELLOW
    reason = (
        "Nothing in the contract says it, and the playbook requires it."
        if position.is_required
        else ("Nothing in the contract says it.")
    )
    return _judgement(Verdict.MISSING, classification, best, reason, nearest=nearest)


def _not_said(best: _StatementMatch, thresholds: Thresholds) -> Judgement:
    if best.strength >= thresholds.said and (best.is_denied or thresholds.is_mostly_against):
        reason = "The nearest clauses differ from what the playbook wants."
        if not best.is_denied:
            reason = "In most decided contracts the clause on this went against the playbook."
        return _judgement(Verdict.DENIED, Classification.YELLOW, best, reason, spans=best.sentences[:1])
    reason = "The nearest clauses are ambiguous: they may say it or something else."
    return _judgement(Verdict.UNCLEAR, Classification.YELLOW, best, reason, nearest=best.sentences)


def _within_limits(position: Position, held: _StatementMatch) -> Judgement:
    """The contract says what is wanted; its figures decide where there are limits."""
    verdict = Verdict.PREFERRED if held.statement.kind == "preferred" else Verdict.ACCEPTABLE
    kept = f"The contract says what is {verdict.value}."
    if not position.limits:
        return _judgement(verdict, Classification.GREEN, held, kept)
    readings = list(_limit_readings(position, held))
    result = limits_verdict([reading for reading, _, _ in readings])
    telling = [span for reading, _, span in readings if reading == result]
    named = ", ".join(dict.fromkeys(written for reading, written, _ in readings if reading == result))
    if result == LimitVerdict.BROKEN:
        classification = classify_deviation(position.severity, position.likelihood)
        reason = f"A clause goes beyond the limit “{named}”."
        return _judgement(Verdict.LIMIT_BROKEN, classification, held, reason, spans=telling[:1])
    if result == LimitVerdict.KEPT:
        reason = f"{kept} Its figures keep the limit “{named}”."
        return _judgement(verdict, Classification.GREEN, held, reason, spans=[*held.agreeing[:1], *telling[:1]])
    named = ", ".join(limit.written for limit in position.limits)
    return _judgement(
        Verdict.UNCLEAR, Classification.YELLOW, held, f"No single figure shows that the limit “{named}” is kept."
    )


def _limit_readings(position: Position, held: _StatementMatch) -> Iterator[tuple[LimitVerdict, str, TextSpan]]:
    """What each sentence about it makes of each limit."""
    for limit in position.limits:
        for span in dict.fromkeys([*held.agreeing, *held.sentences]):
            if (reading := check_limit(limit, as_one_line(span.text))) != LimitVerdict.UNSTATED:
                yield reading, limit.written, span


def _judgement(
    verdict: Verdict,
    classification: Classification,
    held: _StatementMatch,
    reason: str,
    *,
    spans: Sequence[TextSpan] | None = None,
    nearest: Sequence[TextSpan] = (),
) -> Judgement:
    quoted = held.agreeing[:1] if spans is None and not nearest else spans or ()
    return Judgement(
        verdict=verdict,
        classification=classification,
        strength=round(held.strength, 4),
        statement=held.statement,
        reason=reason,
        spans=tuple(dict.fromkeys(quoted)),
        nearest=tuple(nearest),
    )
