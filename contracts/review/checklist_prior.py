"""The prior of a checklist's item: how often it is there in contracts that somebody has decided on.

The same items are asked of many contracts. With labels of a few, the evidence for an item is compared with the usual
evidence for it, and weighed with how often it is there at all. Reviews and the evaluation use the same code.
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
    """An item of one contract: whether it was there, how strong the evidence was, 0 to 1, and whether what was there
    went against the item."""

    item: str
    is_present: bool
    strength: float
    is_against: bool = False


@dataclass(frozen=True, kw_only=True)
class ItemPrior:
    """How often an item is there, the mean strength of its evidence, and how much of what is there goes against it."""

    share: float
    strength: float
    against: float = 0.0

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
    overall = ItemPrior(share=_present_share(observed), strength=_mean_strength(observed), against=_against(observed))
    groups: defaultdict[str, list[Observation]] = defaultdict(list)
    for one in observed:
        groups[one.item].append(one)
    items = {
        item: ItemPrior(
            share=_shrunk_towards(overall.share, _present_share(group), len(group)),
            strength=_mean_strength(group),
            against=_shrunk_towards(overall.against, _against(group), _count_present(group)),
        )
        for item, group in groups.items()
    }
    return items, overall


def _shrunk_towards(overall: float, share: float, count: int) -> float:
    return (share * count + _PSEUDO_CONTRACTS * overall) / (count + _PSEUDO_CONTRACTS)


def _present_share(group: Sequence[Observation]) -> float:
    return sum(one.is_present for one in group) / len(group)


def _count_present(group: Sequence[Observation]) -> int:
    return sum(one.is_present for one in group)


def _against(group: Sequence[Observation]) -> float:
    return sum(one.is_present and one.is_against for one in group) / max(1, _count_present(group))


def _mean_strength(group: Sequence[Observation]) -> float:
    return math.fsum(one.strength for one in group) / len(group)
