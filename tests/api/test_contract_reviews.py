"""Contract reviews over the API: who may begin, see, decide and delete them, and what comes out."""

from __future__ import annotations

import csv
import io
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.models import User
from accounts.rate_limits import MINUTE
from contracts.models import ContractReview, Finding
from contracts.playbook import playbook_sources
from contracts.playbook.parse_playbook import parse_playbook
from contracts.playbook.playbook_types import Playbook
from contracts.review.start_review import start_review
from contracts.tasks import make_review, resume_reviews
from conversations.models import Project
from knowledge.documents.lifecycle import add_text, delete_document
from knowledge.ingest import ingest
from knowledge.models import Document
from knowledge.readers.formats import DOCX_MEDIA_TYPE
from privacy.account_deletion import delete_account
from privacy.project_deletion import delete_project
from querying.question import user_limits
from tests.api.callers import assert_error, by_key, signed_in
from tests.contracts.documents import NDA
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
REVIEWS = "/api/contract-reviews"


@pytest.fixture
@remembered
def project(alice: User, bob: User) -> Project:
    """Alice's, which Bob reads."""
    project = Project.objects.create_with_base(owner=alice, name="Aldgate")
    project.set_members({bob.email: "viewer"})
    return project


@pytest.fixture
@remembered
def contract(project: Project) -> Document:
    return give(project, "Aldgate NDA", NDA)


def give(project: Project, title: str, text: str, **columns: Any) -> Document:
    document = add_text(knowledge_base=project.knowledge_base, title=title, text=text, enqueue=False).document
    ingest(document.pk)
    Document.objects.filter(pk=document.pk).update(**columns)
    document.refresh_from_db()
    return document


def begin(client: APIClient, document: Document, **fields: Any) -> str:
    """The address of a review that is done."""
    answer = client.post(REVIEWS, {"documentId": str(document.pk), **fields}, format="json")
    assert answer.status_code == 202, answer.content
    make_review(review_id=answer.json()["id"])
    return str(answer["Location"])


@pytest.fixture
@remembered
def review(contract: Document, alice: User) -> ContractReview:
    started = start_review(contract, by=alice, principal=alice)
    make_review(review_id=str(started.pk))
    started.refresh_from_db()
    return started


def address(review: ContractReview) -> str:
    return f"{REVIEWS}/{review.pk}"


def test_a_review_is_begun_made_shown_listed_and_deleted(contract: Document, alice: User) -> None:
    client = signed_in(alice)
    answer = client.post(REVIEWS, {"documentId": str(contract.pk), "side": "recipient"}, format="json")
    body = answer.json()
    assert (answer.status_code, body["state"], body["progress"]) == (202, "queued", "0 of 10 positions")
    assert (body["kind"], body["side"], body["playbook"]) == ("nda", "recipient", "nda-checklist")
    make_review(review_id=body["id"])
    shown = client.get(answer["Location"]).json()
    assert (shown["state"], shown["progress"], len(shown["findings"])) == ("done", "10 of 10 positions", 10)
    assert shown["classification"] in ("GREEN", "YELLOW", "RED")
    assert [one["id"] for one in client.get(REVIEWS).json()["results"]] == [body["id"]]
    other = str(uuid.uuid4())
    assert client.get(f"{REVIEWS}?documentId={other}").json()["results"] == []
    assert client.delete(answer["Location"]).status_code == 204
    assert_error(client.get(answer["Location"]), 404, "unknown_review")


def test_jl_048_the_report_of_an_nda(review: ContractReview, alice: User) -> None:
    report = signed_in(alice).get(address(review)).json()["report"]
    assert {"title", "summary", "classification", "checklistResults", "recommendedAction"} <= report.keys()
    assert [one["position"] for one in report["checklistResults"]][:2] == ["Structure", "Definition"]


