"""Whether confirming an address can wait, and where a confirmed one leads: on with what its owner signed up for."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db
SIGN_UP = {"email": "erin@example.org", "password1": "a long walk home", "password2": "a long walk home"}
MAILED = re.compile(r"https?://[^/\s]+(/accounts/confirm-email/\S+)")


def sign_up(client: Client, *, to: str = "") -> str:
    """The path that the mail asks to open."""
    client.post(reverse("account_signup"), SIGN_UP | ({"next": to} if to else {}))
    found = MAILED.search(str(mail.outbox[-1].body))
    assert found
    return found[1]


def confirmed(client: Client, path: str) -> str:
    return client.post(path).headers["Location"]


@pytest.mark.parametrize(("verification", "may_wait"), [("optional", True), ("mandatory", False)])
def test_after_signing_up_one_is_told_whether_that_can_wait(
    client: Client, settings: Any, verification: str, may_wait: bool
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = not may_wait
    shown = client.post(reverse("account_signup"), SIGN_UP, follow=True).content.decode()
    assert ("You can continue now and do that later." in shown) == may_wait


def test_it_leads_to_where_the_sign_up_was_to_lead(client: Client) -> None:
    link = sign_up(client, to="/accounts/become-author")
    assert confirmed(client, link) == "/accounts/become-author"


def test_it_leads_nowhere_outside(client: Client) -> None:
    link = sign_up(client, to="https://elsewhere.example/")
    assert confirmed(client, link) == "/"


def test_an_author_is_led_to_the_builder(client: Client) -> None:
    link = sign_up(client)
    User.objects.filter(email=SIGN_UP["email"]).update(is_staff=True)
    assert confirmed(client, link) == reverse("admin:index")


def test_another_browser_learns_nothing_of_the_way(client: Client) -> None:
    link = sign_up(client, to="/accounts/become-author")
    assert confirmed(Client(), link) == reverse("account_login")


def test_in_another_browser_signing_in_does_not_lead_back_to_the_link_that_was_used(client: Client) -> None:
    link = sign_up(client)
    sent_from = {"Referer": f"http://testserver{link}"}
    assert Client().post(link, headers=sent_from).headers["Location"] == reverse("account_login")
