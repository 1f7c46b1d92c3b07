"""A contract that comes with a message is reviewed by a worker, and its report is shown."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import ApiKey, User
from agents.journal.read_access import may_read_content
from agents.message_attachments import UnknownAttachment
from agents.models import AgentRun, EventKind
from agents.tools import contract_tools
from agents.tools.registry import TOOLS
from contracts.models import ContractReview
from conversations.exchanges import withheld_messages
from conversations.models import Project
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from privacy.document_deletion import delete_private_document
from tests.agents.reviewing import nda, worker
from tests.agents.working import answer_of, ask, begin, data_of, died_behind, kinds, text_of, with_budget, work
from tests.contracts.documents import NDA
from tests.conversations.layered import give
from tests.cover import give_document

__all__ = ["nda", "worker"]  # fixtures

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("tool", "agent_type"),
    [
        ("parse_nda", "nda"),
        ("parse_contract", "contract"),
        ("extract_document_info", "document"),
        ("search_knowledge", "rag"),
    ],
)
def test_jl_030_each_first_call_says_what_kind_of_agent_it_is(tool: str, agent_type: str) -> None:
    assert TOOLS[tool].agent_type == agent_type


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
    begun = contract_tools._find_or_start_review

    def begin_and_delete(*args: Any) -> ContractReview:
        review = begun(*args)
        ContractReview.objects.delete_with_pins()
        return review

    monkeypatch.setattr(contract_tools, "_find_or_start_review", begin_and_delete)
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


# --- Several documents --------------------------------------------------------------------------------------------

SERVICES = "# SERVICES AGREEMENT\n\n## 1. Fees\n\nThe Customer shall pay the fees within thirty (30) days.\n"
REQUEST = "Please review the attached agreements"


@pytest.fixture
def services(bob: User, nda: Document) -> Document:
    base = personal_knowledge_base(bob)
    document = add_text(knowledge_base=base, title="Services", text=SERVICES, enqueue=False).document
    ingest(document.pk)
    return document


def reviewed(run: AgentRun) -> list[tuple[str, str]]:
    return [(one["tool"], one["input"]["documentId"]) for one in data_of(run, "step_start")]


def test_each_document_is_reviewed_in_its_order(
    published: Plugin, bob: User, nda: Document, services: Document, worker: list[str]
) -> None:
    run = ask(published, bob, REQUEST, documents=(services.pk, nda.pk))
    contract, agreement = str(services.pk), str(nda.pk)
    assert reviewed(run) == [
        ("parse_contract", contract),
        ("render_contract_report", contract),
        ("parse_nda", agreement),
        ("render_nda_report", agreement),
    ]
    reports = [data_of(run, kind)[0]["report"] for kind in ("contract_result", "nda_result")]
    first, second = text_of(run).split("\n\n")
    assert reports[0]["title"] in first
    assert reports[1]["title"] in second
    assert run.agent_type == "contract"


def test_one_that_cannot_be_reviewed_holds_up_no_other(
    published: Plugin, bob: User, nda: Document, services: Document, worker: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.review.start_review.MAX_CONTRACT_CHARACTERS", len(NDA) - 200)
    run = ask(published, bob, REQUEST, documents=(nda.pk, services.pk))
    first, second = text_of(run).split("\n\n")
    assert first.startswith("“Marrow House” was not reviewed: The contract is too long to be reviewed.")
    assert data_of(run, "contract_result")[0]["report"]["title"] in second
    assert len(worker) == 1


def test_those_that_the_budget_leaves_out_are_named(
    published: Plugin, bob: User, nda: Document, services: Document, worker: list[str], settings: Any
) -> None:
    with_budget(settings, iterations=3)
    run = ask(published, bob, REQUEST, documents=(nda.pk, services.pk))
    first, second = text_of(run).split("\n\n")
    assert data_of(run, "nda_result")[0]["report"]["title"] in first
    assert second.startswith("“Services” was not reviewed, because this run had reached its limit.")
    assert data_of(run, "done")[0]["stopped"] == "iterations"


def test_the_time_of_a_review_is_not_the_runs(
    published: Plugin, bob: User, nda: Document, services: Document, worker: list[str], settings: Any
) -> None:
    run = begin(published, bob, REQUEST, documents=(nda.pk, services.pk))
    five_hours = 5 * 3_600_000
    call = {"id": "call_1", "number": 1, "tool": "render_nda_report", "input": {"documentId": str(nda.pk)}}
    run.append((EventKind.TURN, {"calls": [call]}))
    shown = {"callId": "call_1", "number": 1, "tool": "render_nda_report"}
    run.append((EventKind.STEP_END, {**shown, "result": None, "error": {"error": "x", "hint": ""}, "ms": five_hours}))
    assert len(reviewed(work(run))) == 2, "those of the other document"
    run = begin(published, bob, REQUEST, documents=(nda.pk, services.pk))
    run.append((EventKind.TURN, {"calls": [{**call, "tool": "parse_nda"}]}))
    run.append((EventKind.STEP_END, {**shown, "tool": "parse_nda", "result": {}, "error": None, "ms": five_hours}))
    ended = work(run)
    assert (reviewed(ended), data_of(ended, "done")[0]["stopped"]) == ([], "seconds")


# --- Who may ------------------------------------------------------------------------------------------------------


def test_a_question_about_an_attachment_is_answered_from_it(published: Plugin, bob: User, nda: Document) -> None:
    run = ask(published, bob, "For how long does the agreement remain in force?", documents=(nda.pk,))
    assert run.agent_type == "rag"
    assert "three (3) years" in text_of(run)


def test_nobody_else_reviews_ones_documents(published: Plugin, alice: User, nda: Document) -> None:
    with pytest.raises(UnknownAttachment):
        begin(published, alice, "Please review the attached agreement", documents=(nda.pk,))


def test_whoever_may_ask_a_plugin_attaches_no_document_of_it(published: Plugin, handbook: Document, bob: User) -> None:
    with pytest.raises(UnknownAttachment):
        begin(published, bob, "Please review the attached agreement", documents=(handbook.pk,))


def test_a_document_of_another_project_is_not_attached(published: Plugin, bob: User) -> None:
    here, elsewhere = (Project.objects.create_with_base(owner=bob, name=name) for name in ("Marrow", "Aldgate"))
    document = give(elsewhere.knowledge_base, NDA)
    begin(published, bob, project=elsewhere, documents=(document.pk,))
    with pytest.raises(UnknownAttachment):
        begin(published, bob, project=here, documents=(document.pk,))


def test_whoever_may_only_read_a_document_has_no_review_made(published: Plugin, alice: User, bob: User) -> None:
    project = Project.objects.create_with_base(owner=alice, name="Marrow House")
    document = give(project.knowledge_base, NDA)
    project.set_members({bob.email: "viewer"})
    run = ask(published, bob, "Please review the attached agreement", project=project, documents=(document.pk,))
    assert data_of(run, "step_end")[1]["error"]["code"] == "read_only"
    assert "You may read this document" in text_of(run)
    assert not ContractReview.objects.exists()


def test_a_key_that_may_not_begin_a_review_begins_none_by_a_message(
    published: Plugin, bob: User, nda: Document, worker: list[str]
) -> None:
    for capabilities, may_review in ((["query", "read"], False), (["query", "read", "author"], True)):
        key, _ = ApiKey.objects.issue(owner=bob, name="agent", capabilities=capabilities)
        run = ask(published, key, "Please review the attached agreement", documents=(nda.pk,))
        assert ContractReview.objects.exists() is may_review
        assert bool(data_of(run, "nda_result")) is may_review
        if not may_review:
            assert data_of(run, "step_end")[1]["error"]["code"] == "missing_capability"
            assert "was not reviewed: This API key may not start reviews. Use a key with" in text_of(run)


def test_what_was_read_as_a_whole_is_closed_with_its_document(
    published: Plugin, alice: User, bob: User, worker: list[str]
) -> None:
    """Bob has an agreement of Alice's plugin reviewed, which he edits; then he edits it no longer."""
    published.editors.add(bob)
    agreement = give_document(published, title="Agreement with Aldgate", text=NDA)
    run = ask(published, bob, "Please review the attached agreement", documents=(agreement.pk,))
    assert data_of(run, "nda_result")
    assert may_read_content(run, bob)
    assert withheld_messages(run.session, [answer_of(run)], reader=bob) == set()
    published.editors.remove(bob)
    assert not may_read_content(run, bob)
    Document.objects.update(is_public=False)
    Plugin.objects.update(public_only=True)
    assert withheld_messages(run.session, [answer_of(run)], reader=bob) == {answer_of(run).pk}


def test_what_was_said_of_a_private_document_is_erased_with_it(
    published: Plugin, bob: User, nda: Document, worker: list[str]
) -> None:
    run = ask(published, bob, "Please review the attached agreement", documents=(nda.pk,))
    assert nda.title in answer_of(run).content
    delete_private_document(nda)
    assert nda.title not in answer_of(run).content
