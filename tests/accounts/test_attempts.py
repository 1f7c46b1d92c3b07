"""Guessing: how often somebody may try, by their own address even behind a proxy, and what the answers give away."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def limits(settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {}  # those of allauth
    cache.clear()


def try_in(client: Client, email: str, password: str = "not it at all", **headers: str) -> Any:
    form = {"login": email, "password": password}
    return client.post(reverse("account_login"), form, headers=headers)


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_after_a_few_wrong_passwords_even_the_right_one_has_to_wait(alice: User, client: Client) -> None:
    for _ in range(5):
        try_in(client, alice.email)
    response = try_in(client, alice.email, PASSWORD)
    assert not is_signed_in(client)
    assert "Too many failed" in response.content.decode()


def test_it_is_the_same_for_an_address_that_nobody_has(client: Client) -> None:
    answers = [try_in(client, "nobody@example.org") for _ in range(6)]
    assert "Too many failed" in answers[-1].content.decode()


def test_one_address_tries_no_more_accounts_after_some(client: Client) -> None:
    for number in range(10):
        try_in(client, f"person{number}@example.org")
    assert "Too many failed" in try_in(client, "another@example.org").content.decode()


def test_a_network_of_addresses_counts_as_one(client: Client) -> None:
    for number in range(10):
        form = {"login": f"person{number}@example.org", "password": "not it at all"}
        client.post(reverse("account_login"), form, REMOTE_ADDR=f"2001:db8:1:2::{number + 1}")
    form = {"login": "another@example.org", "password": "not it at all"}
    said = client.post(reverse("account_login"), form, REMOTE_ADDR="2001:db8:1:2:ffff::1").content.decode()
    assert "Too many failed" in said


def test_without_a_proxy_nobody_can_say_that_they_come_from_elsewhere(client: Client) -> None:
    for number in range(10):
        try_in(client, f"person{number}@example.org", **{"X-Forwarded-For": f"198.51.100.{number}"})
    said = try_in(client, "another@example.org", **{"X-Forwarded-For": "198.51.100.99"}).content.decode()
    assert "Too many failed" in said


def test_behind_a_proxy_each_visitor_has_their_own_limit(alice: User, client: Client, settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(10):
        try_in(client, f"person{number}@example.org", **{"X-Forwarded-For": "203.0.113.9"})
    try_in(client, alice.email, PASSWORD, **{"X-Forwarded-For": "198.51.100.7"})
    assert is_signed_in(client)


def test_behind_a_proxy_what_a_visitor_adds_to_the_header_counts_for_nothing(client: Client, settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(10):
        try_in(client, f"person{number}@example.org", **{"X-Forwarded-For": f"10.0.0.{number}, 203.0.113.9"})
    said = try_in(client, "another@example.org", **{"X-Forwarded-For": "10.0.0.99, 203.0.113.9"}).content.decode()
    assert "Too many failed" in said


@pytest.mark.parametrize("name", ["account_signup", "account_reset_password"])
def test_signing_up_and_resetting_have_limits_shown_kindly(client: Client, name: str) -> None:
    form = {"password1": "a long walk home", "password2": "a long walk home"}
    statuses = []
    for number in range(22):
        response = Client().post(reverse(name), {**form, "email": f"person{number}@example.org"})
        statuses.append(response.status_code)
    assert statuses[-1] == 429
    assert "csrf" not in response.content.decode().lower()
    assert "Lexic" in response.content.decode()


def test_a_reset_says_the_same_of_every_address(alice: User, client: Client) -> None:
    known = client.post(reverse("account_reset_password"), {"email": alice.email})
    unknown = client.post(reverse("account_reset_password"), {"email": "nobody@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])


def test_signing_in_gives_the_session_another_name(alice: User, client: Client) -> None:
    client.get(reverse("account_login"))
    session = client.session
    session["before"] = "signing in"
    session.save()
    fixed = session.session_key
    client.cookies["sessionid"] = fixed
    try_in(client, alice.email, PASSWORD)
    assert is_signed_in(client)
    assert client.session.session_key != fixed


def test_a_new_password_ends_the_other_sessions(alice: User, client: Client) -> None:
    other = Client()
    for one in (client, other):
        one.force_login(alice)
    form = {"oldpassword": PASSWORD, "password1": "a long walk home", "password2": "a long walk home"}
    client.post(reverse("account_change_password"), form)
    assert client.get(reverse("profile")).status_code == 200
    assert other.get(reverse("profile")).status_code == 302


def test_other_sessions_are_ended_by_hand(alice: User) -> None:
    clients = [Client(), Client()]
    for one in clients:
        try_in(one, alice.email, PASSWORD)
    clients[0].post(reverse("usersessions_list"))
    assert [one.get(reverse("profile")).status_code for one in clients] == [200, 302]


def test_where_confirming_is_mandatory_the_code_leads_on(client: Client, settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
    form = {"email": "erin@example.org", "password1": "a long walk home", "password2": "a long walk home"}
    client.post(f"{reverse('account_signup')}?next=/api-keys", {**form, "next": "/api-keys"})
    assert not is_signed_in(client)
    page = client.get(reverse("account_email_verification_sent")).content.decode()
    assert "erin@example.org" in page
    found = re.search(r"^([A-Z0-9]{3,}(?:-[A-Z0-9]{3,})*)$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found
    done = client.post(reverse("account_email_verification_sent"), {"code": found[1]})
    assert done["Location"] == "/api-keys"
    assert is_signed_in(client)


def test_where_confirming_is_mandatory_a_known_address_looks_like_a_new_one(alice: User, settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
    answers = []
    for email in (alice.email, "new@example.org"):
        form = {"email": email, "password1": "a long walk home", "password2": "a long walk home"}
        response = Client().post(reverse("account_signup"), form)
        answers.append((response.status_code, response["Location"]))
    assert answers[0] == answers[1]
