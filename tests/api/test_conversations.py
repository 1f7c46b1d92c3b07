"""A person's own conversations over the API: theirs alone, kept until they delete them, and what they quote."""

from __future__ import annotations

import zipfile
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from conversations.exchanges import exchanges_of
from conversations.models import ChatMessage, ChatSession, Project
from conversations.retention import delete_stale
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from privacy.account_deletion import delete_account
from privacy.data_export import export_personal_data
from privacy.plugin_deletion import delete_plugin
from privacy.project_deletion import delete_project
from querying.models import Query
from querying.query_log.quotations import WITHHELD_TEXT
from tests.api.callers import assert_error, by_key, signed_in
from tests.cover import handbook, plugin, published

__all__ = ["handbook", "plugin", "published"]
pytestmark = pytest.mark.django_db
CONVERSATIONS = "/api/conversations"
SECRET = "The footings of Marrow House get a nominal cover of 75 mm."


def begin(client: APIClient, **fields: Any) -> str:
    """The address of a new conversation."""
    answer = client.post(CONVERSATIONS, fields, format="json")
    assert answer.status_code == 201, answer.content
    return str(answer["Location"])


def give(base: KnowledgeBase) -> Document:
    added = add_text(knowledge_base=base, title="Marrow House", text=SECRET, enqueue=False).document
    ingest(added.pk)
    return added


def say(address: str, *, quoting: Document | None = None, release: str = "cover@1.0.0") -> ChatMessage:
    """A question and its answer in this conversation, as they are saved."""
    session = ChatSession.objects.get(pk=address.rpartition("/")[2])
    asked, citations = uuid4(), [{"documentId": str(quoting.pk), "excerpt": SECRET}] if quoting else []
    answer = {"outcome": "answered", "answer": SECRET, "citations": citations, "release": release}
    session.messages.create(role="user", content="What cover?", query_id=asked)
    return session.messages.create(role="assistant", content=SECRET, metadata=answer, query_id=asked)


def messages(client: APIClient, address: str) -> list[dict[str, Any]]:
    answer = client.get(f"{address}/messages")
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


@pytest.fixture
def project(alice: User, bob: User) -> Project:
    """Alice's, which Bob reads."""
    project = Project.objects.create_with_base(owner=alice, name="Marrow House")
    project.set_members({bob.email: "viewer"})
    return project


def test_jl_001_jl_003_a_conversation_is_begun_shown_renamed_listed_and_deleted(alice: User) -> None:
    client = signed_in(alice)
    address = begin(client, title="Cover")
    shown = client.get(address).json()
    assert (shown["title"], shown["userId"], shown["projectId"]) == ("Cover", str(alice.pk), None)
    assert shown.keys() == {"id", "userId", "title", "projectId", "createdAt", "updatedAt"}
    assert "metadata" not in {field.name for field in ChatSession._meta.fields}
    assert client.patch(address, {"title": "Footings"}, format="json").json()["title"] == "Footings"
    assert [one["title"] for one in client.get(CONVERSATIONS).json()["results"]] == ["Footings"]
    assert client.delete(address).status_code == 204
    assert_error(client.get(address), 404, "unknown_conversation")


@pytest.mark.parametrize("body", [{"title": 7}, {"title": "x" * 121}, {"metadata": {}}, {"projectId": "mine"}])
def test_bodies_are_strict(alice: User, body: dict[str, Any]) -> None:
    client = signed_in(alice)
    assert_error(client.post(CONVERSATIONS, body, format="json"), 400, "invalid")
    assert not ChatSession.objects.exists()
    address = begin(client, title="Cover")
    assert_error(client.patch(address, {"title": ""}, format="json"), 400, "invalid")
    assert_error(client.patch(address, {**body, "title": 7}, format="json"), 400, "invalid")
    assert ChatSession.objects.get().title == "Cover"


def test_jl_002_jl_003_messages_come_in_order_with_ids_and_citations(alice: User) -> None:
    client = signed_in(alice)
    address = begin(client)
    document = give(personal_knowledge_base(alice))
    said = say(address, quoting=document)
    question, answer = messages(client, address)
    assert (question["role"], question["content"], question["citations"]) == ("user", "What cover?", [])
    assert (answer["id"], answer["role"], answer["content"]) == (str(said.uuid), "assistant", SECRET)
    assert answer["conversationId"] == address.rpartition("/")[2]
    assert answer["citations"] == answer["metadata"]["citations"] != []
    assert UUID(question["id"]) != UUID(answer["id"])
    first = client.get(f"{address}/messages?limit=1").json()
    assert [one["id"] for one in client.get(first["next"]).json()["results"]] == [answer["id"]]


def test_jl_007_jl_008_they_are_nobody_elses(alice: User, bob: User, project: Project) -> None:
    address = begin(signed_in(bob), projectId=str(project.pk), title="Marrow")
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    limited = by_key(bob, plugins=[Plugin.objects.create(owner=bob, name="x", domain="x", system_prompt="x")])
    for client in (signed_in(alice), signed_in(operator), limited):
        assert client.get(CONVERSATIONS).json()["results"] == []
        assert_error(client.get(address), 404, "unknown_conversation")
        assert_error(client.get(f"{address}/messages"), 404, "unknown_conversation")
        assert_error(client.patch(address, {"title": "x"}, format="json"), 404, "unknown_conversation")
        assert_error(client.delete(address), 404, "unknown_conversation")
    assert_error(limited.post(CONVERSATIONS, {}, format="json"), 403, "limited_key")
    assert ChatSession.objects.get().title == "Marrow"


