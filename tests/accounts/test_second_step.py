"""The second step: codes from an app and recovery codes at the view level; passkeys are tested in a browser."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


@pytest.fixture
def secret(alice: User) -> str:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    secret = generate_totp_secret()
    TOTP.activate(alice, secret)
    return secret


def sign_in(client: Client, user: User, *, to: str = "/admin/") -> Any:
    form = {"login": user.email, "password": PASSWORD, "next": to}
    return client.post(reverse("account_login"), form)


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_the_password_alone_opens_nothing(alice: User, client: Client, secret: str) -> None:
    response = sign_in(client, alice)
    assert response["Location"].startswith(reverse("mfa_authenticate"))
    assert not is_signed_in(client)
    assert client.get("/admin/").status_code == 302
    assert client.get("/api/api-keys").status_code == 401


def test_the_code_opens_the_builder_where_the_person_was_going(alice: User, client: Client, secret: str) -> None:
    sign_in(client, alice)
    response = client.post(reverse("mfa_authenticate"), {"code": code_of(secret)})
    assert response["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_the_builder_has_no_way_in_of_its_own(alice: User, client: Client, secret: str) -> None:
    form = {"username": alice.email, "password": PASSWORD}
    response = client.post("/admin/login/", form)
    assert response["Location"].startswith(reverse("account_login"))
    assert not is_signed_in(client)


@pytest.mark.parametrize(("steps_ago", "opens"), [(0, True), (1, True), (2, False)])
def test_a_code_may_be_one_step_old(
    alice: User, client: Client, secret: str, monkeypatch: pytest.MonkeyPatch, steps_ago: int, opens: bool
) -> None:
    """It is typed and sent while the next half minute begins."""
    now = 1_900_000_000
    monkeypatch.setattr(totp, "time", SimpleNamespace(time=lambda: float(now)))
    sign_in(client, alice)
    client.post(reverse("mfa_authenticate"), {"code": format_hotp_value(hotp_value(secret, now // 30 - steps_ago))})
    assert is_signed_in(client) is opens


@pytest.mark.parametrize("code", ["000000", "", "abcdef", "1" * 500])
def test_a_wrong_code_opens_nothing(alice: User, client: Client, secret: str, code: str) -> None:
    sign_in(client, alice)
    assert client.post(reverse("mfa_authenticate"), {"code": code}).status_code == 200
    assert not is_signed_in(client)


def test_a_code_is_good_once(alice: User, client: Client, secret: str) -> None:
    code = code_of(secret)
    sign_in(client, alice)
    client.post(reverse("mfa_authenticate"), {"code": code})
    other = Client()
    sign_in(other, alice)
    other.post(reverse("mfa_authenticate"), {"code": code})
    assert (is_signed_in(client), is_signed_in(other)) == (True, False)


def test_a_recovery_code_opens_once(alice: User, client: Client, secret: str) -> None:
    RecoveryCodes.activate(alice)
    code = Authenticator.objects.get(user=alice, type="recovery_codes").wrap().get_unused_codes()[0]
    for expected in (True, False):
        visitor = Client()
        sign_in(visitor, alice)
        visitor.post(reverse("mfa_authenticate"), {"code": code})
        assert is_signed_in(visitor) is expected


def test_secrets_are_not_readable_in_the_database(alice: User, secret: str) -> None:
    RecoveryCodes.activate(alice)
    seed = Authenticator.objects.get(user=alice, type="recovery_codes").wrap().get_unused_codes()[0]
    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept
    assert seed not in kept


def test_under_another_encryption_key_no_code_opens(alice: User, client: Client, secret: str, settings: Any) -> None:
    settings.ENCRYPTION_KEY = "another one"
    sign_in(client, alice)
    for code in (code_of(secret), code_of("")):
        assert client.post(reverse("mfa_authenticate"), {"code": code}).status_code == 200
    assert not is_signed_in(client)


def test_an_address_that_is_not_confirmed_gets_no_second_step(alice: User, client: Client) -> None:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=False, primary=True)
    client.force_login(alice)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    told = client.get(reverse("mfa_activate_totp"), follow=True).content.decode()
    assert "verified your email address" in told or "confirm" in told
    client.post(reverse("mfa_activate_totp"), {"code": code_of("")})
    assert not Authenticator.objects.exists()


def test_operators_take_a_lost_one_away_and_see_no_secret(alice: User, client: Client, secret: str) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", PASSWORD))
    row = Authenticator.objects.get()
    page = client.get(reverse("admin:mfa_authenticator_change", args=[row.pk])).content.decode()
    assert row.data["secret"] not in page
    client.post(reverse("admin:mfa_authenticator_delete", args=[row.pk]), {"post": "yes"})
    assert not Authenticator.objects.exists()


def test_authors_do_not_see_the_second_steps_of_others(bob: User, client: Client, secret: str) -> None:
    client.force_login(bob)
    assert client.get(reverse("admin:mfa_authenticator_changelist")).status_code == 403
