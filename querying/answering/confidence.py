"""How sure an answer is, from its evidence: by the plugin's own curve where there is one, by rule where not.

The rule's bands were read off six public sets (docs/evaluation.md). They put answers in order, but how often each band
is right differs from plugin to plugin; so without a curve an answer says that its confidence is not calibrated.
What the guard finds in the text may lower the level afterwards (`guard.Guard.verdict`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lexic.phrases import Phrase, joined_sentences, phrase
from querying.answering import confidence_calibration
from querying.types.confidence import Confidence, ConfidenceBasis, ConfidenceSignals

# By rule: high needs all of these, low is what lies under the last.
_HIGH_SCORE, _HIGH_LEAD, _HIGH_AGREEMENT = 0.65, 0.02, 2
# By rule and by the curve: a sentence about another member of the class ("a column" for "a steel column") matches every
# word but one, so high also needs this match of the word that is matched least (docs/evaluation.md, "Members of a
# class").
_HIGH_WEAKEST = 0.5
# And the cross-encoder must think that the sentence answers.
_HIGH_ANSWER_PROBABILITY = 0.5
# Where it is this sure, the lead may be smaller; or one search alone may find the passage first, with so much of a lead
# (docs/evaluation.md, "Called high").
_SURE_ANSWER_PROBABILITY = 0.85
_ONE_SEARCH_LEAD = 0.05
_LOW_SCORE = 0.5
# From here on it is told that another sentence is stronger.
_TOLD_LAG = 0.1
# By the curve: under this it is likelier wrong than right. From where it is high, the curve says itself.
_MEDIUM_PROBABILITY = 0.5
# How many of the searches, by words and by meaning, put the passage of the best sentence first.
_AGREEING = (
    phrase("Neither the search by words nor the search by meaning finds it first."),
    phrase("Only one of the two searches, by words and by meaning, finds it first."),
    phrase("The search by words and the search by meaning both find it first."),
)


def confidence_basis(grounds: ConfidenceSignals, *, calibration: Mapping[str, Any] | None) -> ConfidenceBasis:
    """What the evidence alone says. `calibration` is what the release keeps, None where it keeps none."""
    fitted = confidence_calibration.parse_calibration(calibration)
    if fitted is None:
        return ConfidenceBasis(grounds=grounds, level=_level_by_rule(grounds))
    stated = confidence_calibration.correctness_probability(grounds, fitted)
    level = Confidence.MEDIUM if stated >= _MEDIUM_PROBABILITY else Confidence.LOW
    by_itself = confidence_calibration.correctness_probability(_of_best_sentence(grounds), fitted)
    if fitted.high_from is not None and by_itself >= fitted.high_from and _may_be_high(grounds):
        level = Confidence.HIGH
    return ConfidenceBasis(grounds=grounds, level=level, probability=stated)


def explain_confidence(basis: ConfidenceBasis) -> str:
    """What the confidence is computed from, and whether it is calibrated, in sentences."""
    return joined_sentences([_calibration_sentence(basis), *_signal_sentences(basis.grounds)])


def _calibration_sentence(basis: ConfidenceBasis) -> Phrase:
    if basis.probability is None:
        return phrase("Estimated by fixed rules; not calibrated for this plugin.")
    return phrase(
        "Calibrated on this plugin's golden questions: right with probability %(probability)s.",
        probability=basis.probability,
    )


def _signal_sentences(grounds: ConfidenceSignals) -> Iterator[Phrase]:
    yield phrase(
        "The best passage scores %(score)s out of 1, %(lead)s more than the next one.",
        score=grounds.score,
        lead=grounds.lead,
    )
    yield _AGREEING[grounds.agreement]
    if grounds.has_signs:
        yield phrase("The sources may contradict each other.")
    if grounds.weakest < _HIGH_WEAKEST:
        yield phrase("The best sentence lacks a word of the question.")
    if grounds.lag >= _TOLD_LAG:
        yield phrase("Another sentence says more of the question.")
    if is_doubted(grounds):
        yield phrase("The best sentence may be about something else.")


def _level_by_rule(grounds: ConfidenceSignals) -> Confidence:
    if grounds.score < _LOW_SCORE:
        return Confidence.LOW
    is_strong = _of_best_sentence(grounds).score >= _HIGH_SCORE
    if is_strong and not grounds.has_signs and _may_be_high(grounds) and _stands_out(grounds):
        return Confidence.HIGH
    return Confidence.MEDIUM


def _stands_out(grounds: ConfidenceSignals) -> bool:
    """Whether the best sentence is ahead of the others, and both searches find it first; where the cross-encoder is
    sure, one of these is enough."""
    if grounds.agreement >= _HIGH_AGREEMENT:
        return grounds.lead >= _HIGH_LEAD or _is_sure(grounds)
    return grounds.agreement == 1 and grounds.lead >= _ONE_SEARCH_LEAD and _is_sure(grounds)


def _of_best_sentence(grounds: ConfidenceSignals) -> ConfidenceSignals:
    """The grounds with the score that the best sentence would have alone: what another one says bears no answer out."""
    return replace(grounds, score=grounds.score - grounds.lag)


def is_doubted(grounds: ConfidenceSignals) -> bool:
    """Whether the cross-encoder thinks that the best sentence does not answer: then nothing makes the answer high."""
    probability = grounds.answer_probability
    return probability is not None and probability < _HIGH_ANSWER_PROBABILITY


def _is_sure(grounds: ConfidenceSignals) -> bool:
    """Whether the cross-encoder has read the best sentence and is sure that it answers."""
    return grounds.answer_probability is not None and grounds.answer_probability >= _SURE_ANSWER_PROBABILITY


def _may_be_high(grounds: ConfidenceSignals) -> bool:
    return grounds.weakest >= _HIGH_WEAKEST and not is_doubted(grounds)
