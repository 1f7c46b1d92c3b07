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

from querying.evaluation import metrics
from querying.evaluation.types import Scored

# How much a tenth of evidence more than usual says: about one in the logit.
_SLOPE = 10.0
# An item's share begins as if so many documents had been reviewed at the rate of all items.
_PSEUDO_DOCUMENTS = 2
# Which documents were reviewed matters: one draw of ten contracts is worth up to four points more than another.
_DRAWS = 10


@dataclass(frozen=True, kw_only=True)
class PriorEffect:
    """The same unreviewed documents judged by evidence alone and with the prior; None without both kinds."""

    reviewed: int
    questions: int
    auc_without: float | None
    auc: float | None
    accuracy: float


@dataclass(frozen=True, kw_only=True)
class _Item:
    share: float
    evidence: float


def effect_of_prior(scored: Sequence[Scored], *, reviewed: int) -> PriorEffect | None:
    """What labels of so many documents do for the others: the mean of ten draws, always the same ones. None where this
    is no checklist, or where every document is reviewed."""
    known = [one for one in scored if one.item and one.document and one.strength is not None]
    documents = sorted({one.document for one in known})
    if not 0 < reviewed < len(documents):
        return None
    draws = [random.Random(seed).sample(documents, reviewed) for seed in range(_DRAWS)]  # noqa: S311  # no secret
    effects = [effect for draw in draws if (effect := _effect(known, reviewed=frozenset(draw)))]
    if not effects:
        return None
    return PriorEffect(
        reviewed=reviewed,
        questions=round(fmean(effect.questions for effect in effects)),
        auc_without=_mean([effect.auc_without for effect in effects]),
        auc=_mean([effect.auc for effect in effects]),
        accuracy=fmean(effect.accuracy for effect in effects),
    )


def _effect(known: Sequence[Scored], *, reviewed: frozenset[str]) -> PriorEffect | None:
    learned = [one for one in known if one.document in reviewed]
    rest = [one for one in known if one.document not in reviewed and one.answerable is not None]
    if not rest:
        return None
    items, unseen = _items(learned)
    scores = [(one, _logit(one, items.get(one.item, unseen))) for one in rest]
    return PriorEffect(
        reviewed=len(reviewed),
        questions=len(rest),
        auc_without=_auc([(one, one.strength or 0.0) for one in rest]),
        auc=_auc(scores),
        accuracy=sum((score > 0) == one.answerable for one, score in scores) / len(scores),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """Of the draws that have both kinds of question."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _items(learned: Sequence[Scored]) -> tuple[dict[str, _Item], _Item]:
    """What each item is like in the reviewed documents, and what an unknown item is taken for."""
    overall = _Item(share=_share(learned), evidence=_mean_evidence(learned))
    groups = defaultdict(list)
    for one in learned:
        groups[one.item].append(one)
    items = {
        item: _Item(
            share=(_share(group) * len(group) + _PSEUDO_DOCUMENTS * overall.share)
            / (len(group) + _PSEUDO_DOCUMENTS),
            evidence=_mean_evidence(group),
        )
        for item, group in groups.items()
    }
    return items, overall


def _share(group: Sequence[Scored]) -> float:
    return sum(bool(one.answerable) for one in group) / len(group)


def _mean_evidence(group: Sequence[Scored]) -> float:
    return math.fsum(one.strength or 0.0 for one in group) / len(group)


def _logit(one: Scored, item: _Item) -> float:
    share = min(1 - 1e-6, max(1e-6, item.share))
    return math.log(share / (1 - share)) + _SLOPE * ((one.strength or 0.0) - item.evidence)


def _auc(scores: Sequence[tuple[Scored, float]]) -> float | None:
    positive = [score for one, score in scores if one.answerable]
    return metrics.auc(positive, [score for one, score in scores if not one.answerable])
