"""A visitor calls an answer of the public chat right or wrong: the author learns what, and not who."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone

from conversations.models import ChatSession
from plugins.models import Plugin
from querying.models import Feedback, Query
from tests.conversations.asking import WORN

pytestmark = pytest.mark.django_db


def asked(client: Client) -> tuple[str, UUID]:
    """Where the answer is rated, and which it is."""
    assert client.post("/chat/boots/ask", {"question": WORN}).status_code == 303
    return f"/chat/boots/{ChatSession.objects.get().pk}/rate", Query.objects.get().pk


def waiting() -> list[Any]:
    return list(Query.objects.needing_attention(since=timezone.now().replace(year=2020)))


def test_what_is_called_wrong_waits_in_the_inbox_with_the_reason_and_nobodys_name(chat: Plugin, client: Client) -> None:
    address, answer = asked(client)
    assert waiting() == []
    said = {"answer": answer, "verdict": "down", "note": "Rubber boots as well."}
    response = client.post(address, said)
    assert (response.status_code, response["Location"]) == (303, f"{address.removesuffix('/rate')}#turn-{answer}")
    feedback = Feedback.objects.get()
    assert (feedback.verdict, feedback.note, feedback.user, feedback.query_id) == (
        "down",
        "Rubber boots as well.",
        None,
        answer,
    )
    assert [one.pk for one in waiting()] == [answer]
    assert "You called this wrong." in client.get("/chat/boots").content.decode()


def test_the_latest_opinion_counts(chat: Plugin, client: Client) -> None:
    address, answer = asked(client)
    client.post(address, {"answer": answer, "verdict": "down"})
    client.post(address, {"answer": answer, "verdict": "up"})
    assert Feedback.objects.get().verdict == "up"
    assert waiting() == []
    assert "You called this right." in client.get("/chat/boots").content.decode()


def test_bad_input_changes_nothing(chat: Plugin, client: Client) -> None:
    address, answer = asked(client)
    for wrong, status in (
        ({"answer": answer, "verdict": "maybe"}, 400),
        ({"answer": "x", "verdict": "up"}, 400),
        ({"answer": answer, "verdict": "down", "note": "x" * 501}, 400),
        ({"answer": uuid4(), "verdict": "up"}, 404),
    ):
        assert client.post(address, wrong).status_code == status
    assert client.get(address).status_code == 405
    assert not Feedback.objects.exists()


def test_only_the_visitor_who_asked_rates_and_only_what_was_asked_there(chat: Plugin, client: Client) -> None:
    address, answer = asked(client)
    stranger = Client()
    assert stranger.post(address, {"answer": answer, "verdict": "down"}).status_code == 404
    stranger.post("/chat/boots/ask", {"question": WORN})
    own = ChatSession.objects.exclude(pk=address.split("/")[3]).get()
    assert stranger.post(f"/chat/boots/{own.pk}/rate", {"answer": answer, "verdict": "down"}).status_code == 404
    Plugin.objects.update(public_chat=False)
    assert client.post(address, {"answer": answer, "verdict": "down"}).status_code == 404
    assert not Feedback.objects.exists()


def test_mail_addresses_in_a_reason_are_left_out_where_the_site_wants_that(
    chat: Plugin, client: Client, settings: Any
) -> None:
    settings.REDACT_QUESTIONS = True
    address, answer = asked(client)
    client.post(address, {"answer": answer, "verdict": "down", "note": "Write to me@example.org."})
    assert "me@example.org" not in Feedback.objects.get().note
