"""Which answers quote a document is found by an index, and they go with it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection, models
from django.test import Client

from accounts.models import User
from agents.models import AgentEvent, AgentRun, EventKind, RunState
from contracts.models import ContractReview
from conversations.models import ChatMessage, ChatSession, Project
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase, PinKind, RevisionPin
from knowledge.personal_knowledge_base import personal_knowledge_base
from knowledge.revision_pins import pin_documents
from privacy.document_deletion import delete_private_document
from privacy.plugin_deletion import delete_knowledge_base
from querying.models import Query
from querying.presentation.answer import referenced_document_ids
from tests.api.callers import signed_in

pytestmark = pytest.mark.django_db
SECRET = "The footings of Marrow House get a nominal cover of 75 mm."


def give(base: KnowledgeBase, title: str = "Marrow House", text: str = SECRET) -> Document:
    document = add_text(knowledge_base=base, title=title, text=text, enqueue=False).document
    ingest(document.pk)
    return document


@pytest.fixture
def base(bob: User) -> KnowledgeBase:
    return personal_knowledge_base(bob)


@pytest.fixture
def session(bob: User) -> ChatSession:
    return ChatSession.objects.begin_private(user=bob, project=None, title="Footings")


def answer_quoting(session: ChatSession, document: object, *, key: str = "citations") -> tuple[ChatMessage, Query]:
    """An answer that cites the document, or names it as the nearest, as both are stored."""
    named = [{"documentId": str(document), "excerpt": SECRET}]
    answer = {"outcome": "answered", "answer": SECRET, key: named}
    assert list(referenced_document_ids(answer)) == [str(document)]
    row = Query.objects.create(
        user=session.user,
        is_private=True,
        question="What cover?",
        answer=SECRET,
        citations=named,
        outcome="answered",
        release_name="cover@1.0.0",
    )
    return session.messages.create(role="assistant", content=SECRET, metadata=answer, query_id=row.pk), row


def said(message: ChatMessage, row: Query) -> str:
    message.refresh_from_db()
    row.refresh_from_db()
    return f"{message.content} {message.metadata} {row.answer} {row.citations} {row.question}"


@pytest.mark.parametrize("key", ["citations", "nearest"])
def test_a_deleted_private_document_takes_the_answers_that_quote_it(
    base: KnowledgeBase, session: ChatSession, bob: User, key: str
) -> None:
    document, other = give(base), give(base, "Other house", "The other house gets 20 mm.")
    gone, kept = answer_quoting(session, document.pk, key=key), answer_quoting(session, other.pk, key=key)
    deleted = signed_in(bob).delete(f"/api/knowledge/documents/{document.pk}")
    assert deleted.status_code == 204, deleted.content
    assert SECRET not in said(*gone)
    assert "were deleted" in gone[0].content
    assert gone[1].erased_at
    assert SECRET in said(*kept)


def test_so_does_one_of_a_project_by_the_page(bob: User, session: ChatSession) -> None:
    project = Project.objects.create_with_base(owner=bob, name="Marrow House")
    document = give(project.knowledge_base)
    gone = answer_quoting(session, document.pk)
    client = Client()
    client.force_login(bob)
    page = client.post(f"/projects/{project.pk}/documents/{document.pk}/delete", follow=True)
    assert page.status_code == 200
    assert SECRET not in said(*gone)


def test_a_deleted_base_takes_them_too_and_no_others(base: KnowledgeBase, session: ChatSession) -> None:
    gone, kept = answer_quoting(session, give(base).pk), answer_quoting(session, uuid.uuid4())
    delete_knowledge_base(base)
    assert SECRET not in said(*gone)
    assert SECRET in said(*kept)


def test_so_do_its_reviews_and_the_journals_that_name_it(base: KnowledgeBase, session: ChatSession, bob: User) -> None:
    document, other = give(base), give(base, "Other house", "The other house gets 20 mm.")
    journals = [journal_naming(session, one.pk, base) for one in (document, other)]
    reviews = [
        ContractReview.objects.create(
            document=one, revision=1, created_by=bob, playbook_key="nda-checklist", playbook_name="NDA"
        )
        for one in (document, other)
    ]
    for review in reviews:
        pin_documents(PinKind.REVIEW, review.pk, [document.pk, other.pk])
    delete_private_document(document)
    assert [SECRET in str(list(run.events.values_list("data", flat=True))) for run in journals] == [False, True]
    assert list(ContractReview.objects.all()) == reviews[1:]
    assert [(pin.holder, pin.document) for pin in RevisionPin.objects.all()] == [(reviews[1].pk, other)]


def journal_naming(session: ChatSession, document: object, base: KnowledgeBase) -> AgentRun:
    message = session.messages.create(role="user", content="What cover?")
    run = AgentRun.objects.begin(
        session=session, message=message, release_name="cover@1.0.0", knowledge=[{"knowledge_base": base.pk}]
    )
    AgentRun.objects.filter(pk=run.pk).update(state=RunState.DONE)
    found = {"citations": [{"id": str(document), "summary": SECRET}]}
    AgentEvent.objects.create(run=run, number=99, kind=EventKind.SOURCE, data=found, is_public=True)
    return run


@pytest.mark.parametrize(
    ("rows", "index"),
    [
        (ChatMessage.objects.all(), "chat_message_quoted_documents"),
        (Query.objects.all(), "query_quoted_documents"),
    ],
)
def test_an_index_finds_them(rows: Any, index: str) -> None:
    quoting: models.QuerySet[Any] = rows.quoting([str(uuid.uuid4()), str(uuid.uuid4())]).order_by()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert index in quoting.explain()


def test_an_index_finds_the_private_questions_that_read_a_base() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert "query_private_knowledge" in Query.objects.private().read_from(1).order_by().explain()


def test_nothing_is_named_twice_or_in_vain(session: ChatSession) -> None:
    document = str(uuid.uuid4())
    message, row = answer_quoting(session, document)
    session.messages.create(role="assistant", content="x", metadata={"steps": [{"documentId": None}], "documentId": 7})
    assert list(ChatMessage.objects.quoting([document, str(uuid.uuid4())])) == [message]
    assert list(Query.objects.quoting([document])) == [row]
    assert not ChatMessage.objects.quoting([])
