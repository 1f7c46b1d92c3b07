"""What needs a fresh sign-in, and what counts as one."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts import reauthentication_code
from accounts.models import ApiKey, User
from tests.accounts.signing import age, signed_in_by, signed_in_elsewhere

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
    for _ in range(reauthentication_code.MAX_TRIES):
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


# --- People with a password ----------------------------------------------------------------------------------

DELICATE = ["mfa_activate_totp", "mfa_add_webauthn"]


def signed_in_with_a_password(user: User) -> Client:
    client = Client()
    client.post(reverse("account_login"), {"login": user.email, "password": "correct horse battery"})
    return client


@pytest.fixture
def known(alice: User) -> User:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    return alice


@pytest.mark.parametrize("name", DELICATE)
def test_right_after_signing_in_with_a_password_nothing_is_asked(known: User, name: str) -> None:
    assert signed_in_with_a_password(known).get(reverse(name)).status_code == 200


def test_right_after_signing_in_with_a_password_keys_and_data_are_given(known: User) -> None:
    key, secret = ApiKey.objects.issue(owner=known, name="agent")
    client = signed_in_with_a_password(known)
    assert secret in client.post(reverse("reveal_key", args=[key.pk])).content.decode()
    body = {"reveal": True}
    assert client.patch(f"/api/api-keys/{key.pk}", body, content_type="application/json").json()["key"] == secret
    assert client.post(reverse("export_your_data"))["Content-Type"] == "application/zip"


@pytest.mark.parametrize("name", DELICATE)
def test_an_old_sign_in_with_a_password_is_asked_again(known: User, name: str) -> None:
    response = age(signed_in_with_a_password(known), seconds=301).get(reverse(name))
    assert response["Location"].startswith(reverse("account_reauthenticate"))


@pytest.mark.parametrize(("seconds", "status"), [(0, 200), (301, 302)])
def test_a_sign_in_with_a_passkey_counts_for_as_long(known: User, seconds: int, status: int) -> None:
    passkey = {"method": "mfa", "type": "webauthn", "id": 1, "passwordless": True}
    client = age(signed_in_by(known, passkey), seconds=seconds)
    assert client.get(reverse("mfa_activate_totp")).status_code == status


def test_who_has_a_password_is_asked_for_it_after_coming_from_elsewhere(known: User) -> None:
    """A provider may let in whoever sits at the browser."""
    response = signed_in_elsewhere(known).get(reverse("mfa_activate_totp"))
    assert response["Location"].startswith(reverse("account_reauthenticate"))


def test_the_second_step_after_coming_from_elsewhere_counts(known: User) -> None:
    client = signed_in_by(known, {"method": "socialaccount"}, {"method": "mfa", "type": "totp", "id": 1})
    assert client.get(reverse("mfa_activate_totp")).status_code == 200


def test_what_somebody_else_confirmed_in_this_browser_does_not_count(known: User, bob: User) -> None:
    client = signed_in_by(bob, {"method": "password"})
    client.force_login(known)
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time()}]
    session["account_authentication_methods_user"] = str(bob.pk)
    session.save()
    assert client.get(reverse("mfa_activate_totp")).status_code == 302
