"""Checklists carry their own prior: how often an item is there in contracts that somebody has decided on.

The same items are asked of many contracts. With labels of a few, an item's evidence is read against what that item
usually has, and against how often it is there at all. The product learns from decisions, and the evaluation measures
the same.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# How much a tenth of evidence more than usual says: about one in the logit.
EVIDENCE_SLOPE = 10.0
# An item's share begins as if so many contracts had been decided at the rate of all items.
_PSEUDO_CONTRACTS = 2
_MIN_SHARE = 1e-6


@dataclass(frozen=True, kw_only=True)
class Observation:
    """An item of one contract: whether it was there, and how strong the evidence was, 0 to 1."""

    item: str
    is_present: bool
    strength: float


@dataclass(frozen=True, kw_only=True)
class ItemPrior:
    """How often an item is there, and the mean strength of its evidence."""

    share: float
    strength: float

    @property
    def logit(self) -> float:
        share = min(1 - _MIN_SHARE, max(_MIN_SHARE, self.share))
        return math.log(share / (1 - share))

    def posterior_logit(self, strength: float) -> float:
        """Above 0: with this evidence the item is more likely there than not."""
        return self.logit + EVIDENCE_SLOPE * (strength - self.strength)

    @property
    def even_strength(self) -> float:
        """The strength at which the item is as likely there as not."""
        return self.strength - self.logit / EVIDENCE_SLOPE


def item_priors(observed: Sequence[Observation]) -> tuple[Mapping[str, ItemPrior], ItemPrior]:
    """What each item is like in these contracts, and what an item that they do not have is taken for. Needs one
    observation at least."""
    overall = ItemPrior(share=_share(observed), strength=_mean_strength(observed))
    groups: defaultdict[str, list[Observation]] = defaultdict(list)
    for one in observed:
        groups[one.item].append(one)
    items = {
        item: ItemPrior(
            share=(_share(group) * len(group) + _PSEUDO_CONTRACTS * overall.share) / (len(group) + _PSEUDO_CONTRACTS),
            strength=_mean_strength(group),
        )
        for item, group in groups.items()
    }
    return items, overall


def _share(group: Sequence[Observation]) -> float:
    return sum(one.is_present for one in group) / len(group)


def _mean_strength(group: Sequence[Observation]) -> float:
    return math.fsum(one.strength for one in group) / len(group)
