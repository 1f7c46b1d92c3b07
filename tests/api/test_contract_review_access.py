"""Who sees, changes and loses a contract review: private playbooks, keys, people who leave, and what is deleted."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from accounts.models import User
from contracts.models import ContractReview, Finding
from contracts.review import position_judge as module
from contracts.review.start_review import start_review
from contracts.tasks import make_review
from conversations.models import Project
from knowledge.documents.lifecycle import add_text, delete_document
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase, RevisionPin
from knowledge.personal_knowledge_base import personal_knowledge_base
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin
from privacy.account_deletion import account_deletion, delete_account
from privacy.document_deletion import delete_private_document
from privacy.project_deletion import delete_project
from tests.api.callers import assert_error, by_key, signed_in
from tests.contracts.documents import NDA
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
REVIEWS = "/api/contract-reviews"
PLAYBOOK = """## Term

How long it lasts.

- Preferred: This Agreement remains in force for three years from its date.
- Severity: 4
- Likelihood: 3
- Suggestion: We give in at seven years.
"""


@pytest.fixture
@remembered
def project(alice: User, bob: User) -> Project:
    """Alice's, which Bob reads."""
    project = Project.objects.create_with_base(owner=alice, name="Aldgate")
    project.set_members({bob.email: "viewer"})
    return project


@pytest.fixture
@remembered
def playbook(project: Project) -> Document:
    """The project's."""
    return give(project.knowledge_base, "Ours", PLAYBOOK, is_playbook=True)


@pytest.fixture
@remembered
def bobs(bob: User) -> Document:
    return give(personal_knowledge_base(bob), "Mine", NDA)


def give(base: KnowledgeBase, title: str, text: str, *, is_playbook: bool = False) -> Document:
    document = add_text(knowledge_base=base, title=title, text=text, enqueue=False).document
    if is_playbook:
        Document.objects.filter(pk=document.pk).update(is_template=True, doc_type="playbook")
    ingest(document.pk)
    return Document.objects.select_related("knowledge_base").get(pk=document.pk)


def reviewed(document: Document, by: User, playbook: Document | None = None) -> ContractReview:
    started = start_review(document, by=by, principal=by, playbook=str(playbook.pk) if playbook else "")
    make_review(review_id=str(started.pk))
    return ContractReview.objects.get(pk=started.pk)


def begin(client: APIClient, document: Document, playbook: Document) -> Any:
    return client.post(REVIEWS, {"documentId": str(document.pk), "playbook": str(playbook.pk)}, format="json")


# --- Private playbooks --------------------------------------------------------------------------------------------


def test_whoever_may_no_longer_open_a_playbook_reads_nothing_of_it(
    project: Project, playbook: Document, bobs: Document, bob: User
) -> None:
    url = f"{REVIEWS}/{reviewed(bobs, bob, playbook).pk}"
    client = signed_in(bob)
    assert "in force for three years from" in client.get(url).content.decode()
    project.set_members({})
    for address in (url, f"{url}/export?format=markdown"):
        assert_error(client.get(address), 404, "unknown_review")
    assert client.get(REVIEWS).json()["results"] == []
    assert_error(client.delete(url), 404, "unknown_review")


@pytest.mark.parametrize("what", ["project", "playbook"])
def test_a_deleted_private_playbook_takes_the_reviews_by_it(
    project: Project, playbook: Document, bobs: Document, bob: User, what: str
) -> None:
    reviewed(bobs, bob, playbook)
    if what == "project":
        delete_project(project)
    else:
        delete_private_document(playbook)
    assert not ContractReview.objects.exists()
    assert not RevisionPin.objects.exists()
    assert Document.objects.present().filter(pk=bobs.pk).exists()


def test_a_private_playbook_that_was_removed_elsewhere_hides_its_reviews(
    playbook: Document, bobs: Document, bob: User
) -> None:
    url = f"{REVIEWS}/{reviewed(bobs, bob, playbook).pk}"
    delete_document(playbook)
    assert_error(signed_in(bob).get(url), 404, "unknown_review")