def test_jl_049_the_report_of_a_contract(contract: Document, alice: User) -> None:
    client = signed_in(alice)
    shown = client.get(begin(client, contract, playbook="services-agreement")).json()
    assert (shown["kind"], shown["playbookName"]) == ("contract", "Services agreement")
    assert {"title", "summary", "classification", "findings", "recommendedAction"} <= shown["report"].keys()
    assert len(shown["report"]["findings"]) == len(shown["findings"]) == 12


def test_jl_053_reviews_are_kept_with_the_playbook_as_it_stood(review: ContractReview, alice: User) -> None:
    assert "structure" not in signed_in(alice).get(address(review)).json()
    shown = signed_in(alice).get(f"{address(review)}?include=structure").json()
    assert (shown["revision"], shown["playbookSha256"]) == (review.revision, review.playbook_sha256)
    assert [clause["number"] for clause in shown["structure"]["clauses"]] == ["", "1.1", "1.2", "2", "3", "4", "5"]


def test_a_decision_is_kept_and_taken_back(review: ContractReview, alice: User) -> None:
    client, url = signed_in(alice), f"{address(review)}/findings/3"
    decided = client.patch(url, {"decision": "dismissed", "note": "Agreed by mail."}, format="json").json()
    assert (decided["decision"], decided["note"], decided["number"]) == ("dismissed", "Agreed by mail.", 3)
    assert Finding.objects.get(number=3).decided_by == alice
    taken_back = client.patch(url, {"decision": None}, format="json").json()
    assert (taken_back["decision"], taken_back["note"], taken_back["decidedAt"]) == (None, "Agreed by mail.", None)
    assert Finding.objects.get(number=3).decided_by is None
    assert_error(
        client.patch(f"{address(review)}/findings/11", {"decision": None}, format="json"), 404, "unknown_finding"
    )


@pytest.mark.parametrize(
    "body",
    [{}, {"decision": "perhaps"}, {"decision": "accepted", "note": 5}, {"decision": "accepted", "by": "bob"}],
)
def test_decisions_are_strict(review: ContractReview, alice: User, body: dict[str, Any]) -> None:
    before = list(Finding.objects.values())
    assert_error(signed_in(alice).patch(f"{address(review)}/findings/1", body, format="json"), 400, "invalid")
    assert list(Finding.objects.values()) == before


@pytest.mark.parametrize(
    "fields", [{"documentId": 5}, {"documentId": "x"}, {"playbook": 7}, {"side": "x" * 61}, {"reviewer": "me"}]
)
def test_requests_are_strict(contract: Document, alice: User, fields: dict[str, Any]) -> None:
    body = {"documentId": str(contract.pk), **fields}
    assert_error(signed_in(alice).post(REVIEWS, body, format="json"), 400, "invalid")
    assert not ContractReview.objects.exists()


def test_a_viewer_reads_and_changes_nothing(review: ContractReview, contract: Document, bob: User) -> None:
    for client in (signed_in(bob), by_key(bob, "query", "read", "author")):
        before = list(ContractReview.objects.values()), list(Finding.objects.values())
        assert any(one["contract"] for one in client.get(address(review)).json()["findings"])
        assert client.get(f"{address(review)}/export?format=markdown").status_code == 200
        body = {"documentId": str(contract.pk)}
        assert_error(client.post(REVIEWS, body, format="json"), 403, "read_only")
        decision = {"decision": "accepted"}
        assert_error(client.patch(f"{address(review)}/findings/1", decision, format="json"), 403, "read_only")
        assert_error(client.delete(address(review)), 403, "read_only")
        assert (list(ContractReview.objects.values()), list(Finding.objects.values())) == before


def test_a_stranger_finds_nothing(review: ContractReview, contract: Document, charlie: User) -> None:
    playbook = give(contract.knowledge_base.project, "Ours", "## Term\n", is_template=True, doc_type="playbook")
    for client in (signed_in(charlie), by_key(charlie)):
        assert_error(client.get(address(review)), 404, "unknown_review")
        assert_error(client.get(f"{address(review)}/export"), 404, "unknown_review")
        assert_error(client.delete(address(review)), 404, "unknown_review")
        body = {"documentId": str(contract.pk)}
        assert_error(client.post(REVIEWS, body, format="json"), 404, "unknown_document")
        assert client.get(REVIEWS).json()["results"] == []
        assert str(playbook.pk) not in client.get("/api/playbooks").content.decode()


