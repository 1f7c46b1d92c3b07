"""Measures the effect of the prior of a checklist: a few documents are labelled, and the others judged with them. The
prior is that of contract reviews (`contracts.review.checklist_prior`)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from contracts.review.checklist_prior import Observation, item_priors
from evaluation.eval_types import QuestionScores
from evaluation.scoring import metrics

# Which documents were reviewed matters: one draw of ten contracts is worth up to four points more than another.
_PRIOR_DRAWS = 10


@dataclass(frozen=True, kw_only=True)
class PriorEffect:
    """The same unreviewed documents judged by evidence alone and with the prior; None without both kinds."""

    reviewed: int
    questions: int
    auc_without: float | None
    auc: float | None
    accuracy: float


def measure_prior_effect(scored: Sequence[QuestionScores], *, reviewed: int) -> PriorEffect | None:
    """What labels of so many documents do for the others: the mean of ten draws, always the same ones. None where this
    is no checklist, or where every document is reviewed."""
    known = [one for one in scored if one.item and one.document and one.strength is not None]
    documents = sorted({one.document for one in known})
    if not 0 < reviewed < len(documents):
        return None
    draws = [random.Random(seed).sample(documents, reviewed) for seed in range(_PRIOR_DRAWS)]  # noqa: S311  # no secret
    effects = [effect for draw in draws if (effect := _effect_of_draw(known, reviewed=frozenset(draw)))]
    if not effects:
        return None
    return PriorEffect(
        reviewed=reviewed,
        questions=round(fmean(effect.questions for effect in effects)),
        auc_without=_mean_of_known([effect.auc_without for effect in effects]),
        auc=_mean_of_known([effect.auc for effect in effects]),
        accuracy=fmean(effect.accuracy for effect in effects),
    )


def _effect_of_draw(known: Sequence[QuestionScores], *, reviewed: frozenset[str]) -> PriorEffect | None:
    learned = [one for one in known if one.document in reviewed]
    rest = [one for one in known if one.document not in reviewed and one.answerable is not None]
    if not rest:
        return None
    items, unseen = item_priors(
        [Observation(item=one.item, is_present=bool(one.answerable), strength=one.strength or 0.0) for one in learned]
    )
    scores = [(one, items.get(one.item, unseen).posterior_logit(one.strength or 0.0)) for one in rest]
    return PriorEffect(
        reviewed=len(reviewed),
        questions=len(rest),
        auc_without=_answerable_auc([(one, one.strength or 0.0) for one in rest]),
        auc=_answerable_auc(scores),
        accuracy=sum((score > 0) == one.answerable for one, score in scores) / len(scores),
    )


def _mean_of_known(values: Sequence[float | None]) -> float | None:
    """The mean over the draws that have both kinds of question."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _answerable_auc(scores: Sequence[tuple[QuestionScores, float]]) -> float | None:
    positive = [score for one, score in scores if one.answerable]
    return metrics.auc(positive, [score for one, score in scores if not one.answerable])