def test_a_private_playbook_is_not_quoted_where_others_read(project: Project, alice: User) -> None:
    own = give(personal_knowledge_base(alice), "Own", PLAYBOOK, is_playbook=True)
    contract = give(project.knowledge_base, "Contract", NDA)
    error = assert_error(begin(signed_in(alice), contract, own), 422, "private_playbook")
    assert "Add the playbook where the document is" in str(error)
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    plugins = give(own_knowledge_base(Plugin.objects.create(owner=alice, slug="desk", name="Desk")), "Public", NDA)
    assert_error(begin(signed_in(User.objects.get(pk=alice.pk)), plugins, own), 422, "private_playbook")
    assert not ContractReview.objects.exists()


# --- Keys -----------------------------------------------------------------------------------------------------------


def test_a_key_without_author_reads_and_changes_nothing(bobs: Document, bob: User) -> None:
    url = f"{REVIEWS}/{reviewed(bobs, bob).pk}"
    before = list(ContractReview.objects.values()), list(Finding.objects.values())
    reader = by_key(bob, "query", "read")
    assert reader.get(url).status_code == 200
    for answer in (
        reader.post(REVIEWS, {"documentId": str(bobs.pk)}, format="json"),
        reader.patch(f"{url}/findings/1", {"decision": "dismissed"}, format="json"),
        reader.delete(url),
    ):
        assert_error(answer, 403, "missing_capability")
    assert (list(ContractReview.objects.values()), list(Finding.objects.values())) == before
    author = by_key(bob, "query", "read", "author")
    assert author.patch(f"{url}/findings/1", {"decision": "dismissed"}, format="json").status_code == 200
    assert author.delete(url).status_code == 204


def test_a_limited_key_sees_no_review_at_all(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    alice.refresh_from_db()
    plugin = Plugin.objects.create(owner=alice, slug="desk", name="Desk")
    review = reviewed(give(own_knowledge_base(plugin), "Public", NDA), alice)
    limited, url = by_key(alice, "query", "read", "author", plugins=[plugin]), f"{REVIEWS}/{review.pk}"
    assert signed_in(alice).get(url).status_code == 200
    assert limited.get(REVIEWS).json()["results"] == []
    for answer in (
        limited.get(url),
        limited.delete(url),
        limited.patch(f"{url}/findings/1", {"decision": "dismissed"}, format="json"),
    ):
        assert_error(answer, 404, "unknown_review")
    assert ContractReview.objects.filter(pk=review.pk).exists()


# --- Deletion while a worker makes it -------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["review", "private document", "document"])
def test_a_review_that_is_deleted_while_it_is_made_ends_quietly(
    bobs: Document, bob: User, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    review = start_review(bobs, by=bob, principal=bob)
    judge, judged = module.judge_position, []

    def delete_and_judge(*args: object, **kwargs: object) -> object:
        judged.append(args)
        if what == "review":
            review.delete()
        elif what == "document":
            delete_document(bobs)
        else:
            delete_private_document(bobs)
        return judge(*args, **kwargs)

    monkeypatch.setattr(module, "judge_position", delete_and_judge)
    make_review(review_id=str(review.pk))
    connection.check_constraints()
    assert len(judged) == 1
    assert not Finding.objects.exists()
    assert not ContractReview.objects.filter(state="done").exists()
    assert ContractReview.objects.exists() is (what == "document")


# --- People who leave -----------------------------------------------------------------------------------------------


def test_reviews_of_others_documents_outlive_an_account_without_a_name(
    project: Project, bobs: Document, alice: User, bob: User
) -> None:
    project.set_members({bob.email: "editor"})
    kept, own = reviewed(give(project.knowledge_base, "Contract", NDA), bob), reviewed(bobs, bob)
    kept.findings.get(number=1).decide("accepted", note="Agreed.", by=alice)
    counted = account_deletion(bob)
    assert (counted.contract_reviews, counted.contract_reviews_left) == (1, 1)
    delete_account(bob)
    [left] = ContractReview.objects.all()
    assert (left.pk, left.created_by, left.findings.get(number=1).note) == (kept.pk, None, "Agreed.")
    assert not RevisionPin.objects.filter(holder=own.pk).exists()
    assert signed_in(alice).get(f"{REVIEWS}/{kept.pk}").status_code == 200
