from __future__ import annotations

import pytest

from accounts.models import User
from contracts.models import ContractReview, Decision, Verdict
from contracts.review.checklist_prior import ItemPrior, Observation, item_priors
from contracts.review.learned_thresholds import MIN_CONTRACTS, learned_thresholds, thresholds_of
from contracts.review.rule_judge import DEFAULT_THRESHOLDS, Thresholds
from knowledge.models import BaseKind, Document, KnowledgeBase


def observed(item: str, present: bool, strength: float) -> Observation:
    return Observation(item=item, is_present=present, strength=strength)


def test_an_item_that_is_nearly_always_there_needs_less_evidence() -> None:
    items, overall = item_priors([observed("law", True, 0.5)] * 8 + [observed("hiring", False, 0.5)] * 8)
    assert overall.share == 0.5
    assert (items["law"].share, items["hiring"].share) == (0.9, 0.1)
    assert items["law"].even_strength < 0.5 < items["hiring"].even_strength
    assert items["law"].posterior_logit(items["law"].even_strength) == pytest.approx(0)


def test_thresholds_move_with_it_and_not_beyond_all_bounds() -> None:
    assert thresholds_of(ItemPrior(share=0.5, strength=0.5)) == Thresholds(found=0.4, said=DEFAULT_THRESHOLDS.said)
    assert thresholds_of(ItemPrior(share=1.0, strength=0.5)).said == 0.30
    assert thresholds_of(ItemPrior(share=0.0, strength=0.5)).said == 0.75


def test_what_mostly_went_against_a_position_is_taken_to_do_so_again() -> None:
    against = Observation(item="marking", is_present=True, strength=0.6, is_against=True)
    absent = Observation(item="marking", is_present=False, strength=0.4, is_against=True)
    items, _ = item_priors([against] * 4 + [observed("marking", True, 0.6)] * 2 + [observed("law", True, 0.6)] * 4)
    assert thresholds_of(items["marking"]).is_mostly_against
    assert not thresholds_of(items["law"]).is_mostly_against
    _, overall = item_priors([absent])
    assert overall.against == 0, "what is not there goes against nothing"


def give_decided(
    owner: User, review: ContractReview, *, count: int, verdict: str, decision: str, by: User | None = None
) -> None:
    """So many contracts of this person's, each with a decision on the first position."""
    base, _ = KnowledgeBase.objects.get_or_create(owner=owner, name="Earlier", kind=BaseKind.PROJECT)
    for number in range(count):
        document = Document.objects.create(knowledge_base=base, title=f"No. {number}", source_type="text")
        earlier = ContractReview.objects.create(
            document=document, revision=1, created_by=owner, playbook_key=review.playbook_key, playbook_name="NDA"
        )
        earlier.findings.create(
            number=1,
            position="Structure",
            verdict=verdict,
            decision=decision,
            decided_by=by or owner,
            strength=0.6,
            severity=2,
            likelihood=2,
            classification="YELLOW",
        )


def test_decisions_on_other_contracts_teach(queued: ContractReview, alice: User) -> None:
    give_decided(alice, queued, count=MIN_CONTRACTS - 1, verdict=Verdict.MISSING, decision=Decision.DISMISSED)
    assert learned_thresholds(queued) == {}
    give_decided(alice, queued, count=1, verdict=Verdict.PREFERRED, decision=Decision.ACCEPTED)
    # Each of the five says that it was there.
    assert learned_thresholds(queued)["Structure"].said == 0.30


def test_a_dismissed_finding_says_the_contrary(queued: ContractReview, alice: User) -> None:
    give_decided(alice, queued, count=MIN_CONTRACTS, verdict=Verdict.PREFERRED, decision=Decision.DISMISSED)
    assert learned_thresholds(queued)["Structure"].said == 0.75


def test_a_denial_that_a_person_accepts_teaches_another_one(queued: ContractReview, alice: User) -> None:
    give_decided(alice, queued, count=MIN_CONTRACTS, verdict=Verdict.DENIED, decision=Decision.ACCEPTED)
    learned = learned_thresholds(queued)["Structure"]
    assert (learned.is_mostly_against, learned.said) == (True, 0.30)


def test_a_denial_that_a_person_dismisses_teaches_none(queued: ContractReview, alice: User) -> None:
    give_decided(alice, queued, count=MIN_CONTRACTS, verdict=Verdict.DENIED, decision=Decision.DISMISSED)
    learned = learned_thresholds(queued)["Structure"]
    assert (learned.is_mostly_against, learned.said) == (False, 0.30)


def test_what_is_unclear_and_what_nobody_decided_teach_nothing(queued: ContractReview, alice: User) -> None:
    give_decided(alice, queued, count=MIN_CONTRACTS, verdict=Verdict.UNCLEAR, decision=Decision.ACCEPTED)
    give_decided(alice, queued, count=MIN_CONTRACTS, verdict=Verdict.MISSING, decision="")
    assert learned_thresholds(queued) == {}


def test_a_figure_beyond_its_limit_teaches_nothing(queued: ContractReview, alice: User) -> None:
    give_decided(alice, queued, count=MIN_CONTRACTS, verdict=Verdict.LIMIT_BROKEN, decision=Decision.DISMISSED)
    assert learned_thresholds(queued) == {}


def test_what_an_editor_decides_in_one_base_teaches_nothing_in_another(
    queued: ContractReview, alice: User, bob: User
) -> None:
    give_decided(alice, queued, count=MIN_CONTRACTS, verdict=Verdict.PREFERRED, decision=Decision.ACCEPTED, by=bob)
    assert learned_thresholds(queued) == {}


def test_nobody_learns_from_the_decisions_of_others(queued: ContractReview, charlie: User) -> None:
    give_decided(charlie, queued, count=2 * MIN_CONTRACTS, verdict=Verdict.MISSING, decision=Decision.ACCEPTED)
    assert learned_thresholds(queued) == {}
