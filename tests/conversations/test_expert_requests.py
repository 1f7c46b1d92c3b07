"""A visitor puts a question to the expert: it waits in the inbox, and the reply is mailed to who wants it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.models import User
from builder.inbox.topics import get_topics
from conversations.models import ChatSession
from notifications import expert_replies
from plugins.models import Plugin
from querying.expert_requests import CONFIRMATION_PERIOD, LONGEST_PERIOD
from querying.models import ExpertRequest, Query
from querying.query_log.send_expert_request import REQUEST_LIMITS, reply_to_requests
from tests.conversations.asking import DIVER, WORN, ask
from tests.two_transactions import wait_in_turn

pytestmark = pytest.mark.django_db
ME = "me@example.org"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of mails are run where they are published."""
    doors = {
        "notifications.ask_to_confirm": expert_replies.ask_to_confirm,
        "notifications.mail_expert_reply": expert_replies.mail_reply,
    }

    def publish(name: str, request_id: int) -> bool:
        doors[name](request_id)
        return True

    monkeypatch.setattr("querying.query_log.send_expert_request.publish_task", publish)


def put(client: Client, question: str = DIVER, **fields: str) -> Any:
    """Asks in the chat, and puts the question to the expert."""
    cache.clear()
    ask(client, question)
    session, query = ChatSession.objects.latest("created_at"), Query.objects.latest("created_at")
    return client.post(f"/chat/boots/{session.pk}/expert", {"answer": query.pk, **fields})


