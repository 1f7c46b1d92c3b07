"""A link to one answer: made and revoked by whoever asked, and open to whoever may read what the answer quotes."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import User
from conversations.models import ChatSession
from knowledge.models import Document
from plugins.models import Plugin
from querying.models import AnswerLink, Query
from tests.conversations.asking import DIVER, WORN, ask

pytestmark = pytest.mark.django_db


def shared(client: Client, question: str = WORN, **more: str) -> int:
    """Asks in the chat, and shares the answer; the status."""
    ask(client, question)
    session, query = ChatSession.objects.latest("created_at"), Query.objects.latest("created_at")
    return client.post(f"/chat/boots/{session.pk}/share", {"answer": query.pk, **more}).status_code


def address() -> str:
    return f"/answers/{AnswerLink.objects.get().token}"


def test_whoever_has_the_address_reads_the_answer_with_its_sources_as_it_was_given(
    chat: Plugin, client: Client
) -> None:
    assert shared(client) == 303
    query = Query.objects.get()
    page = Client().get(address())
    text = page.content.decode()
    assert (page.status_code, page["X-Robots-Tag"]) == (200, "noindex, nofollow")
    assert '<meta name="robots" content="noindex, nofollow">' in text
    assert "1.0.0" in text
    assert f"{query.created_at.day} {query.created_at:%B %Y}" in text
    assert query.citations
    assert all(citation["excerpt"] in text for citation in query.citations)
    Plugin.objects.update(version="9.9.9", name="Other boots")
    assert "1.0.0" in Client().get(address()).content.decode()
    assert len(address()) > 40
    assert address() in client.get("/chat/boots").content.decode()


def test_a_visitor_reads_nothing_of_an_answer_that_quotes_what_is_not_public_any_more(
    chat: Plugin, client: Client, browsing: object, alice: User, charlie: User
) -> None:
    shared(client)
    Document.objects.update(is_public=False)
    answer = Query.objects.get()
    for closed in (Client(), signed_in(charlie)):
        page = closed.get(address())
        assert page.status_code == 404
        assert answer.question not in page.content.decode()
        assert answer.citations[0]["excerpt"] not in page.content.decode()
    assert signed_in(alice).get(address()).status_code == 200


def test_a_visitor_reads_nothing_of_an_answer_that_quotes_a_template(
    chat: Plugin, client: Client, alice: User, charlie: User
) -> None:
    """Those who work on a plugin without a chat are answered from its playbooks, and nobody else is."""
    shared(client)
    Plugin.objects.update(public_chat=False)
    assert Client().get(address()).status_code == 200
    Document.objects.update(is_template=True)
    assert Client().get(address()).status_code == 404
    assert signed_in(charlie).get(address()).status_code == 404
    assert signed_in(alice).get(address()).status_code == 200


def test_what_was_superseded_since_is_still_shown_as_it_was(chat: Plugin, client: Client) -> None:
    shared(client)
    Document.objects.update(superseded_on=timezone.localdate().replace(year=2020))
    assert Client().get(address()).status_code == 200


def test_an_answer_of_the_draft_opens_only_to_who_may_read_what_it_quotes(
    chat: Plugin, client: Client, alice: User
) -> None:
    shared(client)
    Query.objects.update(release=None, release_name="boots@draft")
    assert Client().get(address()).status_code == 404
    assert signed_in(alice).get(address()).status_code == 200


def test_a_refusal_has_no_link(chat: Plugin, client: Client) -> None:
    assert shared(client, DIVER) == 409
    assert not AnswerLink.objects.exists()


def test_only_the_visitor_who_asked_makes_and_revokes_it(chat: Plugin, client: Client) -> None:
    shared(client)
    session, query = ChatSession.objects.get(), Query.objects.get()
    share, before = f"/chat/boots/{session.pk}/share", address()
    assert Client().post(share, {"answer": query.pk, "revoke": "yes"}).status_code == 404
    assert Client().get(before).status_code == 200
    assert client.post(share, {"answer": "x"}).status_code == 404
    client.post(share, {"answer": query.pk, "revoke": "yes"})
    assert Client().get(before).status_code == 404
    client.post(share, {"answer": query.pk})
    assert address() != before
    assert Client().get(before).status_code == 404
    assert Client().get(address()).status_code == 200


def test_what_the_author_revoked_stays_revoked(chat: Plugin, client: Client) -> None:
    shared(client)
    AnswerLink.objects.get().revoke(by_author=True)
    query = Query.objects.get()
    share = f"/chat/boots/{ChatSession.objects.get().pk}/share"
    assert client.post(share, {"answer": query.pk}).status_code == 409
    assert Client().get(address()).status_code == 404


def test_the_link_ends_with_the_words_of_the_answer(chat: Plugin, client: Client) -> None:
    shared(client)
    before = address()
    Query.objects.all().erase_content(now=timezone.now())
    assert Client().get(before).status_code == 404
    assert not AnswerLink.objects.exists()


def test_on_the_page_of_a_plugin_the_answer_itself_proves_who_asked(chat: Plugin, client: Client) -> None:
    cache.clear()
    page = client.post("/marketplace/boots/try", {"question": WORN}).content.decode()
    proof = re.search(r'name="proof" value="([^"]+)"', page)
    assert proof
    assert client.post("/marketplace/boots/share", {"proof": "made up"}).status_code == 404
    other = UUID(int=1)
    assert client.post("/marketplace/boots/share", {"proof": str(other)}).status_code == 404
    made = client.post("/marketplace/boots/share", {"proof": proof[1]})
    assert made.status_code == 303
    manage = made["Location"]
    assert Client().get(address()).status_code == 200
    assert client.post(f"{address()}/made-up").status_code == 404
    assert address() in client.get(manage).content.decode()
    assert client.post(manage).status_code == 200
    assert Client().get(address()).status_code == 404
    assert client.get(manage).status_code == 404


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
