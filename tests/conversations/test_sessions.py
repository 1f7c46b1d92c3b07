"""Whose a conversation is: the browser's that began it, or the person's; and when it ends."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from conversations import public_questions, retention, tasks
from conversations.models import ChatMessage, ChatSession
from conversations.visitor import COOKIE_NAME
from lexic.periodic_tasks import PERIODIC_TASKS
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from tests.conversations.asking import ASK, CHAT, OPEN, STREAM, WORN, ask, session_in, token_in

pytestmark = pytest.mark.django_db
ANSWER = "<mark>Safety boots"


def test_pk_029_a_browser_comes_back_to_its_conversation(client: Client, chat: Plugin) -> None:
    ask(client)
    session = ChatSession.objects.get()
    assert (session.user, session.title, session.plugin) == (None, WORN, chat)
    assert ANSWER in client.get(CHAT).content.decode()
    assert ANSWER in client.get(f"{CHAT}/{session.pk}").content.decode()
    assert list(session.messages.values_list("role", flat=True)) == ["user", "assistant"]


def test_the_cookie_is_signed_for_the_chat_alone_and_no_script_reads_it(client: Client, chat: Plugin) -> None:
    assert COOKIE_NAME not in client.get(CHAT).cookies, "whoever only looks is not marked"
    client.post(ASK, {"question": WORN})
    cookie = client.cookies[COOKIE_NAME]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/chat")
    assert int(cookie["max-age"]) == 400 * 86_400
    secret = cookie.value.split(":")[0]
    assert secret not in ChatSession.objects.get().visitor, "what is stored opens nothing"


@pytest.mark.parametrize("change", [lambda value: value[:-1] + "x", lambda value: "forged", lambda value: ""])
def test_a_cookie_that_was_tampered_with_opens_nothing(client: Client, chat: Plugin, change: Any) -> None:
    ask(client)
    client.cookies[COOKIE_NAME] = change(client.cookies[COOKIE_NAME].value)
    assert ANSWER not in client.get(CHAT).content.decode()
    assert client.get(f"{CHAT}/{ChatSession.objects.get().pk}").status_code == 404


def test_nobody_opens_goes_on_with_or_forgets_anothers(
    client: Client,
    someone: Callable[[], Client],
    browsing: Callable[[User], Client],
    chat: Plugin,
    alice: User,
    bob: User,
) -> None:
    ask(client)
    ask(browsing(bob))
    for session in ChatSession.objects.all():
        strangers = [someone(), browsing(alice), client if session.user else browsing(bob)]
        for stranger in strangers:
            address = f"{CHAT}/{session.pk}"
            assert stranger.get(address).status_code == 404
            assert stranger.post(f"{address}/forget").status_code == 404
            assert stranger.post(ASK, {"question": WORN, "session": str(session.pk)}).status_code == 404
            told = stranger.post(ASK, {"question": WORN, "session": str(session.pk)}, headers=STREAM)
            assert (told.status_code, told.json()["code"]) == (404, "unknown_conversation")
            assert str(session.pk) not in stranger.get(CHAT).content.decode()
    assert ChatMessage.objects.count() == 4


def test_signed_in_it_is_the_persons_on_every_browser_and_not_the_browsers(
    client: Client, browsing: Callable[[User], Client], chat: Plugin, visitor: User
) -> None:
    client.force_login(visitor)
    ask(client)
    assert ChatSession.objects.get().user == visitor
    assert ANSWER in browsing(visitor).get(CHAT).content.decode()
    client.logout()
    assert ANSWER not in client.get(CHAT).content.decode()


def test_a_session_of_another_plugin_is_not_gone_on_with(client: Client, chat: Plugin, alice: User) -> None:
    said = ask(client)
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x", system_prompt="x")
    Plugin.objects.filter(pk=other.pk).update(is_published=True, public_chat=True)
    release = chat.latest_release()
    assert release
    other.releases.create(version="1.0.0", knowledge=release.knowledge, **release.policy())
    assert client.get(f"/chat/other/{session_in(said)}").status_code == 404
    refused = client.post("/chat/other/ask", {"question": WORN, "session": session_in(said)})
    assert refused.status_code == 404


def test_a_token_answers_only_in_the_conversation_that_asked(
    client: Client, someone: Callable[[], Client], with_tree: Plugin
) -> None:
    token = token_in(ask(client, OPEN))
    for fields in ({}, {"session": session_in(ask(client, WORN))}):
        refused = client.post(ASK, {"token": token, "answer": "on site", **fields})
        assert (refused.status_code, "can no longer be answered" in refused.content.decode()) == (400, True)
    assert someone().post(ASK, {"token": token, "answer": "on site"}).status_code == 400


def test_a_new_conversation_begins_beside_the_earlier_one(client: Client, chat: Plugin) -> None:
    first = session_in(ask(client))
    fresh = client.get(f"{CHAT}/new").content.decode()
    assert ANSWER not in fresh
    assert f'href="{CHAT}/{first}"' in fresh
    second = session_in(ask(client, "When are boots replaced?"))
    assert first != second
    assert f'href="{CHAT}/{first}"' in client.get(CHAT).content.decode(), "the last one is gone on with"
    assert Query.objects.order_by("created_at").last().context == []  # type: ignore[union-attr]


def test_a_visitor_deletes_a_conversation(client: Client, chat: Plugin) -> None:
    session = session_in(ask(client))
    assert client.get(f"{CHAT}/{session}/forget").status_code == 405
    assert client.post(f"{CHAT}/{session}/forget").headers["Location"] == f"{CHAT}/new"
    assert (ChatSession.objects.count(), ChatMessage.objects.count()) == (0, 0)
    assert Query.objects.get().question == WORN, "what was asked stays with the author, who never knew by whom"


def test_what_nobody_went_on_with_for_ninety_days_is_forgotten(
    client: Client, chat: Plugin, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(retention, "_BATCH_SIZE", 2)
    ask(client)
    now = timezone.now()
    for _ in range(5):
        old = now - timedelta(days=90, seconds=1)
        ChatSession.objects.create(plugin=chat, visitor="x", title="Old", last_used_at=old)
    ChatSession.objects.create(plugin=chat, visitor="x", title="Young", last_used_at=now - timedelta(days=89))
    assert retention.delete_stale(now=now) == 5
    assert set(ChatSession.objects.values_list("title", flat=True)) == {WORN, "Young"}
    assert PERIODIC_TASKS["forget-conversations"]["task"] == tasks.delete_stale_conversations.name


def test_a_plugin_keeps_chats_as_long_as_its_author_says(client: Client, chat: Plugin, settings: Any) -> None:
    ask(client)
    later = timezone.now() + timedelta(days=8)
    for days, expired in ((7, 1), (9, 0), (0, 0)):
        chat.keep_chats_days = days
        chat.save()
        assert ChatSession.objects.stale(now=later).count() == expired
        said = f"deleted {days} days after its last question" if days else "until you delete it"
        assert said in client.get(CHAT).content.decode()
    chat.keep_chats_days, settings.KEEP_CHATS_DAYS = None, 7
    chat.save()
    assert ChatSession.objects.stale(now=later).count() == 1


def test_under_legal_hold_no_chat_is_deleted_by_anybody(client: Client, chat: Plugin) -> None:
    session = session_in(ask(client))
    chat.set_legal_hold(by_operator=False)
    assert ChatSession.objects.stale(now=timezone.now() + timedelta(days=4000)).count() == 0
    answer = client.post(f"{CHAT}/{session}/forget")
    assert answer.status_code == 409
    assert "under legal hold" in answer.content.decode()
    assert ChatSession.objects.filter(pk=session).exists()
    chat.lift_legal_hold(by_operator=False)
    client.post(f"{CHAT}/{session}/forget")
    assert not ChatSession.objects.exists()


def test_going_on_with_it_keeps_it(client: Client, chat: Plugin) -> None:
    said = ask(client)
    ChatSession.objects.update(last_used_at=timezone.now() - timedelta(days=80))
    ask(client, "When are boots replaced?", session=session_in(said))
    assert ChatSession.objects.stale(now=timezone.now() + timedelta(days=80)).count() == 0


def test_a_new_release_answers_in_the_same_conversation(client: Client, chat: Plugin, alice: User) -> None:
    said = ask(client)
    publish(chat, by=alice, version="2.0.0", notes="Again.")
    assert "release 2.0.0" in ask(client, "When are boots replaced?", session=session_in(said))


def test_what_is_deleted_while_a_question_is_read_does_not_come_back(
    client: Client, chat: Plugin, monkeypatch: Any
) -> None:
    said = ask(client)
    counted = public_questions.question_of_visitor

    def forgotten(*asked: Any) -> Any:
        ChatSession.objects.all().delete()
        return counted(*asked)

    monkeypatch.setattr(public_questions, "question_of_visitor", forgotten)
    refused = client.post(ASK, {"question": "And in the office?", "session": session_in(said)}, headers=STREAM)
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_conversation")
    assert (ChatSession.objects.count(), ChatMessage.objects.count()) == (0, 0)
