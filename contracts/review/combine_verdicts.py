"""The verdict of the rules and that of a language model, as one.

The model may make a finding worse. It makes one GREEN only by words of the contract that stand, that keep the limits,
that are about the position, and that say it when they are read alone: so no other words of the contract can talk it
into that. What the rules find ruled out stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from contracts.models import Verdict
from contracts.playbook.playbook_types import Position
from contracts.review.llm_opinion import ModelOpinion, ModelVerdict
from contracts.review.rule_judge import Judgement, judge_quoted
from contracts.risk import Classification, classify_deviation
from querying.answering.grounding.semantic_similarity import similarities
from querying.answering.grounding.supporting_spans import as_one_line

_GOOD = (Verdict.PREFERRED, Verdict.ACCEPTABLE)
# From this cosine on, a sentence is about a statement. In contractnli-dev, 99 of 100 statements that a contract makes
# have such a sentence.
_MIN_SIMILARITY = 0.4
_BREAKS = (Verdict.WALK_AWAY, Verdict.LIMIT_BROKEN)

# Whether the words, taken alone, say the statement.
Confirm = Callable[[str, str], bool]


def reconcile(
    position: Position, rules: Judgement, reading: ModelVerdict, *, model: str, is_english: bool, confirm: Confirm
) -> Judgement:
    """The judgement that counts, with the opinion of the model. `confirm` is asked last, for it costs a call."""
    by_model = _judge_reading(position, rules, reading)
    if (
        reading.verdict in _GOOD
        and by_model.verdict == Verdict.UNCLEAR
        and rules.classification == Classification.GREEN
    ):
        by_model = rules  # other words than those that it quotes show that the limits are kept
    opinion = ModelOpinion(
        model=model,
        rules_verdict=rules.verdict,
        rules_classification=rules.classification,
        reading=reading,
        verdict=by_model.verdict,
        classification=by_model.classification,
    )
    if by_model.classification == rules.classification:
        return replace(rules, opinion=opinion)
    if by_model.classification.rank > rules.classification.rank:
        return replace(by_model, opinion=opinion)
    if problem := _why_not_better(rules, by_model, reading, is_english=is_english, confirm=confirm):
        return replace(rules, opinion=replace(opinion, problem=problem))
    return replace(by_model, opinion=opinion)


def _judge_reading(position: Position, rules: Judgement, reading: ModelVerdict) -> Judgement:
    """What the model's verdict comes to. Figures are compared by the rules, whatever the model says of them."""
    if reading.verdict in _GOOD:
        return judge_quoted(position, reading.statement, reading.spans, strength=rules.strength)
    reason = f"According to a language model, the contract {_SAYS[reading.verdict]}."
    return Judgement(
        verdict=reading.verdict,
        classification=_classify(position, reading.verdict),
        strength=rules.strength,
        statement=reading.statement,
        reason=reason,
        spans=() if reading.verdict == Verdict.MISSING else reading.spans,
        nearest=(*rules.spans, *rules.nearest) if not reading.spans else (),
    )


_SAYS = {
    Verdict.WALK_AWAY: "says what the playbook rules out",
    Verdict.LIMIT_BROKEN: "goes beyond a limit",
    Verdict.DENIED: "differs from what the playbook wants",
    Verdict.UNCLEAR: "does not say it clearly",
    Verdict.MISSING: "does not say it",
}


def _classify(position: Position, verdict: Verdict) -> Classification:
    if verdict in _BREAKS:
        return classify_deviation(position.severity, position.likelihood)
    is_red = verdict == Verdict.MISSING and position.is_required
    return Classification.RED if is_red else Classification.YELLOW


def _why_not_better(
    rules: Judgement, by_model: Judgement, reading: ModelVerdict, *, is_english: bool, confirm: Confirm
) -> str:
    """Why the model's better class does not count; "" where it does."""
    if rules.verdict in _BREAKS:
        return "What the contract says against the playbook counts, whatever else it says."
    if by_model.classification != Classification.GREEN:
        return "A better class needs words of the contract that say what is wanted, within the limits."
    claim = reading.statement.plain
    quoted = [as_one_line(span.text) for span in by_model.spans]
    if is_english and max(similarities(claim, quoted), default=0.0) < _MIN_SIMILARITY:
        return "The words that it quotes are about something else."
    if not confirm(claim, "\n".join(quoted)):
        return "The words that it quotes do not say it when they are read alone."
    return ""