def test_a_key_needs_to_ask_and_read_and_no_list_of_plugins(review: ContractReview, alice: User) -> None:
    assert_error(by_key(alice, "query").get(address(review)), 403, "missing_capability")
    assert_error(by_key(alice, "read").get(address(review)), 403, "missing_capability")
    assert by_key(alice, "query", "read").get(address(review)).status_code == 200


def test_a_playbook_of_ones_own_and_what_does_not_fit(contract: Document, project: Project, alice: User) -> None:
    fit = give(
        project,
        "Own",
        "## Term\n\n- Preferred: It lasts two years.\n- Severity: 2\n- Likelihood: 2\n",
        is_template=True,
        doc_type="playbook",
    )
    unfit = give(project, "Broken", "## Term\n\n- Preferred: x\n", is_template=True, doc_type="playbook")
    client = signed_in(alice)
    shown = client.get(begin(client, contract, playbook=str(fit.pk))).json()
    assert (shown["playbookName"], shown["positionsTotal"]) == ("Own", 1)
    body = {"documentId": str(contract.pk), "playbook": str(unfit.pk)}
    error = assert_error(client.post(REVIEWS, body, format="json"), 422, "unfit_playbook")
    assert error["error"] == "Line 1, position “Term”: severity is a whole number from 1 to 5."
    assert_error(client.post(REVIEWS, {**body, "playbook": "none"}, format="json"), 404, "unknown_playbook")
    assert ContractReview.objects.count() == 1
    listed = client.get("/api/playbooks").json()["results"]
    assert {one["name"]: one["problem"] != "" for one in listed} == {
        "NDA checklist": False,
        "Services agreement": False,
        "Own": False,
        "Broken": True,
    }


def test_a_document_that_is_still_read_waits(project: Project, alice: User) -> None:
    waiting = add_text(knowledge_base=project.knowledge_base, title="New", text="1. One.", enqueue=False).document
    answer = signed_in(alice).post(REVIEWS, {"documentId": str(waiting.pk)}, format="json")
    assert_error(answer, 409, "document_not_ready")


