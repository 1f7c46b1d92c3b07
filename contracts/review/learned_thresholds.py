"""Thresholds learned from earlier decisions: how often each position of a playbook was there, and on which evidence.

Only decisions with the same playbook count, and only on contracts of the same knowledge base or of its owner. They
change from which evidence on a position is reported. They never lower what GREEN needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from django.db.models import Q

from contracts.models import ContractReview, Decision, Finding, Verdict
from contracts.review.checklist_prior import ItemPrior, Observation, item_priors
from contracts.review.rule_judge import Thresholds

# Fewer decided contracts do not move the thresholds of a position.
MIN_CONTRACTS = 5
# Thresholds move between these, however lopsided the decisions.
_LOWEST, _HIGHEST = 0.30, 0.75
# From so much below the threshold on a position is found, and not missing: decisions make both surer.
_FOUND_BELOW_SAID = 0.10
_MAX_FINDINGS = 20_000
# What a verdict says of the position. What is unclear says nothing, nor does a figure beyond its limit.
_SAYS_PRESENT = {
    Verdict.PREFERRED: True,
    Verdict.ACCEPTABLE: True,
    Verdict.MISSING: False,
}


def learned_thresholds(review: ContractReview) -> Mapping[str, Thresholds]:
    """The thresholds that decided contracts teach, by position. A position that too few contracts have is left out."""
    base = review.document.knowledge_base
    by_owner = Q(review__document__knowledge_base__owner=base.owner_id, decided_by=base.owner_id)
    decided = Finding.objects.decided().filter(
        Q(review__document__knowledge_base=base) | by_owner,
        review__playbook_key=review.playbook_key,
        verdict__in=[*_SAYS_PRESENT, Verdict.DENIED],
        strength__isnull=False,
    )
    others = decided.exclude(review=review).order_by("-decided_at")
    rows = list(others.values_list("review__document", "position", "verdict", "decision", "strength")[:_MAX_FINDINGS])
    contracts = Counter(position for _, position in {(document, position) for document, position, *_ in rows})
    observed = [
        _observation(position, Verdict(verdict), strength or 0.0, is_accepted=decision == Decision.ACCEPTED)
        for _, position, verdict, decision, strength in rows
        if contracts[position] >= MIN_CONTRACTS
    ]
    if not observed:
        return {}
    items, _ = item_priors(observed)
    return {item: thresholds_of(prior) for item, prior in items.items()}


def thresholds_of(prior: ItemPrior) -> Thresholds:
    """Said from the strength on at which it is as likely there as not; found from a little below. What is there is
    taken to go against the position where that is more likely than not."""
    said = min(_HIGHEST, max(_LOWEST, prior.even_strength))
    return Thresholds(said=said, found=said - _FOUND_BELOW_SAID, is_mostly_against=prior.against > 0.5)


def _observation(position: str, verdict: Verdict, strength: float, *, is_accepted: bool) -> Observation:
    """A finding that was dismissed says the contrary of what it said. One that a clause denies the position has that
    clause, and says whether it goes against it."""
    if verdict == Verdict.DENIED:
        return Observation(item=position, is_present=True, strength=strength, is_against=is_accepted)
    return Observation(item=position, is_present=_SAYS_PRESENT[verdict] is is_accepted, strength=strength)
