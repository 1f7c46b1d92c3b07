from __future__ import annotations

import io

import pytest

from accounts.models import User
from contracts.models import ContractReview
from contracts.review.run_review import run_review
from contracts.review.start_review import start_review
from contracts.tasks import resume_reviews
from knowledge.documents.lifecycle import replace_file
from knowledge.ingest import ingest
from knowledge.models import Document, Page, Revision, RevisionPin
from knowledge.prune import prune_knowledge_base
from tests.contracts.documents import NDA, give_contract


def replace_contract(document: Document, text: str) -> None:
    """A new version of it, and everything that nothing holds is gone."""
    replace_file(document, file_name="new.md", stream=io.BytesIO(text.encode()), enqueue=False)
    ingest(document.pk)
    Revision.objects.update(created_at="2020-01-01T00:00:00Z")
    prune_knowledge_base(document.knowledge_base)


def test_what_a_review_quotes_outlives_a_new_version(reviewed: ContractReview) -> None:
    before = list(reviewed.findings.values())
    replace_contract(reviewed.document, NDA.replace("three (3)", "nine (9)"))
    texts = dict(Page.objects.filter(document=reviewed.document).values_list("pk", "text"))
    spans = [span for one in reviewed.findings.all() for span in one.contract_spans]
    assert all(texts[span["pageId"]][span["start"] : span["end"]] == span["text"] for span in spans)
    reviewed.findings.all().delete()
    run_review(ContractReview.objects.get(pk=reviewed.pk))
    assert [one["reason"] for one in reviewed.findings.values()] == [one["reason"] for one in before]


@pytest.mark.parametrize("silently", [False, True])
def test_a_deleted_review_holds_nothing(reviewed: ContractReview, silently: bool) -> None:
    document = reviewed.document
    assert RevisionPin.objects.filter(holder=reviewed.pk).count() == 1
    if silently:
        ContractReview.objects.filter(pk=reviewed.pk).delete()
        resume_reviews()
    else:
        reviewed.delete()
    assert not RevisionPin.objects.exists()
    replace_contract(document, NDA.replace("three (3)", "nine (9)"))
    assert document.pages.count() == 1


def test_without_a_playbook_the_one_that_fits_is_taken(nda: Document, alice: User) -> None:
    services = give_contract(alice, title="Services", text="# Services agreement\n\n1. The supplier works.\n")
    keys = [start_review(one, by=alice, principal=alice).playbook_key for one in (nda, services)]
    assert keys == ["nda-checklist", "services-agreement"]