def test_a_contract_that_is_too_long_is_refused(
    contract: Document, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.review.start_review.MAX_CONTRACT_CHARACTERS", 100)
    answer = signed_in(alice).post(REVIEWS, {"documentId": str(contract.pk)}, format="json")
    assert_error(answer, 413, "too_large")


def test_an_account_has_so_many_reviews(review: ContractReview, contract: Document, alice: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_reviews": 1}
    answer = signed_in(alice).post(REVIEWS, {"documentId": str(contract.pk)}, format="json")
    assert_error(answer, 409, "too_many_reviews")


def test_an_account_has_a_few_reviews_made_at_once(contract: Document, alice: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_unfinished_reviews": 1}
    client, body = signed_in(alice), {"documentId": str(contract.pk)}
    begun = client.post(REVIEWS, body, format="json")
    assert_error(client.post(REVIEWS, body, format="json"), 429, "too_many_unfinished_reviews")
    make_review(review_id=begun.json()["id"])
    assert client.post(REVIEWS, body, format="json").status_code == 202


def test_a_person_begins_so_many_reviews_a_minute(
    contract: Document, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_limits, "USER_LIMITS", {MINUTE: 1})
    client, body = signed_in(alice), {"documentId": str(contract.pk)}
    assert client.post(REVIEWS, body, format="json").status_code == 202
    assert_error(client.post(REVIEWS, body, format="json"), 429, "rate_limited")
    assert ContractReview.objects.count() == 1


def test_a_failed_review_is_tried_again(review: ContractReview, alice: User, bob: User) -> None:
    url, client = f"{address(review)}/retry", signed_in(alice)
    assert_error(client.post(url), 409, "review_not_failed")
    review.findings.filter(number__gt=3).delete()
    review.fail(code="embedder_unavailable", error="Away.")
    ContractReview.objects.update(starts=4, outages=60)
    assert_error(signed_in(bob).post(url), 403, "read_only")
    for _ in range(2):
        again = client.post(url)
        assert (again.status_code, again.json()["state"], again.json()["error"]) == (202, "queued", "")
    kept = list(review.findings.values())
    make_review(review_id=str(review.pk))
    review.refresh_from_db()
    assert (review.state, review.starts, review.findings.count()) == ("done", 0, 10)
    assert list(review.findings.values())[:3] == kept


# --- Files -----------------------------------------------------------------------------------------------------


def export(client: APIClient, review: ContractReview, name: str) -> str:
    answer = client.get(f"{address(review)}/export?format={name}")
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment")
    return str(answer.content.decode("utf-8-sig"))


def test_obligations_and_dates_are_a_quoted_table(review: ContractReview, alice: User) -> None:
    rows = list(csv.DictReader(io.StringIO(export(signed_in(alice), review, "csv"))))
    page = review.document.pages.get()
    assert rows
    assert all(page.text[int(row["start"]) : int(row["end"])].split() == row["text"].split() for row in rows)
    by_text = {row["text"]: row for row in rows}
    [returned] = [row for text, row in by_text.items() if text.startswith("On request the Receiving Party shall")]
    assert (returned["kind"], returned["date_or_period"], returned["clause"]) == (
        "obligation",
        "30 days",
        "4 Return of information",
    )
    assert any(row["kind"] == "period" and row["date_or_period"] == "3 years" for row in rows)


def test_a_review_without_obligations_has_no_table(review: ContractReview, alice: User) -> None:
    ContractReview.objects.update(obligations=None)
    assert_error(signed_in(alice).get(f"{address(review)}/export?format=csv"), 409, "obligations_not_kept")


def test_what_a_contract_says_is_text_in_every_format(project: Project, alice: User) -> None:
    hostile = NDA.replace("The Receiving Party shall keep", "<script>alert(1)</script> The Receiving Party shall keep")
    sums = ("=HYPERLINK(1) The Buyer", "\uff1dHYPERLINK(2) The Seller")
    hostile += "\n\n## 6. Sums\n" + "".join(f"\n{party} shall pay within ten days.\n" for party in sums)
    client = signed_in(alice)
    begin(client, give(project, "Hostile", hostile))
    review = ContractReview.objects.get()
    for name in ("html", "markdown"):
        assert "<script>" not in export(client, review, name)
    cells = [cell for row in csv.reader(io.StringIO(export(client, review, "csv"))) for cell in row]
    assert {cell[:12] for cell in cells if "HYPERLINK" in cell} == {"'=HYPERLINK(", "'\uff1dHYPERLINK("}


def test_a_review_as_a_word_file(review: ContractReview, alice: User) -> None:
    answer = signed_in(alice).get(f"{address(review)}/export?format=docx")
    assert (answer.status_code, answer["Content-Type"]) == (200, DOCX_MEDIA_TYPE)
    assert answer["Content-Disposition"] == 'attachment; filename="Aldgate NDA.docx"'
    assert answer.content.startswith(b"PK")


def test_another_format_is_refused_and_a_review_that_is_not_done_waits(contract: Document, alice: User) -> None:
    client = signed_in(alice)
    url = client.post(REVIEWS, {"documentId": str(contract.pk)}, format="json")["Location"]
    assert_error(client.get(f"{url}/export?format=pdf"), 400, "invalid")
    assert_error(client.get(f"{url}/export"), 409, "review_not_done")


# --- What goes with what ----------------------------------------------------------------------------------------


def test_a_deleted_document_takes_its_reviews(review: ContractReview, contract: Document, alice: User) -> None:
    delete_document(contract)
    assert_error(signed_in(alice).get(address(review)), 404, "unknown_review")
    resume_reviews()
    assert not ContractReview.objects.exists()
    assert not Finding.objects.exists()


def test_a_deleted_project_takes_them(review: ContractReview, project: Project) -> None:
    delete_project(project)
    assert not ContractReview.objects.exists()


def test_a_deleted_account_takes_them(review: ContractReview, alice: User) -> None:
    delete_account(alice)
    assert not ContractReview.objects.exists()


def test_whoever_was_taken_off_the_project_reads_no_quotation(
    review: ContractReview, project: Project, bob: User
) -> None:
    project.set_members({})
    assert_error(signed_in(bob).get(address(review)), 404, "unknown_review")


def test_a_list_costs_as_much_for_three_as_for_one(review: ContractReview, contract: Document, alice: User) -> None:
    client = signed_in(alice)

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get(REVIEWS).status_code == 200
        return len(captured)

    once = queries()
    for _ in range(2):
        client.post(REVIEWS, {"documentId": str(contract.pk)}, format="json")
    assert len(client.get(REVIEWS).json()["results"]) == 3
    assert queries() == once


def test_playbooks_cost_as_much_for_four_as_for_one_and_are_parsed_once(
    project: Project, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "playbooks"}
    settings.CACHES = {**settings.CACHES, "process": in_memory}
    client, counts, parsed = signed_in(alice), [], []

    def parse(text: str, **options: Any) -> Playbook:
        parsed.append(text)
        return parse_playbook(text, **options)

    monkeypatch.setattr(playbook_sources, "parse_playbook", parse)
    for number in range(1, 5):
        text = f"## Term {number}\n\n- Preferred: It lasts two years.\n- Severity: 2\n- Likelihood: 2\n"
        give(project, f"Own {number}", text, is_template=True, doc_type="playbook")
        with CaptureQueriesContext(connection) as captured:
            listed = client.get("/api/playbooks").json()["results"]
        assert [one["positions"] for one in listed if one["documentId"]] == [1] * number
        counts.append(len(captured))
    assert counts == [counts[0]] * 4
    assert len(parsed) == len(set(parsed)) == 4


# --- Two versions -----------------------------------------------------------------------------------------------


def test_two_versions_are_compared(contract: Document, project: Project, alice: User, bob: User) -> None:
    later = give(project, "Second version", NDA.replace("three (3)", "nine (9)"))
    client = signed_in(alice)
    shown = client.get(begin(client, later, compareWith=str(contract.pk))).json()
    assert (shown["kind"], shown["comparedWith"], len(shown["findings"])) == ("comparison", str(contract.pk), 1)
    [finding] = shown["findings"]
    assert "three (3)" in finding["earlier"][0]["text"]
    assert "nine (9)" in finding["contract"][0]["text"]
    body = {"documentId": str(later.pk), "compareWith": str(later.pk)}
    assert_error(client.post(REVIEWS, body, format="json"), 400, "same_document")


def test_nobody_compares_with_what_they_may_not_read(contract: Document, charlie: User, alice: User) -> None:
    theirs = give(Project.objects.create_with_base(owner=charlie, name="Theirs"), "Theirs", NDA)
    body = {"documentId": str(theirs.pk), "compareWith": str(contract.pk)}
    assert_error(signed_in(charlie).post(REVIEWS, body, format="json"), 404, "unknown_document")
    assert not ContractReview.objects.exists()


def test_a_comparison_is_seen_by_whoever_may_read_both(
    contract: Document, project: Project, alice: User, bob: User
) -> None:
    other = give(Project.objects.create_with_base(owner=alice, name="Other"), "Other", NDA + "\n## 6. More\n\nMore.\n")
    client = signed_in(alice)
    url = begin(client, contract, compareWith=str(other.pk))
    assert client.get(url).status_code == 200
    assert_error(signed_in(bob).get(url), 404, "unknown_review")
    delete_document(other)
    assert_error(client.get(url), 404, "unknown_review")
