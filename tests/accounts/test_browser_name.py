"""What a session is called on the page of sessions."""

from __future__ import annotations

import pytest
from allauth.usersessions.models import UserSession
from django.test import Client
from django.utils import translation

from accounts.models import User
from accounts.templatetags.sessions import browser_name

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (FIREFOX, "Firefox 133 on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 "
            "Safari/537.36 Edg/131.0.0.0",
            "Edge 131 on Windows",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 "
            "Safari/605.1.15",
            "Safari 18 on macOS",
        ),
        ("curl/8.5.0", "curl 8"),
        ("my own agent", "my own agent"),
        ("x" * 200, "x" * 89 + "…"),
        ("", "An unnamed browser"),
    ],
)
def test_a_browser_and_its_system_are_named_in_words(header: str, name: str) -> None:
    assert browser_name(header) == name


def test_it_is_named_in_the_language_of_the_page() -> None:
    with translation.override("de"):
        assert browser_name(FIREFOX) == "Firefox 133 auf Linux"


@pytest.mark.django_db
def test_the_page_of_sessions_names_them_and_keeps_what_was_sent_as_a_title(client: Client, alice: User) -> None:
    client.force_login(alice)
    noted = {"user": alice, "ip": "127.0.0.1", "user_agent": FIREFOX}
    UserSession.objects.update_or_create(session_key=client.session.session_key, defaults=noted)
    page = client.get("/accounts/sessions/").content.decode()
    assert f'<b title="{FIREFOX}">Firefox 133 on Linux</b>' in page
