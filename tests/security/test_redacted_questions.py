"""Where the site wants it, no table has the mail addresses and numbers of a question, whichever door it came in by."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import Client
from environs import Env, EnvValidationError

from accounts.models import User
from api import tasks
from api.models import Batch
from conversations.models import ChatMessage, ChatSession
from lexic.conf.redaction import Redaction, read_redaction
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying import pipeline, releases
from querying.models import Query
from querying.types.events import Done
from querying.types.question import Caller, Question
from tests.agents.working import ask as ask_agent
from tests.api.chat_completions.asking import client_of
from tests.cover import give_document, handbook, key, plugin, published
from webhooks.models import Delivery, Event, Webhook

__all__ = ["handbook", "key", "plugin", "published"]
pytestmark = pytest.mark.django_db

MAIL, PHONE, IBAN = "zelda.quist@example.org", "+49 171 2345678", "DE89 3704 0044 0532 0130 00"
PERSON = f"I am {MAIL}, {PHONE}, account {IBAN}."
REDACTED = "I am [e-mail address], [phone number], account [account number]."
COVER = "What is the minimum cover for a beam exposed to weather?"
CHESS = "Who won the chess championship of 1972?"
# Also what a refusal might say of a part of them.
SECRETS = ("zelda", "quist", "2345678", "3704 0044", "DE89", "“3704", "“0532", "“171")


@pytest.fixture
def redacting(settings: Any) -> None:
    settings.REDACT_QUESTIONS = True


def rows_with(*secrets: str) -> list[str]:
    """The tables that have one of the texts in a row, with that row."""
    found = []
    for table in connection.introspection.table_names():
        name = connection.ops.quote_name(table)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT t::text FROM {name} t")
            rows = [row for (row,) in cursor.fetchall()]
        found += [f"{table}: {row}" for row in rows for secret in secrets if secret in row]
    return found


def by_rest(plugin: Plugin, key: str, text: str) -> None:
    body = {
        "plugin": plugin.slug,
        "query": text,
        "context": [{"role": "user", "content": PERSON}, {"role": "assistant", "content": f"Hello {MAIL}."}],
        "facts": {"person": MAIL, "phone": PHONE},
        "options": {"filters": {"tags_any": [MAIL]}} if text.endswith(CHESS) else {},
    }
    sent = client_of(key).post("/api/v1/query", body, format="json", headers={"Idempotency-Key": "once"})
    assert sent.status_code == 200, sent.content


def by_chat(plugin: Plugin, key: str, text: str) -> None:
    body = {"model": plugin.slug, "messages": [{"role": "user", "content": text}], "user": MAIL}
    assert client_of(key).post("/v1/chat/completions", body, format="json").status_code == 200


def by_responses(plugin: Plugin, key: str, text: str) -> None:
    body = {"model": plugin.slug, "input": text, "metadata": {"patient": MAIL}}
    first = client_of(key).post("/v1/responses", body, format="json")
    assert first.status_code == 200, first.content
    body["previous_response_id"] = first.json()["id"]
    assert client_of(key).post("/v1/responses", body, format="json").status_code == 200


def by_a2a(plugin: Plugin, key: str, text: str) -> None:
    sent = {"role": "ROLE_USER", "parts": [{"text": text}, {"data": {"facts": {"person": MAIL}}}], "contextId": MAIL}
    for _ in range(2):
        body = {"jsonrpc": "2.0", "id": MAIL, "method": "SendMessage", "params": {"message": sent}}
        answered = client_of(key).post(f"/a2a/{plugin.slug}", body, format="json").json()
        assert answered["result"]["task"]["contextId"] == MAIL
    assert Query.objects.latest("created_at").context


def by_batch(plugin: Plugin, key: str, text: str) -> None:
    line = {"id": "q1", "plugin": plugin.slug, "query": text, "facts": {"person": MAIL}}
    made = client_of(key).generic("POST", "/api/v1/batch", json.dumps(line), "application/x-ndjson")
    assert made.status_code == 202, made.content
    assert not rows_with(*SECRETS)
    tasks.work_on_batch(batch_id=made.json()["id"])
    assert Batch.objects.get().state == Batch.State.DONE


def _another_plugin(plugin: Plugin) -> Plugin:
    other = Plugin.objects.create(
        owner=plugin.owner, name="Spacers", slug="spacers", domain="x", system_prompt="Brief."
    )
    give_document(other, title="Spacers", text="# Spacers\n\nThe nominal cover of a beam is 60 mm in harbours.\n")
    publish(other, by=plugin.owner)
    return other


def by_several_plugins(plugin: Plugin, key: str, text: str) -> None:
    body = {"plugins": [plugin.slug, _another_plugin(plugin).slug], "query": text, "facts": {"person": MAIL}}
    sent = client_of(key).post("/api/v1/query", body, format="json")
    assert sent.status_code == 200, sent.content


def by_room(plugin: Plugin, key: str, text: str) -> None:
    body = {"experts": [plugin.slug, _another_plugin(plugin).slug], "query": text, "facts": {"person": MAIL}}
    sent = client_of(key).post("/api/v1/collaborate", body, format="json", headers={"Idempotency-Key": "once"})
    assert sent.status_code == 200, sent.content


def by_plugin_page(plugin: Plugin, key: str, text: str) -> None:
    assert Client().post(f"/marketplace/{plugin.slug}/try", {"question": text}).status_code == 200


def by_public_chat(plugin: Plugin, key: str, text: str) -> None:
    Plugin.objects.filter(pk=plugin.pk).update(public_chat=True)
    assert Client().post(f"/chat/{plugin.slug}/ask", {"question": text}).status_code == 303
    assert ChatSession.objects.get().title.startswith("I am [e-mail")


def by_agent(plugin: Plugin, key: str, text: str) -> None:
    ask_agent(plugin, plugin.owner, text)
    asked = ChatMessage.objects.filter(role=ChatMessage.Role.USER).latest("pk")
    assert asked.content.startswith(REDACTED)
    assert asked.session.title.startswith("I am [e-mail")


@pytest.mark.parametrize("question", [COVER, CHESS], ids=["answered", "refused"])
@pytest.mark.parametrize(
    "door",
    [
        by_rest,
        by_chat,
        by_responses,
        by_a2a,
        by_batch,
        by_several_plugins,
        by_room,
        by_plugin_page,
        by_public_chat,
        by_agent,
    ],
)
def test_no_table_has_what_was_left_out(
    redacting: None, published: Plugin, key: str, door: Callable[..., None], question: str
) -> None:
    Webhook.objects.create(
        plugin=published,
        url="https://example.org/",
        events=Event.values,
        secret_encrypted="x",
        includes_questions=True,
    )
    door(published, key, f"{PERSON} {question}")
    assert Query.objects.filter(question__startswith=REDACTED).exists()
    assert rows_with(*SECRETS) == []


def test_a_webhook_is_told_what_is_stored(redacting: None, published: Plugin, key: str) -> None:
    Webhook.objects.create(
        plugin=published, url="https://example.org/", events=Event.values, secret_encrypted="x", includes_questions=True
    )
    by_rest(published, key, f"{PERSON} {CHESS}")
    assert Delivery.objects.get().data["question"] == f"{REDACTED} {CHESS}"


def answered(plugin: Plugin, text: str) -> Done:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    done = async_to_sync(pipeline.answer)(Question(text=text, release=release, caller=Caller(name="test")))
    assert isinstance(done, Done)
    return done


def test_the_answer_is_that_of_the_question_without_them(published: Plugin, settings: Any) -> None:
    plain = answered(published, COVER)
    settings.REDACT_QUESTIONS = True
    redacted = answered(published, f"{MAIL}, {PHONE}: {COVER}")
    assert Query.objects.latest("created_at").question == f"[e-mail address], [phone number]: {COVER}"
    assert redacted.answer.text == plain.answer.text
    assert "45 mm" in plain.answer.text
    assert [one.passage.chunk_id for one in redacted.answer.citations] == [
        one.passage.chunk_id for one in plain.answer.citations
    ]


def test_unless_the_site_wants_it_a_question_is_stored_as_it_was_asked(published: Plugin, key: str) -> None:
    by_rest(published, key, f"{PERSON} {CHESS}")
    row = Query.objects.get()
    assert (row.question, row.context[0]["content"], row.facts["phone"]) == (f"{PERSON} {CHESS}", PERSON, PHONE)


def test_what_documents_say_is_quoted_as_they_say_it(redacting: None, plugin: Plugin, alice: User) -> None:
    give_document(plugin, title="Desk", text=f"# Desk\n\nThe help desk for spacers is reached at {PHONE}.\n")
    publish(plugin, by=alice)
    done = answered(plugin, "How is the help desk for spacers reached?")
    assert PHONE in done.answer.text


def test_regions_of_phone_numbers_are_checked_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXIC_PHONE_REGIONS", "DE, US")
    assert read_redaction(Env()) == Redaction(questions=False, names=False, phone_regions=["DE", "US"])
    monkeypatch.setenv("LEXIC_PHONE_REGIONS", "Bavaria")
    with pytest.raises(EnvValidationError, match="LEXIC_PHONE_REGIONS"):
        read_redaction(Env())


def test_a_title_that_a_caller_gives_is_a_question_too(redacting: None, published: Plugin) -> None:
    """Programs make it of the first question; one that grows by what stands in it is cut."""
    client, as_json = Client(), "application/json"
    client.force_login(published.owner)
    made = client.post("/api/conversations", {"title": PERSON}, content_type=as_json)
    assert (made.status_code, made.json()["title"]) == (201, REDACTED)
    address = f"/api/conversations/{made.json()['id']}"
    longest = ("123-45-6789 " * 10).strip()
    assert client.patch(address, {"title": longest}, content_type=as_json).status_code == 200
    assert ChatSession.objects.get().title.startswith("[account number] [account")
    assert rows_with(*SECRETS, "123-45") == []
