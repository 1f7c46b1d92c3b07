"""Reviews of contracts on their page: begun, watched, read beside the document, filtered, decided and deleted."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from contracts.clauses.parsed_contract import ContractPage
from contracts.models import ContractReview, Decision, Finding, ReviewState
from contracts.review.run_review import run_review
from conversations.models import Project
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from tests.contracts.conftest import nda, queued, reviewed
from tests.contracts.documents import give_contract
from tests.contracts.review.test_contract_language import GERMAN
from tests.workspace.conftest import read_text
from tests.workspace.test_conversations import shown
from workspace.review_page import FindingFilter, marked_pages, risk_grid

__all__ = ["nda", "queued", "reviewed"]
pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


def address_of(review: ContractReview) -> str:
    return f"/contracts/reviews/{review.pk}"


def test_a_document_is_reviewed_against_a_chosen_playbook(alice: User, nda: Document, browse: Browse) -> None:
    Document.objects.filter(pk=nda.pk).update(knowledge_base=personal_knowledge_base(alice))
    client, address = browse(alice), f"/knowledge/documents/{nda.pk}/review"
    assert f'href="{address}"' in shown(client, "/knowledge")
    assert '<option value="nda-checklist">' in shown(client, address)
    assert client.post(address, {"playbook": "nothing"}).status_code == 400
    assert not ContractReview.objects.exists()
    response = client.post(address, {"playbook": "nda-checklist", "side": "recipient"})
    review = ContractReview.objects.get()
    assert response["Location"] == address_of(review)
    assert f'href="{address_of(review)}"' in shown(client, "/knowledge")
    assert (review.document, review.playbook_key, review.side) == (nda, "nda-checklist", "recipient")


def test_only_playbooks_that_a_review_may_quote_are_offered(alice: User, nda: Document, browse: Browse) -> None:
    project = Project.objects.create_with_base(owner=alice, name="Aldgate")
    Document.objects.filter(pk=nda.pk).update(is_template=True, doc_type="playbook")
    offered = f'<option value="{nda.pk}">'
    for base, is_offered in ((personal_knowledge_base(alice), True), (project.knowledge_base, False)):
        contract = Document.objects.create(knowledge_base=base, title="Contract", source_type="md")
        place = "/knowledge" if is_offered else f"/projects/{project.pk}"
        assert (offered in shown(browse(alice), f"{place}/documents/{contract.pk}/review")) is is_offered


def test_a_finding_quotes_both_beside_the_marked_document(
    alice: User, reviewed: ContractReview, browse: Browse
) -> None:
    page = unescape(shown(browse(alice), address_of(reviewed)))
    findings, text = page.split('id="contract-text"')
    for finding in reviewed.findings.all():
        assert f'id="finding-{finding.number}"' in findings
        for span in (*finding.contract_spans, *finding.playbook_spans):
            assert f"<blockquote>{span['text']}</blockquote>" in findings
        if finding.contract_spans:
            assert f'id="quote-{finding.number}"' in text
            assert f'href="#finding-{finding.number}"' in text
    assert reviewed.summary in findings
    assert f'href="/api/contract-reviews/{reviewed.pk}/export?format=html"' in findings


def test_jl_052_a_contract_in_another_language_says_what_it_needs(alice: User, browse: Browse) -> None:
    document = give_contract(alice, title="NDA", text=GERMAN)
    Document.objects.filter(pk=document.pk).update(knowledge_base=personal_knowledge_base(alice))
    response = browse(alice).post(f"/knowledge/documents/{document.pk}/review", {"playbook": "nda-checklist"})
    assert response.status_code == 400
    assert "another language. It needs a language model" in response.content.decode()


def test_where_a_model_and_the_rules_differ_the_page_and_the_api_say_so(
    alice: User, reviewed: ContractReview, browse: Browse
) -> None:
    opinion = {
        "model": "openai:judge-1",
        "verdict": "denied",
        "classification": "YELLOW",
        "contract": [],
        "playbook": [],
        "rulesVerdict": "preferred",
        "rulesClassification": "GREEN",
        "agrees": False,
        "counts": True,
        "problem": "",
        "isUnanswered": False,
    }
    reviewed.findings.filter(number=1).update(model_opinion=opinion)
    remark = (
        "openai:judge-1 says YELLOW (differs from what the playbook wants), and that counts. The rules alone say GREEN"
    )
    assert remark in shown(browse(alice), address_of(reviewed))
    first, second, *_ = browse(alice).get(f"/api/contract-reviews/{reviewed.pk}").json()["findings"]
    assert first["model"] == opinion
    assert first["modelRemark"].startswith(remark)
    assert (second["model"], second["modelRemark"]) == (None, "")


def test_findings_come_as_they_are_made(alice: User, queued: ContractReview, browse: Browse) -> None:
    client = browse(alice)
    page = shown(client, address_of(queued))
    assert f"0 of {queued.positions_total} positions" in page
    assert "The first finding comes in a moment." in page
    assert 'hx-trigger="every 2s"' in page
    filtered = client.get(f"{address_of(queued)}?class=RED").content.decode()
    assert f'hx-get="{address_of(queued)}/findings?class=RED"' in filtered
    run_review(ContractReview.objects.get(pk=queued.pk))
    ContractReview.objects.filter(pk=queued.pk).update(state=ReviewState.RUNNING)
    part = client.get(f"{address_of(queued)}/findings")
    assert 'id="finding-1"' in part.content.decode()
    assert 'id="review-state" hx-swap-oob="true"' in part.content.decode()
    assert "HX-Refresh" not in part
    # While it is made nothing is decided: the list is replaced every two seconds.
    assert 'name="decision"' not in part.content.decode()
    ContractReview.objects.filter(pk=queued.pk).update(state=ReviewState.DONE)
    assert client.get(f"{address_of(queued)}/findings")["HX-Refresh"] == "true"


def test_a_review_that_failed_says_why(alice: User, queued: ContractReview, browse: Browse) -> None:
    queued.fail(code="unfit_playbook", error="The playbook has no positions.")
    assert "The playbook has no positions." in shown(browse(alice), address_of(queued))


def test_a_failed_review_is_tried_again_by_whoever_may_change_it(
    alice: User, bob: User, dana: User, shared: Project, queued: ContractReview, browse: Browse
) -> None:
    Document.objects.filter(pk=queued.document_id).update(knowledge_base=shared.knowledge_base)
    address = f"{address_of(queued)}/retry"
    queued.fail(code="review_interrupted", error="The worker ended.")
    assert f'action="{address}"' in shown(browse(bob), address_of(queued))
    assert f'action="{address}"' not in shown(browse(dana), address_of(queued))
    assert browse(dana).post(address).status_code == 403
    assert browse(bob).post(address)["Location"] == address_of(queued)
    queued.refresh_from_db()
    assert (queued.state, queued.error) == (ReviewState.QUEUED, "")
    ContractReview.objects.update(state=ReviewState.DONE)
    assert "Only a failed review can be retried." in browse(bob).post(address, follow=True).content.decode()


def test_two_versions_are_compared_and_both_quoted(alice: User, browse: Browse) -> None:
    project = Project.objects.create_with_base(owner=alice, name="Aldgate")
    text = "# Services Agreement\n\n## 1 Liability\n\nThe liability of the Supplier is limited to {} of the fees.\n"
    before, now = (
        read_text(project.knowledge_base, title, text.format(cap))
        for title, cap in (("First draft", "twice the amount"), ("Second draft", "ten times the amount"))
    )
    client, root = browse(alice), f"/projects/{project.pk}"
    address = f"{root}/documents/{now.pk}/compare"
    assert f'href="{address}"' in shown(client, root)
    page = shown(client, address)
    assert f'<option value="{before.pk}">First draft</option>' in page
    assert f'<option value="{now.pk}">' not in page
    for wrong in ("", str(now.pk), "x"):
        assert client.post(address, {"compare_with": wrong}).status_code == 400
    assert not ContractReview.objects.exists()
    response = client.post(address, {"compare_with": str(before.pk)})
    review = ContractReview.objects.get()
    assert (review.document, review.compared_document) == (now, before)
    run_review(review)
    page = shown(client, response["Location"])
    assert "Compared with <bdi>First draft</bdi>" in page
    for words, head in (("twice the amount", "Before"), ("ten times the amount", "Now")):
        assert words in page.split(f'class="kicker">{head}<')[1].split("</blockquote>")[0]


def test_nothing_is_compared_where_there_is_one_document(alice: User, project: Project, browse: Browse) -> None:
    page = shown(browse(alice), f"/projects/{project.pk}")
    assert "/review" in page
    assert "/compare" not in page


def test_what_one_looks_for_can_be_compared_with_documents_that_are_not_listed(
    alice: User, project: Project, browse: Browse
) -> None:
    other = read_text(project.knowledge_base, "Draft", "Marrow Ltd pays nothing.")
    client, found = browse(alice), f"/projects/{project.pk}?title=Settlement"
    page = shown(client, found)
    assert (page.count("/compare"), str(other.pk) in page.split('id="documents"')[1]) == (1, False)
    Document.objects.filter(pk=other.pk).update(is_template=True)
    for address in (found, f"/projects/{project.pk}"):
        assert f"{Document.objects.get(title='Settlement').pk}/compare" not in shown(client, address)


def test_a_finding_is_decided_and_the_decision_taken_back(
    alice: User, reviewed: ContractReview, browse: Browse
) -> None:
    client, address = browse(alice), f"{address_of(reviewed)}/findings/1"
    response = client.post(address, {"decision": "accepted", "note": "Ours."})
    assert response["Location"] == f"{address_of(reviewed)}#finding-1"
    finding = reviewed.findings.get(number=1)
    assert (finding.decision, finding.note, finding.decided_by) == (Decision.ACCEPTED, "Ours.", alice)
    part = client.post(address, {"decision": ""}, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith("<article")
    assert f"{reviewed.findings.count()} not decided yet" in part
    assert 'data-key="a"' in part
    client.post(address, {"decision": "burn it"})
    assert reviewed.findings.get(number=1).decision == ""
    assert client.post(f"{address_of(reviewed)}/findings/99999", {"decision": "accepted"}).status_code == 404


def test_findings_are_filtered_by_class_and_decision(alice: User, reviewed: ContractReview, browse: Browse) -> None:
    first = reviewed.findings.get(number=1)
    first.decide(Decision.DISMISSED, note="", by=alice)
    client = browse(alice)
    dismissed = shown(client, address_of(reviewed), decision="dismissed")
    assert 'id="finding-1"' in dismissed
    assert 'id="finding-2"' not in dismissed
    open_ones = shown(client, address_of(reviewed), decision="open")
    assert 'id="finding-1"' not in open_ones
    other = shown(client, address_of(reviewed), **{"class": "no class"})
    assert 'id="finding-1"' in other
    assert FindingFilter.read({"class": "RED", "decision": "x"}) == FindingFilter(classification="RED")


def test_quotations_that_overlap_are_marked_once_each() -> None:
    page = ContractPage(id=7, number=1, text="The term is five years and renews.")
    spans = [[{"pageId": 7, "start": 0, "end": 22}], [{"pageId": 7, "start": 12, "end": 33}]]
    findings = [Finding(number=number, contract_spans=span) for number, span in enumerate(spans, start=1)]
    [marked] = marked_pages([page], findings)
    assert "".join(piece.text for piece in marked.pieces) == page.text
    assert [(piece.text, piece.quoted_by) for piece in marked.pieces] == [
        ("The term is ", (1,)),
        ("five years", (1, 2)),
        (" and renews", (2,)),
        (".", ()),
    ]
    assert [piece.anchors for piece in marked.pieces] == [(1,), (2,), (), ()]
    assert [piece.ends for piece in marked.pieces] == [(), (1,), (2,), ()]


def test_the_risk_grid_has_a_cell_for_each_severity_and_likelihood() -> None:
    finding = Finding(number=1, severity=5, likelihood=3)
    rows = risk_grid([finding])
    assert [severity for severity, _ in rows] == [5, 4, 3, 2, 1]
    assert [cell.score for cell in rows[0][1]] == [5, 10, 15, 20, 25]
    assert [cell.level for cell in rows[0][1]] == ["YELLOW", "ORANGE", "ORANGE", "RED", "RED"]
    assert rows[0][1][2].findings == (finding,)
    assert sum(len(cell.findings) for _, cells in rows for cell in cells) == 1


def test_a_viewer_reads_and_a_stranger_finds_nothing(
    dana: User, charlie: User, shared: Project, reviewed: ContractReview, browse: Browse
) -> None:
    Document.objects.filter(pk=reviewed.document_id).update(knowledge_base=shared.knowledge_base)
    address = address_of(reviewed)
    page = shown(browse(dana), address)
    assert 'id="finding-1"' in page
    assert 'method="post"' not in page
    for below in ("/findings/1", "/delete"):
        assert browse(dana).post(address + below, {"decision": "accepted"}).status_code == 403
    for below in ("", "/findings", "/delete"):
        assert browse(charlie).get(address + below).status_code == 404
    for below in ("/findings/1", "/delete"):
        assert browse(charlie).post(address + below, {"decision": "accepted"}).status_code == 404
    assert not Finding.objects.decided().exists()


def test_a_review_is_deleted_once_that_is_confirmed(alice: User, reviewed: ContractReview, browse: Browse) -> None:
    address = f"{address_of(reviewed)}/delete"
    assert "0 decisions" in shown(browse(alice), address)
    assert browse(alice).post(address)["Location"] == "/knowledge"
    assert not ContractReview.objects.exists()
    assert Document.objects.present().exists()


def test_the_number_of_statements_does_not_grow(alice: User, reviewed: ContractReview, browse: Browse) -> None:
    client, counts = browse(alice), []
    everything = reviewed.findings.count()
    for keep in (everything, 1):
        reviewed.findings.filter(number__gt=keep).delete()
        with CaptureQueriesContext(connection) as asked:
            shown(client, address_of(reviewed))
        counts.append(len(asked))
    assert everything > 3
    assert counts[0] == counts[1] <= 14
