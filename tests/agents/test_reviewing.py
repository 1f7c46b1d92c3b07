"""A contract that comes with a message is reviewed by a worker, and its report is shown."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from agents.attachments import UnknownAttachment
from agents.tools import contract_tools
from contracts.models import ContractReview
from contracts.review.run_review import run_review
from conversations.models import Project
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from tests.agents.working import ask, begin, data_of, died_behind, kinds, text_of, work
from tests.contracts.documents import NDA
from tests.conversations.layered import give

pytestmark = pytest.mark.django_db


@pytest.fixture
def nda(bob: User) -> Document:
    return give(personal_knowledge_base(bob), NDA)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Makes each review as soon as somebody waits for it."""
    made: list[str] = []
    begun = contract_tools._begun_review

    def begin_and_make(*args: Any) -> ContractReview:
        review = begun(*args)
        run_review(ContractReview.objects.select_related("document__knowledge_base").get(pk=review.pk))
        made.append(str(review.pk))
        return review

    monkeypatch.setattr(contract_tools, "_begun_review", begin_and_make)
    return made


def test_jl_030_jl_037_jl_048_an_agreement_is_triaged(
    published: Plugin, bob: User, nda: Document, worker: list[str]
) -> None:
    run = ask(published, bob, "Please review the attached agreement", documents=(nda.pk,))
    steps = ["step_start", "step_end"]
    assert kinds(run) == ["run", "agent_type", *steps, *steps, "nda_result", "content", "done"]
    assert [one["tool"] for one in data_of(run, "step_start")] == ["parse_nda", "render_nda_report"]
    assert (run.state, run.agent_type) == ("done", "nda")
    [result] = data_of(run, "nda_result")
    keys = {"title", "summary", "classification", "checklistResults", "recommendedAction"}
    assert keys <= result["report"].keys()
    assert len(result["report"]["checklistResults"]) == 10
    assert result["report"]["summary"].rstrip(".") in text_of(run)
    assert worker == [str(ContractReview.objects.get().pk)]


@pytest.mark.parametrize("is_made", [True, False])
def test_a_crash_before_the_report_is_shown_makes_no_second_review(
    published: Plugin, bob: User, nda: Document, worker: list[str], is_made: bool
) -> None:
    run = ask(published, bob, "Please review the attached agreement", documents=(nda.pk,))
    first = ContractReview.objects.get()
    if not is_made:
        ContractReview.objects.update(state="running")
    before = run.events.filter(kind="step_start").order_by("number")[1].number
    resumed = work(died_behind(run, before))
    assert resumed.state == "done"
    assert data_of(resumed, "step_end")[1]["result"]["reviewId"] == str(first.pk)
    assert worker == [str(first.pk)] * 2, "the same one was waited for"
    assert ContractReview.objects.count() == 1


def test_the_next_message_has_a_review_of_its_own(
    published: Plugin, bob: User, nda: Document, worker: list[str]
) -> None:
    run = ask(published, bob, "Please review the attached agreement", documents=(nda.pk,))
    ask(published, bob, "Please review the attached agreement", documents=(nda.pk,), session=run.session)
    assert len(set(worker)) == ContractReview.objects.count() == 2


def test_a_review_that_is_deleted_while_it_is_waited_for_is_a_result(
    published: Plugin, bob: User, nda: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = contract_tools._begun_review

    def begin_and_delete(*args: Any) -> ContractReview:
        review = begun(*args)
        ContractReview.objects.delete_with_pins()
        return review

    monkeypatch.setattr(contract_tools, "_begun_review", begin_and_delete)
    run = ask(published, bob, "Please review the attached agreement", documents=(nda.pk,))
    assert (run.state, data_of(run, "step_end")[1]["error"]["code"]) == ("done", "unknown_review")


def test_jl_044_jl_049_a_contract_is_parsed_and_reported_on(published: Plugin, bob: User, worker: list[str]) -> None:
    text = "# SERVICES AGREEMENT\n\n## 1. Fees\n\nThe Customer shall pay the fees within thirty (30) days.\n"
    contract = give(personal_knowledge_base(bob), text)
    run = ask(published, bob, "Check this contract for problems", documents=(contract.pk,))
    assert run.agent_type == "contract"
    parsed = data_of(run, "step_end")[0]["result"]
    assert {"metadata", "clauses"} <= parsed.keys()
    [result] = data_of(run, "contract_result")
    assert result["report"]["findings"]


def test_a_question_about_an_attachment_is_answered_from_it(published: Plugin, bob: User, nda: Document) -> None:
    run = ask(published, bob, "For how long does the agreement remain in force?", documents=(nda.pk,))
    assert run.agent_type == "rag"
    assert "three (3) years" in text_of(run)


def test_nobody_else_reviews_ones_documents(published: Plugin, alice: User, nda: Document) -> None:
    with pytest.raises(UnknownAttachment):
        begin(published, alice, "Please review the attached agreement", documents=(nda.pk,))


def test_whoever_may_only_read_a_document_has_no_review_made(published: Plugin, alice: User, bob: User) -> None:
    project = Project.objects.create_with_base(owner=alice, name="Marrow House")
    document = give(project.knowledge_base, NDA)
    project.set_members({bob.email: "viewer"})
    run = ask(published, bob, "Please review the attached agreement", project=project, documents=(document.pk,))
    assert data_of(run, "step_end")[1]["error"]["code"] == "read_only"
    assert "You may read this document" in text_of(run)
    assert not ContractReview.objects.exists()
