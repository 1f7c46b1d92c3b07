"""Checklists carry their own prior: how often an item is found in contracts that somebody has reviewed.

The same items are asked of many documents. With labels of a few, an item's evidence is read against what
that item usually has, and against how often it is there at all.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluation.eval_types import QuestionScores
from evaluation.scoring import metrics

# How much a tenth of evidence more than usual says: about one in the logit.
_EVIDENCE_SLOPE = 10.0
# An item's share begins as if so many documents had been reviewed at the rate of all items.
_PSEUDO_DOCUMENTS = 2
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


@dataclass(frozen=True, kw_only=True)
class _ItemPrior:
    share: float
    evidence: float


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
    items, unseen = _item_priors(learned)
    scores = [(one, _posterior_logit(one, items.get(one.item, unseen))) for one in rest]
    return PriorEffect(
        reviewed=len(reviewed),
        questions=len(rest),
        auc_without=_answerable_auc([(one, one.strength or 0.0) for one in rest]),
        auc=_answerable_auc(scores),
        accuracy=sum((score > 0) == one.answerable for one, score in scores) / len(scores),
    )


def _mean_of_known(values: Sequence[float | None]) -> float | None:
    """Of the draws that have both kinds of question."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _item_priors(learned: Sequence[QuestionScores]) -> tuple[dict[str, _ItemPrior], _ItemPrior]:
    """What each item is like in the reviewed documents, and what an unknown item is taken for."""
    overall = _ItemPrior(share=_answerable_share(learned), evidence=_mean_evidence(learned))
    groups = defaultdict(list)
    for one in learned:
        groups[one.item].append(one)
    items = {
        item: _ItemPrior(
            share=(_answerable_share(group) * len(group) + _PSEUDO_DOCUMENTS * overall.share)
            / (len(group) + _PSEUDO_DOCUMENTS),
            evidence=_mean_evidence(group),
        )
        for item, group in groups.items()
    }
    return items, overall


def _answerable_share(group: Sequence[QuestionScores]) -> float:
    return sum(bool(one.answerable) for one in group) / len(group)


def _mean_evidence(group: Sequence[QuestionScores]) -> float:
    return math.fsum(one.strength or 0.0 for one in group) / len(group)


def _posterior_logit(one: QuestionScores, item: _ItemPrior) -> float:
    share = min(1 - 1e-6, max(1e-6, item.share))
    return math.log(share / (1 - share)) + _EVIDENCE_SLOPE * ((one.strength or 0.0) - item.evidence)


def _answerable_auc(scores: Sequence[tuple[QuestionScores, float]]) -> float | None:
    positive = [score for one, score in scores if one.answerable]
    return metrics.auc(positive, [score for one, score in scores if not one.answerable])
