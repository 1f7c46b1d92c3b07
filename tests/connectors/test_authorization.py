"""A Google Drive is connected by its owner, once, in the browser in which they began."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.core import signing
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from connectors import revocation
from connectors.models import DriveConnection, DriveRevocation
from connectors.revocation import MAX_ATTEMPTS, revoke_due
from connectors.tasks import revoke_tokens
from privacy.account_deletion import delete_account
from privacy.data_export import export_personal_data
from privacy.personal_data import PERSONAL_DATA_RULES
from tests.google_stub import REFRESH_TOKEN, SCOPE, Google

pytestmark = pytest.mark.django_db
DRIVE = "/api/connectors/google-drive"


def begin(client: APIClient, google: Google) -> dict[str, str]:
    """What Google is asked, after the person has been sent there."""
    sent = client.get(f"{DRIVE}/authorize")
    assert sent.status_code == 302, sent.content
    assert sent["Location"].startswith(f"{google.url}/authorize?")
    asked = dict(parse_qsl(urlsplit(sent["Location"]).query))
    google.challenge = asked["code_challenge"]
    return asked


def come_back(client: APIClient, **said: str) -> str:
    """What the page then says."""
    back = client.get(f"{DRIVE}/callback", {"scope": SCOPE, "authuser": "0", **said})
    assert (back.status_code, back["Location"]) == (302, "/accounts/connections")
    return client.get(back["Location"]).content.decode()


def test_jl_056_a_drive_is_connected_by_code_with_pkce_and_the_least_scope(
    client: APIClient, alice: User, google: Google
) -> None:
    asked = begin(client, google)
    assert (asked["scope"], asked["code_challenge_method"]) == (SCOPE, "S256")
    assert (asked["access_type"], asked["response_type"]) == ("offline", "code")
    page = come_back(client, state=asked["state"], code="c0de")
    assert "Your Google Drive is connected." in page
    assert "ada@gmail.example" in page
    connection = DriveConnection.objects.get(user=alice)
    assert connection.refresh_token() == REFRESH_TOKEN
    [exchanged] = google.said("/token")
    assert exchanged["redirect_uri"] == asked["redirect_uri"] == f"http://localhost:8000{DRIVE}/callback"
    assert client.get(f"{DRIVE}/files").json()["results"] == []


def test_the_token_is_sealed_and_shown_to_nobody(
    client: APIClient, alice: User, google: Google, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    page = come_back(client, state=begin(client, google)["state"], code="c0de")
    row = DriveConnection.objects.values().get()
    with export_personal_data(alice) as copy:
        exported = copy.read()
    for shown in (page, str(row), caplog.text, str(client.get(f"{DRIVE}/files").json())):
        assert REFRESH_TOKEN not in shown
        assert "access-1" not in shown
    assert REFRESH_TOKEN.encode() not in exported
    assert not {"refresh_token_encrypted", "access_token_encrypted"} & _exported_columns()


def _exported_columns() -> set[str]:
    return set(PERSONAL_DATA_RULES["connectors.DriveConnection.user"].columns)


def test_a_state_counts_once(client: APIClient, google: Google) -> None:
    state = begin(client, google)["state"]
    come_back(client, state=state, code="c0de")
    assert "was not started in this browser" in come_back(client, state=state, code="c0de")
    assert len(google.said("/token")) == 1


def test_a_state_of_another_person_session_or_time_counts_for_nothing(
    client: APIClient, alice: User, bob: User, google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = begin(client, google)["state"]
    elsewhere, bobs = APIClient(), APIClient()
    elsewhere.force_login(alice)
    bobs.force_login(bob)
    begin(bobs, google)
    made_up = signing.dumps(["nonce", str(alice.pk)], salt="another")
    refused = [(elsewhere, state), (bobs, state), (client, made_up)]
    for browser, one in [*refused, (client, state)]:  # the last was used up by the one before
        assert "was not started in this browser" in come_back(browser, state=one, code="c0de")
    state = begin(client, google)["state"]
    monkeypatch.setattr("connectors.authorization.STATE_SECONDS", -1)
    assert "was not started in this browser" in come_back(client, state=state, code="c0de")
    assert not DriveConnection.objects.exists()
    assert google.asked == []


@pytest.mark.parametrize("said", [{"error": "access_denied"}, {}, {"code": ""}])
def test_who_does_not_allow_it_is_not_connected(client: APIClient, google: Google, said: dict[str, str]) -> None:
    assert "was not connected" in come_back(client, state=begin(client, google)["state"], **said)
    assert google.asked == []


def test_who_leaves_the_files_out_is_not_connected_and_the_token_is_given_back(
    client: APIClient, google: Google
) -> None:
    google.scope = "openid"
    assert "was not connected" in come_back(client, state=begin(client, google)["state"], code="c0de")
    assert google.revoked == [REFRESH_TOKEN]
    assert not DriveConnection.objects.exists()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((400, {}, b'{"error": "invalid_grant"}'), "was not connected"),
        ((401, {}, b'{"error": "invalid_client"}'), "does not know this site"),
        ((200, {}, b"<html>garbage"), "did not answer as it should"),
        ((200, {}, b'{"access_token": "a\\nb", "refresh_token": "r"}'), "did not answer as it should"),
        ((200, {}, b"[" * 5000), "did not answer as it should"),
        ((500, {}, b""), "did not answer as it should"),
        ((429, {"Retry-After": "9"}, b""), "takes no more requests"),
        ((302, {"Location": "http://169.254.169.254/"}, b""), "did not answer as it should"),
    ],
)
def test_what_google_may_say_of_a_code(client: APIClient, google: Google, answer: Any, said: str) -> None:
    google.answers["/token"] = answer
    assert said in come_back(client, state=begin(client, google)["state"], code="c0de")
    assert not DriveConnection.objects.exists()


def test_a_key_connects_nothing_and_neither_does_a_stranger(alice: User, google: Google) -> None:
    _, secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=["query", "read", "author"])
    keyed = APIClient()
    keyed.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    for method, name in [("get", "authorize"), ("get", "callback"), ("post", "disconnect"), ("get", "files")]:
        refused = getattr(keyed, method)(f"{DRIVE}/{name}")
        assert (refused.status_code, refused.json()["code"]) == (403, "session_required"), name
        assert getattr(APIClient(), method)(f"{DRIVE}/{name}").status_code == 401, name


def test_without_a_client_of_google_every_route_says_so(client: APIClient, settings: Any) -> None:
    settings.GOOGLE_DRIVE = {**settings.GOOGLE_DRIVE, "client_id": "", "secret": ""}
    for refused in (
        client.get(f"{DRIVE}/authorize"),
        client.get(f"{DRIVE}/files"),
        client.post(f"{DRIVE}/import", {"fileIds": ["a"]}, format="json"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (409, "drive_not_set_up")
        assert "LEXIC_GOOGLE_CLIENT_ID" in refused.json()["hint"]
    page = client.get("/accounts/connections").content.decode()
    assert "not set up for Google Drive" in page
    assert f"{DRIVE}/authorize" not in page
    assert "Connections</a>" not in client.get("/accounts/data").content.decode()


# --- The end of it ------------------------------------------------------------------------------------------------


def test_disconnecting_takes_the_permission_back(
    client: APIClient, connection: DriveConnection, google: Google
) -> None:
    assert client.post(f"{DRIVE}/disconnect", {}, format="json").json() == {"isRevoked": True}
    assert google.revoked == [REFRESH_TOKEN]
    refused = client.get(f"{DRIVE}/files")
    assert (refused.status_code, refused.json()["code"]) == (409, "drive_not_connected")
    assert client.post(f"{DRIVE}/disconnect", {}, format="json").json() == {"isRevoked": True}


def test_the_page_disconnects_as_well(client: APIClient, connection: DriveConnection, google: Google) -> None:
    assert "ada@gmail.example" in client.get("/accounts/connections").content.decode()
    done = client.post("/accounts/connections/google-drive/disconnect", follow=True)
    assert "is disconnected." in done.content.decode()
    assert google.revoked == [REFRESH_TOKEN]


def test_google_is_told_later_where_it_is_away(client: APIClient, connection: DriveConnection, google: Google) -> None:
    google.answers["/revoke"] = (503, {}, b"")
    assert client.post(f"{DRIVE}/disconnect", {}, format="json").json() == {"isRevoked": False}
    assert not DriveConnection.objects.exists()
    assert revoke_tokens() == 0  # not before it is due
    DriveRevocation.objects.update(due_at=timezone.now())
    assert revoke_tokens() == 0
    [waiting] = DriveRevocation.objects.all()
    assert waiting.attempts == 2
    assert waiting.due_at > timezone.now() + timedelta(minutes=15)
    google.answers.clear()
    DriveRevocation.objects.update(due_at=timezone.now())
    assert revoke_tokens() == 1
    assert google.revoked == [REFRESH_TOKEN]
    assert not DriveRevocation.objects.exists()


def test_google_is_not_told_for_ever(connection: DriveConnection, google: Google) -> None:
    google.answers["/revoke"] = (503, {}, b"")
    revocation.disconnect(connection.user)
    DriveRevocation.objects.update(attempts=MAX_ATTEMPTS - 1, due_at=timezone.now())
    revoke_due()
    assert not DriveRevocation.objects.exists()


def test_jl_056_an_account_that_goes_takes_its_permission_back(
    alice: User, connection: DriveConnection, google: Google
) -> None:
    delete_account(alice)
    assert not DriveConnection.objects.exists()
    assert google.revoked == []  # nobody waits for Google while an account is deleted
    assert revoke_tokens() == 1
    assert google.revoked == [REFRESH_TOKEN]


def test_another_account_of_google_takes_the_place_of_the_first(
    client: APIClient, connection: DriveConnection, google: Google
) -> None:
    """Of the same account the old token is left alone: revoking it would end the new one."""
    come_back(client, state=begin(client, google)["state"], code="c0de")
    assert google.revoked == []
    google.email = "other@gmail.example"
    come_back(client, state=begin(client, google)["state"], code="c0de")
    assert google.revoked == [REFRESH_TOKEN]
    assert DriveConnection.objects.get().account_email == "other@gmail.example"
