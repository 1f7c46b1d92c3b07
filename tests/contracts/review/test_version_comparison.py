"""Two versions of a contract: what changed, by clause and by playbook."""

from __future__ import annotations

import pytest

from accounts.models import User
from contracts.models import ContractReview, Finding, ReviewKind
from contracts.review import run_review as run_review_module
from contracts.review.run_review import run_review
from contracts.review.start_review import start_review
from knowledge.models import Page
from tests.contracts.documents import give_contract

CONTRACT = """# Services agreement

## 1. Services

The Supplier shall perform the services with reasonable skill and care.

## 2. Liability

The liability of each party is limited to the fees paid in the twelve months before the claim. Neither party is liable \
for indirect damages.

## 3. Payment

Invoices are payable within sixty days after receipt.

## 4. Governing law

This Agreement is governed by the laws of England.
"""
NEW_CAP = "The liability of each party is unlimited, and the fees do not limit it."
OLD_CAP = "The liability of each party is limited to the fees paid in the twelve months before the claim."


def compare(owner: User, earlier: str, later: str) -> ContractReview:
    before, after = (give_contract(owner, title=name, text=text) for name, text in (("v1", earlier), ("v2", later)))
    review = start_review(after, by=owner, principal=owner, playbook="services-agreement", compare_with=before)
    run_review(review)
    return review


def quoted(finding: Finding) -> tuple[list[str], list[str]]:
    return [span["text"] for span in finding.compared_spans], [span["text"] for span in finding.contract_spans]


def test_a_changed_liability_cap_is_one_finding_and_both_versions_are_quoted(alice: User) -> None:
    review = compare(alice, CONTRACT, CONTRACT.replace(OLD_CAP, NEW_CAP))
    [finding] = review.findings.all()
    assert (review.kind, review.progress) == (ReviewKind.COMPARISON, "1 of 1 positions")
    assert finding.position == "Limit of liability"
    assert quoted(finding) == ([OLD_CAP], [NEW_CAP])
    assert finding.classification in ("YELLOW", "RED")
    assert finding.playbook_spans
    for document, spans in (
        (review.document, finding.contract_spans),
        (review.compared_document, finding.compared_spans),
    ):
        texts = dict(Page.objects.filter(document=document).values_list("pk", "text"))
        assert all(texts[span["pageId"]][span["start"] : span["end"]] == span["text"] for span in spans)


def test_a_change_that_the_playbook_does_not_speak_of_needs_a_look(alice: User) -> None:
    review = compare(alice, CONTRACT, f"{CONTRACT}\n## 5. Zebras\n\nZebras graze on the lawn of the castle at noon.\n")
    [finding] = review.findings.all()
    assert (finding.position, finding.classification, finding.verdict) == ("5 Zebras", "YELLOW", "changed")
    assert finding.playbook_spans == []


def test_a_change_that_breaks_a_limit_goes_against_the_playbook(alice: User) -> None:
    review = compare(alice, CONTRACT, CONTRACT.replace("within sixty days", "within seven days"))
    [finding] = review.findings.all()
    assert (finding.position, finding.verdict) == ("Payment", "limit_broken")
    assert finding.reason.startswith("Before: GREEN")


def test_a_change_that_leaves_a_position_as_it_was_says_so_once(alice: User) -> None:
    review = compare(alice, CONTRACT, CONTRACT.replace("within sixty days", "within seventy days"))
    [finding] = review.findings.all()
    assert finding.reason.startswith("Before and now: GREEN, ")


def test_two_versions_that_say_the_same_have_no_finding(alice: User) -> None:
    review = compare(alice, CONTRACT, CONTRACT.replace("\n\n## 3. Payment\n\n", "\n\n\n## 3. Payment\n"))
    assert (review.findings.count(), review.classification) == (0, "GREEN")
    assert review.summary == "The two versions say the same."


def test_changes_beyond_the_most_that_are_reviewed_are_counted(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is gone comes last, so it is left out first."""
    monkeypatch.setattr(run_review_module, "MAX_CHANGES", 1)
    better = CONTRACT.replace("within sixty days", "within seventy days").replace(OLD_CAP, "")
    review = compare(alice, CONTRACT, better)
    assert review.findings.count() == 1
    assert review.classification != "GREEN"
    assert "One further change was not reviewed: compare it by hand." in review.summary
    monkeypatch.setattr(run_review_module, "MAX_CHANGES", 0)
    none_judged = compare(alice, CONTRACT, better.replace("England", "Scotland"))
    assert (none_judged.findings.count(), none_judged.classification) == (0, "YELLOW")
    assert "say the same" not in none_judged.summary


RAISED_CAP = OLD_CAP.replace("twelve", "thirty-six")
LAW = "This Agreement is governed by the laws of England."


@pytest.mark.parametrize(
    ("later", "said"),
    [
        pytest.param(CONTRACT.replace(f"{OLD_CAP} ", ""), [], id="removed"),
        pytest.param(CONTRACT.replace(f"{OLD_CAP} ", "").replace(LAW, f"{LAW} {OLD_CAP}"), [OLD_CAP], id="moved"),
        pytest.param(
            CONTRACT.replace(f"{OLD_CAP} ", "").replace(LAW, f"{LAW} {RAISED_CAP}"),
            [RAISED_CAP],
            id="moved and changed",
        ),
        pytest.param(
            CONTRACT.replace("## 2. Liability", "## 7. Liability").replace(OLD_CAP, RAISED_CAP),
            [RAISED_CAP],
            id="renumbered and changed",
        ),
    ],
)
def test_whatever_becomes_of_a_cap_is_one_finding(alice: User, later: str, said: list[str]) -> None:
    [finding] = compare(alice, CONTRACT, later).findings.all()
    assert finding.position == "Limit of liability"
    assert quoted(finding) == ([OLD_CAP], said)
    assert finding.classification != "GREEN"


def test_a_clause_that_was_only_numbered_anew_has_not_changed(alice: User) -> None:
    assert not compare(alice, CONTRACT, CONTRACT.replace("## 2. Liability", "## 7. Liability")).findings.exists()


def test_a_cap_of_another_figure_is_not_green(alice: User) -> None:
    capped = CONTRACT.replace(" Neither party is liable for indirect damages.", "")
    for text, is_green in ((capped, True), (capped.replace("twelve", "thirty-six"), False)):
        document = give_contract(alice, title="Aldgate", text=text)
        review = start_review(document, by=alice, principal=alice, playbook="services-agreement")
        run_review(review)
        found = review.findings.get(position="Limit of liability")
        assert (found.classification == "GREEN") is is_green, found.reason


def test_a_new_clause_that_says_of_itself_that_it_does_not_bind_makes_nothing_green(alice: User) -> None:
    uncapped = CONTRACT.replace(OLD_CAP, NEW_CAP)
    capped = uncapped.replace(NEW_CAP, OLD_CAP)
    disclaimed = uncapped.replace(NEW_CAP, f"{OLD_CAP} This clause is for illustration and not binding.")
    for later, is_green in ((capped, True), (disclaimed, False)):
        [finding] = compare(alice, uncapped, later).findings.filter(position="Limit of liability")
        assert (finding.classification == "GREEN") is is_green, finding.reason
