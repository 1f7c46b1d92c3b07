"""What needs a fresh sign-in, for people who have no password to confirm."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts import mailed_code
from accounts.models import ApiKey, User
from tests.accounts.signing import age, signed_in_elsewhere

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


@pytest.fixture
def gina(db: None) -> User:
    return User.objects.create_user("gina@example.org", display_name="Gina")


@pytest.fixture
def key(gina: User) -> tuple[ApiKey, str]:
    return ApiKey.objects.issue(owner=gina, name="agent")


def the_code() -> str:
    found = re.search(r"^([A-Z0-9]{3,}(?:-[A-Z0-9]{3,})*)$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found
    return found[1]


def test_right_after_signing_in_elsewhere_nothing_is_asked(gina: User, key: tuple[ApiKey, str]) -> None:
    client = signed_in_elsewhere(gina)
    assert key[1] in client.post(reverse("reveal_key", args=[key[0].pk])).content.decode()


def test_later_a_code_is_mailed_and_then_what_was_wanted_goes_on(gina: User, key: tuple[ApiKey, str]) -> None:
    client = age(signed_in_elsewhere(gina))
    asked = client.post(reverse("reveal_key", args=[key[0].pk]))
    assert asked["Location"].split("?")[0] == reverse("reauthenticate_by_code")
    assert "gina@example.org" in client.get(asked["Location"]).content.decode()
    form = {"code": the_code(), "next": reverse("reveal_key", args=[key[0].pk])}
    assert key[1] in client.post(asked["Location"], form).content.decode()
    assert mail.outbox[-1].to == ["gina@example.org"]


@pytest.mark.parametrize("path", ["mfa_activate_totp", "mfa_add_webauthn"])
def test_a_session_left_open_adds_no_second_step(gina: User, path: str) -> None:
    client = age(signed_in_elsewhere(gina))
    assert client.get(reverse(path))["Location"].startswith(reverse("reauthenticate_by_code"))


def test_a_session_left_open_takes_no_other_address(alice: User, client: Client) -> None:
    client.force_login(alice)
    form = {"email": "mallory@example.org", "action_add": ""}
    response = client.post(reverse("account_email"), form)
    assert response["Location"].startswith(reverse("account_reauthenticate"))


def test_wrong_codes_use_up_the_right_one(gina: User) -> None:
    client = age(signed_in_elsewhere(gina))
    client.get(reverse("reauthenticate_by_code"))
    code = the_code()
    for _ in range(mailed_code.MOST_TRIES):
        client.post(reverse("reauthenticate_by_code"), {"code": "WRONG"})
    said = client.post(reverse("reauthenticate_by_code"), {"code": code}).content.decode()
    assert "This is not the code that was sent" in said


def test_the_code_of_another_session_is_not_taken(gina: User) -> None:
    first, second = age(signed_in_elsewhere(gina)), age(signed_in_elsewhere(gina))
    first.get(reverse("reauthenticate_by_code"))
    code = the_code()
    second.get(reverse("reauthenticate_by_code"))
    assert second.post(reverse("reauthenticate_by_code"), {"code": code}).status_code == 200


def test_codes_are_not_mailed_without_end(gina: User) -> None:
    client = age(signed_in_elsewhere(gina))
    pages = [client.get(reverse("reauthenticate_by_code")).content.decode() for _ in range(4)]
    assert len(mail.outbox) == 2
    assert "Several codes were sent to you already" in pages[-1]


def test_who_has_a_password_is_asked_for_that(alice: User, client: Client) -> None:
    client.force_login(alice)
    response = client.get(reverse("reauthenticate_by_code"))
    assert response["Location"].startswith(reverse("account_reauthenticate"))
    assert mail.outbox == []


def test_the_code_is_nowhere_in_the_session(gina: User) -> None:
    client = age(signed_in_elsewhere(gina))
    client.get(reverse("reauthenticate_by_code"))
    assert the_code() not in str(dict(client.session))


def test_the_api_asks_for_a_fresh_sign_in_too(gina: User, key: tuple[ApiKey, str]) -> None:
    def reveal(client: Client) -> Any:
        body = {"reveal": True}
        return client.patch(f"/api/api-keys/{key[0].pk}", body, content_type="application/json").json()

    assert reveal(age(signed_in_elsewhere(gina)))["code"] == "fresh_sign_in_needed"
    assert reveal(signed_in_elsewhere(gina))["key"] == key[1]
