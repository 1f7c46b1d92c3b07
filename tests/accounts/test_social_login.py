"""Signing in from elsewhere, over real HTTP to a provider that stands beside the test."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from allauth.socialaccount.providers.google.views import GoogleOAuth2Adapter
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, User
from tests.openid_stub import Stub, openid_provider

pytestmark = pytest.mark.django_db
SSO = "/accounts/oidc/sso/login/"


@pytest.fixture
def provider(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    with openid_provider() as stub:
        settings.SOCIALACCOUNT_PROVIDERS = stub.settings()
        for adapter in (GoogleOAuth2Adapter, GitHubOAuth2Adapter):
            monkeypatch.setattr(adapter, "authorize_url", f"{stub.url}/authorize")
            monkeypatch.setattr(adapter, "access_token_url", f"{stub.url}/token")
        monkeypatch.setattr(GoogleOAuth2Adapter, "id_token_issuer", stub.url)
        monkeypatch.setattr("allauth.socialaccount.providers.google.views.ID_TOKEN_ISSUER", stub.url)
        monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{stub.url}/github/user")
        monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{stub.url}/github/user/emails")
        yield stub


def come_back(client: Client, start: str = SSO) -> str:
    """To the provider and back to our door; gives the address there, not yet asked for."""
    leaving = client.post(start)
    assert leaving.status_code == 200
    sent = requests.get(leaving.context["address"], allow_redirects=False, timeout=60)
    return sent.headers["Location"].removeprefix("http://testserver")


def sign_in(client: Client, start: str = SSO) -> Any:
    return client.get(come_back(client, start))


def who(client: Client) -> User:
    return User.objects.get(pk=client.session["_auth_user_id"])


@pytest.mark.parametrize(
    ("start", "email", "name"),
    [
        (SSO, "gina@example.org", "Gina Green"),
        ("/accounts/google/login/", "gina@example.org", "Gina Green"),
        ("/accounts/github/login/", "gina@example.org", "Octo Cat"),
    ],
)
def test_lx_002_005_009_sp_02_the_first_visit_makes_an_account(
    client: Client, provider: Stub, start: str, email: str, name: str
) -> None:
    response = sign_in(client, start)
    assert response.status_code == 302
    user = who(client)
    assert (user.email, user.display_name, user.is_staff) == (email, name, False)
    assert not user.has_usable_password()
    assert EmailAddress.objects.get(user=user).verified


def test_the_second_visit_finds_it_as_it_is(client: Client, provider: Stub) -> None:
    sign_in(client)
    User.objects.update(display_name="Gina of Works")
    other = Client()
    sign_in(other)
    assert User.objects.count() == 1
    assert who(other).display_name == "Gina of Works"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"given_name": "Gina", "family_name": ""}, "Gina"),
        ({"given_name": "", "family_name": "", "name": "G. Green"}, "G. Green"),
        ({"given_name": None, "family_name": None}, ""),
        ({"given_name": "G" * 400, "family_name": ""}, "G" * 150),
    ],
)
def test_the_name_is_the_best_that_the_provider_says(
    client: Client, provider: Stub, said: dict[str, Any], name: str
) -> None:
    provider.person |= said
    sign_in(client)
    assert who(client).display_name == name


def test_where_somebody_was_going_is_kept(client: Client, provider: Stub) -> None:
    assert sign_in(client, f"{SSO}?next=/api-keys")["Location"] == "/api-keys"
    assert "evil" not in sign_in(Client(), f"{SSO}?next=https://evil.example/")["Location"]


def test_the_code_is_bound_to_the_browser_that_asked_for_it(client: Client, provider: Stub) -> None:
    address = come_back(client)
    stranger = Client()
    assert stranger.get(address).status_code in (200, 401, 403)
    assert "_auth_user_id" not in stranger.session
    sent = dict(provider.asked)["/authorize"]
    assert (sent["code_challenge_method"], len(sent["state"]) > 10) == ("S256", True)


# --- An address that is an account already -----------------------------------------------------------------


def test_a_verified_address_opens_the_account_that_has_it(alice: User, client: Client, provider: Stub) -> None:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    provider.person["email"] = "Alice@Example.org"
    sign_in(client)
    assert who(client) == alice
    assert SocialAccount.objects.get().user == alice
    alice.refresh_from_db()
    assert alice.has_usable_password()
    assert alice.display_name == "Alice"


@pytest.mark.parametrize("said", [False, None, "false", "yes", 1, []])
@pytest.mark.parametrize("start", [SSO, "/accounts/google/login/"])
def test_an_address_that_is_not_verified_opens_nothing(
    alice: User, client: Client, provider: Stub, said: Any, start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if said and "google" in start:
        return  # Google says true or false
    provider.person |= {"email": alice.email, "email_verified": said}
    response = sign_in(client, start)
    assert response.status_code == 409
    assert "Sign in another way first" in response.content.decode()
    assert "_auth_user_id" not in client.session
    assert not SocialAccount.objects.exists()
    assert User.objects.count() == 1


def test_where_addresses_are_proved_first_the_page_is_the_same_for_every_address(
    alice: User, provider: Stub, settings: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    told = []
    for number, email in enumerate((alice.email, "nobody@example.org")):
        cache.clear()
        mail.outbox.clear()
        provider.person |= {"sub": f"person-{number}", "email": email, "email_verified": False}
        client = Client()
        response = sign_in(client)
        page = client.get(response["Location"]).content.decode() if response.status_code == 302 else ""
        page = re.sub(r'(name="csrfmiddlewaretoken" value=")[^"]+', r"\1", page).replace(email, "ADDRESS")
        told.append((response.status_code, response.get("Location"), page, sorted(client.cookies), len(mail.outbox)))
        assert "_auth_user_id" not in client.session
    assert told[0] == told[1]


def test_who_signed_up_with_a_strangers_address_loses_what_they_left_there(client: Client, provider: Stub) -> None:
    squatter = Client()
    form = {"email": "gina@example.org", "password1": "a long walk home", "password2": "a long walk home"}
    squatter.post(reverse("account_signup"), form)
    _, secret = ApiKey.objects.issue(owner=User.objects.get(), name="left here")
    sign_in(client)
    user = who(client)
    assert User.objects.get() == user
    assert not user.has_usable_password()
    assert ApiKey.objects.for_secret(secret) is None
    assert squatter.get(reverse("keys")).status_code == 302
    assert EmailAddress.objects.get(user=user).verified


def test_an_account_that_an_operator_made_keeps_its_password(alice: User, client: Client, provider: Stub) -> None:
    key, secret = ApiKey.objects.issue(owner=alice, name="agent")
    provider.person["email"] = alice.email
    sign_in(client)
    alice.refresh_from_db()
    assert who(client) == alice
    assert alice.has_usable_password()
    assert ApiKey.objects.for_secret(secret) == key


def test_an_account_is_connected_and_disconnected_by_its_owner(alice: User, client: Client, provider: Stub) -> None:
    client.force_login(alice)
    client.post(reverse("account_reauthenticate"), {"password": "correct horse battery"})
    sign_in(client, f"{SSO}?process=connect")
    assert SocialAccount.objects.get().user == alice
    page = client.get(reverse("socialaccount_connections")).content.decode()
    assert "gina@example.org" in page
    client.post(reverse("socialaccount_connections"), {"account": SocialAccount.objects.get().pk})
    assert not SocialAccount.objects.exists()


def test_connecting_asks_for_a_fresh_sign_in(alice: User, client: Client, provider: Stub) -> None:
    client.force_login(alice)
    response = sign_in(client, f"{SSO}?process=connect")
    assert response["Location"].startswith(reverse("account_reauthenticate"))
    assert not SocialAccount.objects.exists()


def test_a_closed_account_stays_closed(client: Client, provider: Stub) -> None:
    sign_in(client)
    User.objects.update(is_active=False)
    other = Client()
    sign_in(other)
    assert "_auth_user_id" not in other.session


# --- What may go wrong elsewhere -----------------------------------------------------------------------------


def test_who_stops_at_the_provider_is_told_so(client: Client, provider: Stub) -> None:
    provider.refusal = "access_denied"
    response = client.get(come_back(client), follow=True)
    assert "You stopped signing in" in response.content.decode()


@pytest.mark.parametrize("issuer", ["https://evil.example"])
def test_a_token_of_somebody_else_lets_nobody_in(client: Client, provider: Stub, issuer: str) -> None:
    provider.issuer = issuer
    response = sign_in(client)
    assert "_auth_user_id" not in client.session
    assert "The other site did not sign you in" in response.content.decode()


def test_a_provider_that_is_away_is_no_error_of_ours(client: Client, provider: Stub, settings: Any) -> None:
    gone = provider.settings()
    gone["openid_connect"]["APPS"][0]["settings"] = {"server_url": "http://127.0.0.1:9"}
    settings.SOCIALACCOUNT_PROVIDERS = gone
    response = client.post(SSO)
    assert response.status_code == 502
    assert "The other site did not sign you in" in response.content.decode()


@pytest.mark.parametrize("path", ["google/login/", "github/login/", "oidc/sso/login/", "google/login/callback/"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_provider_that_is_not_set_up_is_not_there(client: Client, settings: Any, path: str, method: str) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert getattr(client, method)(f"/accounts/{path}").status_code == 404
    assert "Continue with" not in client.get(reverse("account_login")).content.decode()


def test_each_provider_that_is_set_up_has_a_button(client: Client, provider: Stub) -> None:
    page = client.get(f"{reverse('account_login')}?next=/api-keys").content.decode()
    assert [name for name in ("Google", "GitHub", "Example Works") if f"Continue with {name}" in page] == [
        "Google",
        "GitHub",
        "Example Works",
    ]
    assert 'action="/accounts/oidc/sso/login/?process=login&amp;next=%2Fapi-keys"' in page


def test_a_link_alone_starts_nothing(client: Client, provider: Stub) -> None:
    assert client.get(SSO).status_code == 200
    assert not [path for path, _ in provider.asked if path == "/authorize"]


# --- Two first visits at once ------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_lx_004_008_two_first_visits_at_once_give_one_account(provider: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    clients = [Client(), Client()]
    addresses = [come_back(client) for client in clients]
    both_are_new = threading.Barrier(2, timeout=120)

    from accounts import social_login

    save = social_login.save_social_user

    def save_together(*args: Any) -> User:
        both_are_new.wait()
        return save(*args)

    monkeypatch.setattr(social_login, "save_social_user", save_together)
    statuses: list[int] = []

    def visit(client: Client, address: str) -> None:
        try:
            statuses.append(client.get(address).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=visit, args=pair) for pair in zip(clients, addresses, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert statuses == [302, 302]
    assert (User.objects.count(), SocialAccount.objects.count(), EmailAddress.objects.count()) == (1, 1, 1)
    assert who(clients[0]) == who(clients[1]) == User.objects.get()