def test_a_key_needs_to_ask_and_read(alice: User) -> None:
    begin(by_key(alice, "query", "read"))
    for capabilities in (["query"], ["read"], ["author"]):
        assert_error(by_key(alice, *capabilities).get(CONVERSATIONS), 403, "missing_capability")


def test_jl_006_a_project_that_one_may_not_open_holds_no_conversation(charlie: User, project: Project) -> None:
    body = {"projectId": str(project.pk)}
    assert_error(signed_in(charlie).post(CONVERSATIONS, body, format="json"), 404, "unknown_project")


def test_whoever_leaves_a_project_reads_no_answer_that_was_given_in_it(bob: User, project: Project) -> None:
    client = signed_in(bob)
    address = begin(client, projectId=str(project.pk))
    say(address, quoting=give(project.knowledge_base))
    say(address)  # and none that cites nothing
    assert [one["isWithheld"] for one in messages(client, address)] == [False] * 4
    project.set_members({})
    assert client.get(address).json()["projectId"] is None
    question, answer, _, uncited = messages(client, address)
    assert (question["content"], question["isWithheld"]) == ("What cover?", False)
    for one in (answer, uncited):
        assert (one["content"], one["metadata"], one["citations"]) == (WITHHELD_TEXT, {}, [])
    with export_personal_data(bob) as file, zipfile.ZipFile(file) as archive:
        assert SECRET not in archive.read("chats.jsonl").decode()
    session = ChatSession.objects.get()
    assert [one.is_withdrawn for one in exchanges_of(session, reader=bob)] == [True, True]


def test_what_a_plugin_may_quote_is_read_as_long_as_it_may(published: Plugin, handbook: Document, bob: User) -> None:
    client = signed_in(bob)
    address = begin(client)
    say(address, quoting=handbook, release=f"{published.slug}@1.0.0")
    assert messages(client, address)[1]["isWithheld"] is False
    Plugin.objects.update(is_published=False)
    assert messages(client, address)[1]["isWithheld"] is True


def test_the_public_chat_knows_nothing_of_them(published: Plugin, alice: User) -> None:
    Plugin.objects.update(public_chat=True)
    address = begin(signed_in(alice), title="Marrow House")
    client = Client()
    client.force_login(alice)
    page = client.get(f"/chat/{published.slug}")
    assert (page.status_code, "Marrow House" in page.content.decode()) == (200, False)
    assert client.get(f"/chat/{published.slug}/{address.rpartition('/')[2]}").status_code == 404
    public = ChatSession.objects.create(plugin=published, user=alice, title="Public")
    assert_error(signed_in(alice).get(f"{CONVERSATIONS}/{public.pk}"), 404, "unknown_conversation")


def test_no_timetable_deletes_them(alice: User, settings: Any) -> None:
    settings.KEEP_CHATS_DAYS = 1
    begin(signed_in(alice))
    ChatSession.objects.update(last_used_at=timezone.now() - timedelta(days=4000))
    assert delete_stale(now=timezone.now()) == 0
    assert ChatSession.objects.exists()


def test_deleting_one_deletes_what_was_asked_of_private_documents_in_it(alice: User, bob: User) -> None:
    client = signed_in(alice)
    address = begin(client)
    said = say(address)
    pins = [{"knowledge_base": 1, "revision": 1, "embedder": "local"}]
    asked = {"outcome": "answered", "question": "What cover?", "release_name": "cover@1.0.0"}
    Query.objects.create(pk=said.query_id, user=alice, layers=pins, is_private=True, **asked)
    of_plugin = Query.objects.create(user=alice, **asked)
    of_bob = Query.objects.create(user=bob, layers=pins, is_private=True, **asked)
    client.delete(address)
    assert set(Query.objects.all()) == {of_plugin, of_bob}


def test_jl_008_they_go_with_their_project_or_their_person(alice: User, bob: User, project: Project) -> None:
    begin(signed_in(bob), projectId=str(project.pk))
    begin(signed_in(bob))
    delete_project(project)
    assert ChatSession.objects.get().project is None
    delete_account(bob)
    assert not ChatSession.objects.exists()


def test_the_legal_hold_of_a_plugin_keeps_nobodys_own_conversation(published: Plugin, bob: User) -> None:
    begin(signed_in(bob))
    published.set_legal_hold(by_operator=False)
    delete_account(bob)
    assert not ChatSession.objects.exists()


def test_a_deleted_plugin_takes_its_quotations_out_of_them(published: Plugin, handbook: Document, bob: User) -> None:
    address = begin(signed_in(bob))
    said = say(address, quoting=handbook)
    delete_plugin(published)
    said.refresh_from_db()
    assert SECRET not in f"{said.content} {said.metadata}"
    assert ChatSession.objects.exists()


def test_a_conversation_is_of_a_plugin_or_private(published: Plugin, bob: User) -> None:
    neither = {"user": bob, "title": "x"}
    for fields in (neither, {**neither, "plugin": published, "is_private": True}, {"is_private": True, "visitor": "x"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ChatSession.objects.create(**fields)


def test_a_person_has_so_many(alice: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_conversations": 1}
    client = signed_in(alice)
    begin(client)
    assert_error(client.post(CONVERSATIONS, {}, format="json"), 409, "too_many_conversations")


def test_none_begins_in_a_project_that_is_deleted_meanwhile(alice: User) -> None:
    project = Project.objects.create_with_base(owner=alice, name="Marrow House")
    gone = Project.objects.get(pk=project.pk)
    delete_project(project)
    with pytest.raises(Project.DoesNotExist):
        ChatSession.objects.begin_private(user=alice, project=gone, title="")
    assert not ChatSession.objects.exists()
