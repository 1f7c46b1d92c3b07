"""The chat's page in a frame: only of sites that the author names, and asking works there without cookies."""

from __future__ import annotations

import pytest
from django.test import Client

from conversations.models import ChatMessage
from plugins.models import Plugin
from tests.conversations.asking import WORN

pytestmark = pytest.mark.django_db

SITE = "https://www.example.org"


def ask(client: Client, **headers: str) -> int:
    return client.post("/chat/boots/ask", {"question": WORN}, **headers).status_code


def test_no_site_may_show_it_unless_the_author_says_so(chat: Plugin, client: Client) -> None:
    page = client.get("/chat/boots")
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]


def test_the_sites_that_the_author_names_may(chat: Plugin, client: Client) -> None:
    Plugin.objects.update(embed_origins=[SITE, "https://two.example.org"])
    page = client.get("/chat/boots")
    assert "X-Frame-Options" not in page
    assert f"frame-ancestors 'self' {SITE} https://two.example.org" in page["Content-Security-Policy"]
    assert client.get("/marketplace/boots")["X-Frame-Options"] == "DENY"


def test_a_question_from_the_frame_needs_no_cookie_and_one_from_elsewhere_is_refused(chat: Plugin) -> None:
    client = Client(enforce_csrf_checks=True)
    assert ask(client, HTTP_ORIGIN="http://testserver") == 403
    Plugin.objects.update(embed_origins=[SITE])
    assert ask(client, HTTP_ORIGIN=SITE) == 403
    assert ask(client) == 403
    assert not ChatMessage.objects.exists()
    assert ask(client, HTTP_ORIGIN="http://testserver") == 303
    assert ChatMessage.objects.exists()


def test_in_a_frame_over_https_the_conversation_goes_on(chat: Plugin) -> None:
    Plugin.objects.update(embed_origins=[SITE])
    client = Client(enforce_csrf_checks=True)
    asked = client.post("/chat/boots/ask", {"question": WORN}, secure=True, HTTP_ORIGIN="https://testserver")
    cookie = asked.cookies["lexic_chat"].OutputString()
    assert {"Secure", "HttpOnly", "SameSite=None", "Partitioned", "Path=/chat"} <= set(cookie.split("; "))
    again = client.get("/chat/boots", secure=True)
    assert WORN in again.content.decode()


@pytest.mark.parametrize(("embed_origins", "secure"), [([], True), ([SITE], False)])
def test_a_cookie_is_partitioned_only_where_it_works_in_a_frame(
    chat: Plugin, client: Client, embed_origins: list[str], secure: bool
) -> None:
    Plugin.objects.update(embed_origins=embed_origins)
    asked = client.post("/chat/boots/ask", {"question": WORN}, secure=secure)
    assert asked.cookies["lexic_chat"].OutputString().endswith("SameSite=Lax")
