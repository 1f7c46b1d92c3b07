"""Without a mail server whoever waits for a mail is told so, and nobody else waits."""

from __future__ import annotations

import smtplib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.test import AsyncClient, Client
from django.urls import reverse

from accounts import adapters
from accounts.models import User
from lexic.middleware.request_limit import request_slots
from organisations.invitations import invite_member
from organisations.models import Membership, Organisation

pytestmark = pytest.mark.django_db
PASSWORD = "a long walk home"


@pytest.fixture
def smtp(settings: Any) -> Iterator[socket.socket]:
    """A server that accepts and says nothing."""
    cache.clear()
    reverse("account_login")  # which addresses there are is decided once, by the settings of that moment
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.getsockname()
        settings.EMAIL_TIMEOUT = 0.3
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
        settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
        yield server


@pytest.mark.parametrize("hangs", [True, False])
@pytest.mark.parametrize("email", ["alice@example.org", "nobody@example.org"])
def test_who_asks_for_a_mail_is_told_to_come_back(
    client: Client, alice: User, smtp: socket.socket, caplog: pytest.LogCaptureFixture, hangs: bool, email: str
) -> None:
    if not hangs:
        smtp.close()
    client.raise_request_exception = False
    response = client.post(reverse("account_reset_password"), {"email": email})
    assert response.status_code == 503
    assert response["Retry-After"] == "60"
    assert "No mail can be sent at the moment." in response.content.decode()
    assert not any(record.exc_info for record in caplog.records if record.name != "django.request")


@pytest.mark.usefixtures("smtp")
def test_an_account_that_was_made_meanwhile_is_there(client: Client) -> None:
    client.raise_request_exception = False
    new = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(reverse("account_signup"), new).status_code == 503
    assert User.objects.get(email="new@example.org").check_password(PASSWORD)


@pytest.mark.usefixtures("smtp")
def test_a_password_is_changed_without_the_notice_of_it(
    client: Client, alice: User, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    alice.set_password(PASSWORD)
    alice.save()
    EmailAddress.objects.update_or_create(user=alice, email=alice.email, defaults={"verified": True, "primary": True})
    client.force_login(alice)
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": 9e9}]
    session.save()
    new = {"oldpassword": PASSWORD, "password1": f"{PASSWORD} again", "password2": f"{PASSWORD} again"}
    assert client.post(reverse("account_change_password"), new).status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(f"{PASSWORD} again")
    assert "a mail could not be sent: " in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_request_that_waits_for_the_mail_server_holds_no_slot(smtp: socket.socket, settings: Any) -> None:
    response, working = post_and_look(smtp, settings, reverse("account_reset_password"), email="nobody@example.org")
    assert (response.status_code, working) == (503, [0])


@pytest.mark.django_db(transaction=True)
def test_an_invitation_is_sent_when_its_transaction_has_ended(smtp: socket.socket, alice: User, settings: Any) -> None:
    """An earlier one for the same address stays as it was when the mail did not go out."""
    clinic = Organisation.objects.create_with_owner(name="Clinic", owner=alice)
    by = Membership.objects.get(organisation=clinic, user=alice)
    earlier, _ = invite_member(by, email="dana@example.org", role="viewer")
    address = reverse("invite_to_organisation", args=[clinic.pk])
    response, working = post_and_look(smtp, settings, address, person=alice, email="dana@example.org", role="editor")
    assert (response.status_code, working) == (400, [0])
    assert "so nobody was invited" in response.content.decode()
    assert list(clinic.invitations.values_list("pk", "role", "token_hash")) == [
        (earlier.pk, "viewer", earlier.token_hash)
    ]


def post_and_look(
    smtp: socket.socket, settings: Any, address: str, *, person: User | None = None, **form: str
) -> tuple[Any, list[int]]:
    """The response, and how many requests held a slot when the mail server was asked."""
    settings.EMAIL_TIMEOUT = 5
    working: list[int] = []

    def accept() -> None:
        connection, _ = smtp.accept()
        working.append(request_slots().counts()["working"])
        connection.close()

    server = threading.Thread(target=accept)
    server.start()
    client = AsyncClient(raise_request_exception=False)
    if person:
        client.force_login(person)
    response = async_to_sync(client.post)(address, form)
    server.join()
    return response, working


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [(550, 422, "The mail server refuses this address."), (450, 503, "No mail can be sent at the moment.")],
)
def test_whose_address_the_mail_server_refuses_is_told_so(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch, code: int, status: int, said: str
) -> None:
    def refuse(mail: object) -> None:
        raise smtplib.SMTPRecipientsRefused({alice.email: (code, b"no such user")})

    cache.clear()
    monkeypatch.setattr(adapters, "send", refuse)
    client.raise_request_exception = False
    response = client.post(reverse("account_reset_password"), {"email": alice.email})
    assert (response.status_code, response.has_header("Retry-After")) == (status, status == 503)
    assert said in response.content.decode()