def confirm_link() -> str:
    found = re.search(r"(/expert-replies/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def reply(alice: User, text: str = "Gloves of neoprene.") -> int:
    return reply_to_requests(list(Query.objects.all()), reply=text, by=alice)


def test_without_an_address_it_waits_in_the_inbox_before_everything_else(
    chat: Plugin, client: Client, alice: User
) -> None:
    ask(client, "Which hats does a diver need in the Arctic?")
    assert put(client, WORN).status_code == 303
    [first, second] = get_topics(chat, days=30)
    assert (first.question, first.requested_count, second.requested_count) == (WORN, 1, 0)
    reply(alice)
    assert mail.outbox == []
    assert [topic.requested_count for topic in get_topics(chat, days=30)] == [0]
    page = client.get("/chat/boots").content.decode()
    assert "Gloves of neoprene." in page


def test_the_reply_is_mailed_once_its_address_is_confirmed_and_the_address_is_erased(
    chat: Plugin, client: Client, alice: User
) -> None:
    alice.display_name = "Alice Author"
    alice.save()
    put(client, email=ME, mail="yes")
    [asked] = mail.outbox
    assert asked.to == [ME]
    assert DIVER not in str(asked.body)
    assert chat.name not in str(asked.body)
    client.get(confirm_link())
    assert ExpertRequest.objects.get().confirmed_at is None
    client.post(confirm_link(), {"say": "yes"})
    reply(alice)
    told = mail.outbox[-1]
    text = str(told.body)
    assert told.to == [ME]
    assert "Gloves of neoprene." in text
    assert DIVER in text
    assert "Source: “Expert answers”" in text
    assert "Alice Author" in text
    assert alice.email not in text
    row = ExpertRequest.objects.get()
    assert (row.email, row.user, bool(row.sent_at)) == ("", None, True)
    assert not expert_replies.mail_reply(row.pk)
    assert len(mail.outbox) == 2


def test_the_confirmation_is_mailed_although_no_worker_can_be_asked(
    chat: Plugin, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("querying.query_log.send_expert_request.publish_task", lambda name, **arguments: False)
    assert put(client, email=ME).status_code == 303
    assert [one.to for one in mail.outbox] == [[ME]]


def test_an_address_that_nobody_confirmed_gets_no_reply_and_is_erased(
    chat: Plugin, client: Client, alice: User
) -> None:
    put(client, email=ME, mail="yes")
    reply(alice)
    assert len(mail.outbox) == 1
    expert_replies.tidy_up(now=timezone.now() + timedelta(days=3))
    assert ExpertRequest.objects.get().email == ""


def test_who_confirms_after_the_reply_gets_it_at_once(chat: Plugin, client: Client, alice: User) -> None:
    put(client, email=ME, mail="yes")
    link = confirm_link()
    reply(alice)
    client.post(link, {"say": "yes"})
    assert "Gloves of neoprene." in str(mail.outbox[-1].body)


def test_a_stranger_who_says_no_or_nothing_gets_no_more_mails(chat: Plugin, client: Client) -> None:
    for _ in range(4):
        assert put(client, email=ME, mail="yes").status_code == 303
    assert len(mail.outbox) == 2
    put(client, email="other@example.org", mail="yes")
    client.post(confirm_link(), {"say": "no"})
    assert not ExpertRequest.objects.filter(email="other@example.org").exists()
    put(client, email="Other@example.org", mail="yes")
    assert len(mail.outbox) == 3


def test_a_no_is_remembered_under_another_secret_key(chat: Plugin, client: Client, settings: Any) -> None:
    put(client, email=ME, mail="yes")
    client.post(confirm_link(), {"say": "no"})
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another secret key of this site"
    put(client, email=ME, mail="yes")
    assert len(mail.outbox) == 1


def test_who_gives_an_address_gets_the_reply_there_once_it_is_confirmed(
    chat: Plugin, client: Client, alice: User
) -> None:
    put(client, email=ME)
    client.post(confirm_link(), {"say": "yes"})
    reply(alice)
    assert [one.to for one in mail.outbox] == [[ME], [ME]]


def test_what_is_no_address_is_refused_and_nothing_is_kept(chat: Plugin, client: Client) -> None:
    assert put(client, email="no address").status_code == 400
    assert not ExpertRequest.objects.exists()
    assert mail.outbox == []


def forms_of(page: str) -> list[str]:
    """The forms that put an answer to the expert, as they are shown."""
    return re.findall(r'<details class="ask-expert".*?</details>', page, re.DOTALL)


def test_a_refused_form_stays_open_with_the_reason_and_what_was_typed(chat: Plugin, client: Client) -> None:
    ask(client, WORN)
    session, first = ChatSession.objects.get(), Query.objects.get()
    ask(client, DIVER, session=str(session.pk))
    sent = {"answer": first.pk, "email": "no address"}
    page = client.post(f"/chat/boots/{session.pk}/expert", sent).content.decode()
    [form, other] = forms_of(page)
    assert 'class="ask-expert" open>' in form
    assert ('value="no address"' in form, 'role="alert"' in form, "aria-invalid" in form) == (True, True, True)
    assert "Enter a valid email address." in form
    assert " open>" not in other
    assert page.count("Enter a valid email address.") == 1


def test_the_address_is_kept_where_a_limit_is_reached(chat: Plugin, client: Client) -> None:
    ask(client, DIVER)
    session, asked = ChatSession.objects.get(), Query.objects.get()
    for _ in range(min(REQUEST_LIMITS.values()) + 1):
        response = client.post(f"/chat/boots/{session.pk}/expert", {"answer": asked.pk, "email": ME})
        ExpertRequest.objects.all().delete()
    [form] = forms_of(response.content.decode())
    assert (response.status_code, f'value="{ME}"' in form) == (429, True)
    assert re.search(r"Try again in \d+ (minute|second)s?\.", form)
    assert int(response["Retry-After"]) > 0


def test_who_has_signed_in_gets_it_at_the_account_and_never_at_another_address(
    chat: Plugin, client: Client, alice: User, bob: User
) -> None:
    EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)
    client.force_login(bob)
    put(client, email=ME, mail="yes")
    assert mail.outbox == []
    reply(alice)
    assert [one.to for one in mail.outbox] == [[bob.email]]
    assert ExpertRequest.objects.get().user is None


def test_an_account_whose_address_is_not_confirmed_gets_no_mail(chat: Plugin, client: Client, bob: User) -> None:
    EmailAddress.objects.create(user=bob, email=bob.email, verified=False, primary=True)
    client.force_login(bob)
    assert put(client, mail="yes").status_code == 409
    assert put(client).status_code == 303


def test_one_visitor_puts_only_so_many_questions(chat: Plugin, client: Client) -> None:
    ask(client, DIVER)
    session, asked = ChatSession.objects.get(), Query.objects.get()
    statuses = []
    for _ in range(min(REQUEST_LIMITS.values()) + 1):
        statuses.append(client.post(f"/chat/boots/{session.pk}/expert", {"answer": asked.pk}).status_code)
        ExpertRequest.objects.all().delete()
    assert statuses == [303] * min(REQUEST_LIMITS.values()) + [429]


def test_only_questions_of_ones_own_conversation_are_put(chat: Plugin, client: Client) -> None:
    put(client)
    session, asked = ChatSession.objects.get(), Query.objects.get()
    ExpertRequest.objects.all().delete()
    assert Client().post(f"/chat/boots/{session.pk}/expert", {"answer": asked.pk}).status_code == 404
    assert not ExpertRequest.objects.exists()


def test_a_question_of_the_plugins_page_is_put_with_the_proof_that_came_with_its_answer(
    chat: Plugin, client: Client
) -> None:
    cache.clear()
    page = client.post("/marketplace/boots/try", {"question": DIVER}).content.decode()
    proof = re.search(r'name="proof" value="([^"]+)"', page)
    assert proof
    assert client.post("/marketplace/boots/expert", {"proof": "x"}).status_code == 404
    wrong = client.post("/marketplace/boots/expert", {"proof": proof[1], "email": "me"}).content.decode()
    [form] = forms_of(wrong)
    assert (proof[1] in form, 'value="me"' in form, " open>" in form) == (True, True, True)
    assert client.post("/marketplace/boots/expert", {"proof": proof[1]}).status_code == 200
    assert ExpertRequest.objects.get().query.question == DIVER


@pytest.mark.django_db(transaction=True)
def test_of_two_replies_at_once_the_first_is_kept_and_the_second_reaches_nobody(
    chat: Plugin, client: Client, alice: User
) -> None:
    put(client)

    def first(hold: Callable[[], None]) -> int:
        with transaction.atomic():
            count = reply(alice)
            hold()
        return count

    assert wait_in_turn(first, lambda: reply(alice, "Boots.")) == (1, 0)
    assert ExpertRequest.objects.get().reply == "Gloves of neoprene."


def test_a_link_that_was_made_up_confirms_nothing(chat: Plugin, client: Client) -> None:
    assert client.get("/expert-replies/made-up").status_code == 404


@pytest.mark.parametrize(
    ("days", "hold", "kept"),
    [
        (30, "", "kept for 30 days."),
        (0, "", "kept until the plugin is deleted."),
        (30, "owner", "kept until the plugin"),
    ],
)
def test_the_form_says_beforehand_who_gets_what_and_for_how_long(
    client: Client, chat: Plugin, days: int, hold: str, kept: str
) -> None:
    Plugin.objects.update(keep_questions_days=days, legal_hold=hold)
    page = " ".join(ask(client, DIVER).split())
    for words in (
        "goes to the inbox of the plugin’s author, without your name",
        "the author does not see it",
        "no reply is mailed before you confirm",
        "without a confirmation the address is deleted after two days",
        "after 90 days at the latest",
        kept,
    ):
        assert words in page
    assert (CONFIRMATION_PERIOD.days, LONGEST_PERIOD.days) == (2, 90)
