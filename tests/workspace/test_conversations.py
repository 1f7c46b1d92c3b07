"""Private conversations on their pages: listed, found by title, shown with what they cite, renamed and deleted."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from conversations.models import ChatMessage, ChatSession, Project
from conversations.private_document_search import private_layers
from conversations.public_questions import title_from
from knowledge.models import Document
from plugins.models import Plugin
from querying.presentation.answer import to_stored_answer
from querying.presentation.question_run import QuestionRun, run_to_end
from querying.types.question import Caller, Question
from tests.cover import handbook, plugin, published
from tests.security.world import everything

__all__ = ["handbook", "plugin", "published"]
pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
PAID = "What does Marrow pay within thirty days of signature?"


def shown(client: Client, address: str, **query: str) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return response.content.decode()


def answered(session: ChatSession, plugin: Plugin, text: str = PAID) -> QuestionRun:
    """A question with the documents of the session's project, asked and kept."""
    user = session.user
    assert user
    question = Question(
        text=text,
        release=plugin.releases.get(),
        caller=Caller(name="test", user_id=user.pk),
        layers=private_layers(user, project=session.project),
    )
    run = run_to_end(question)
    session.messages.create(role=ChatMessage.Role.USER, content=text, asked=text, query_id=question.id)
    session.messages.create(
        role=ChatMessage.Role.ASSISTANT, content="", metadata=to_stored_answer(run), query_id=question.id, seconds=0.5
    )
    return run


@pytest.fixture
def conversation(bob: User, shared: Project, published: Plugin) -> ChatSession:
    """Bob's, in Alice's project."""
    session = ChatSession.objects.begin_private(user=bob, project=shared, title="What Marrow pays")
    answered(session, published)
    return session


def test_conversations_are_listed_and_found_by_title(bob: User, shared: Project, browse: Browse) -> None:
    client = browse(bob)
    assert "No conversations." in shown(client, "/chats")
    for title in ("What Marrow pays", "The lease of the mill"):
        ChatSession.objects.begin_private(user=bob, project=shared, title=title)
    page = shown(client, "/chats")
    assert page.index('class="entry-title"') < page.rindex("The lease of the mill") < page.rindex("What Marrow pays")
    found = shown(client, "/chats", q="LEASE").split("<main")[1].split('class="workspace-page"')[1]
    assert ("The lease of the mill" in found, "What Marrow pays" in found) == (True, False)
    assert "No title has “boat”." in shown(client, "/chats", q="boat")


def test_one_in_which_nothing_was_asked_says_so(bob: User, browse: Browse) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=None, title="")
    page = shown(browse(bob), f"/c/{session.pk}")
    assert "Ask about your own documents" in page
    assert "<bdi>Untitled</bdi>" in page


def test_an_answer_stands_beside_what_it_cites(bob: User, conversation: ChatSession, browse: Browse) -> None:
    page = shown(browse(bob), f"/c/{conversation.pk}")
    assert f">{PAID}</h2>" in page
    assert "nineteen thousand pounds" in page.split('class="evidence"')[0]
    assert "<mark>Marrow Ltd pays nineteen thousand pounds within thirty days of signature.</mark>" in page
    assert "1 of 1 citation found word for word" in page
    source = Document.objects.get(title="Settlement").pages.get()
    assert f'href="/source/{source.pk}?start=' in page
    # Its mark leads to the panel; from there the page is opened.
    [mark] = re.findall(r'<a class="cite" href="#(source-[^"]+)"', page.split('class="panel')[0])
    assert f'<li id="{mark}"' in page.split('class="panel')[1]
    assert "The author sees" not in page


def test_a_refusal_promises_no_author(bob: User, conversation: ChatSession, published: Plugin, browse: Browse) -> None:
    run = answered(conversation, published, "Which gloves does a diver need in the Arctic?")
    assert run.answer
    assert run.answer.outcome == "refused"
    page = shown(browse(bob), f"/c/{conversation.pk}")
    assert "no_supporting_source" in page or "<code>" in page
    assert "The author sees" not in page


def test_whoever_has_left_a_project_reads_no_answer_of_it(
    bob: User, shared: Project, conversation: ChatSession, browse: Browse
) -> None:
    shared.remove_member(bob.email)
    client = browse(bob)
    page = shown(client, f"/c/{conversation.pk}")
    assert "It quotes a document that you can no longer open." in page
    for told in ("nineteen", str(shared.pk), ">Marrow<"):
        assert told not in page
    assert str(shared.pk) not in shown(client, "/chats")


def test_a_title_of_a_long_question_ends_with_a_whole_word() -> None:
    assert title_from(" What\n does Marrow  pay? ") == "What does Marrow pay?"
    title = title_from("Draft a reminder. " + "Quayside Consulting " * 9)
    assert title.endswith(("Quayside…", "Consulting…"))
    assert 80 < len(title) <= 100


def test_a_conversation_gets_another_title(bob: User, conversation: ChatSession, browse: Browse) -> None:
    client, address = browse(bob), f"/c/{conversation.pk}/title"
    assert client.post(address, {"title": " The  settlement "})["Location"] == f"/c/{conversation.pk}"
    conversation.refresh_from_db()
    assert conversation.title == "The settlement"
    for wrong in ("", "x" * 121):
        assert client.post(address, {"title": wrong}).status_code == 400
    conversation.refresh_from_db()
    assert conversation.title == "The settlement"


def test_a_conversation_is_deleted_once_that_is_confirmed(bob: User, conversation: ChatSession, browse: Browse) -> None:
    client, address = browse(bob), f"/c/{conversation.pk}/delete"
    assert "Its 2 messages and the records of their searches" in shown(client, address)
    assert ChatSession.objects.exists()
    assert client.post(address)["Location"] == "/chats"
    assert not ChatSession.objects.exists()
    assert client.get(f"/c/{conversation.pk}").status_code == 404


def test_nobody_else_finds_it_the_owner_of_the_project_neither(
    alice: User, charlie: User, conversation: ChatSession, browse: Browse, client: Client
) -> None:
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    before = everything()
    for person in (alice, charlie, operator):
        stranger = browse(person)
        assert stranger.get(f"/c/{conversation.pk}").status_code == 404
        assert stranger.get(f"/c/{conversation.pk}/delete").status_code == 404
        for address in ("title", "delete"):
            assert stranger.post(f"/c/{conversation.pk}/{address}", {"title": "Taken"}).status_code == 404
        assert "What Marrow pays" not in shown(stranger, "/chats")
    assert client.get(f"/c/{conversation.pk}").status_code == 302
    assert everything() == before


def test_a_public_conversation_is_not_among_them(bob: User, published: Plugin, browse: Browse) -> None:
    public = ChatSession.objects.create(user=bob, plugin=published, title="Asked in public")
    assert "Asked in public" not in shown(browse(bob), "/chats")
    assert browse(bob).get(f"/c/{public.pk}").status_code == 404


@pytest.mark.parametrize("path", ["/chats", "/c/{}", "/projects/{}"])
def test_the_number_of_statements_does_not_grow(
    bob: User, shared: Project, conversation: ChatSession, published: Plugin, browse: Browse, path: str
) -> None:
    client, counts = browse(bob), []
    address = path.format(shared.pk if "projects" in path else conversation.pk)
    for _ in range(2):
        with CaptureQueriesContext(connection) as asked:
            shown(client, address)
        counts.append(len(asked))
        for title in ("Another", "A third"):
            ChatSession.objects.begin_private(user=bob, project=shared, title=title)
        answered(conversation, published)
    assert counts[0] == counts[1] <= 16
