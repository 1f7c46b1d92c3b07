"""Stolen codes, tokens that were used before, foreign addresses and origins, and pages in frames: all are refused."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from accounts import authorized_clients, key_secrets
from accounts.client_models import AuthorizedClient
from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.api.oauth.flow import (
    REDIRECT,
    VERIFIER,
    ask_for_tokens,
    browser_of,
    by_token,
    challenge_of,
    code_for,
    consent,
    hidden_fields,
    mcp_resource,
    models_seen,
    open_consent,
    refresh,
    register,
    registered,
    request_of,
    rest_tokens_for,
    sent_back,
    tokens_for,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def client_id() -> str:
    return registered()


@pytest.mark.parametrize("verifier", [None, "", "w" * 64, VERIFIER.upper(), challenge_of(VERIFIER), "short"])
def test_a_stolen_code_without_its_verifier_is_worth_nothing(bob: User, client_id: str, verifier: str | None) -> None:
    code = code_for(bob, client_id)
    assert ask_for_tokens(client_id, code, code_verifier=verifier).status_code == 400
    assert not AccessToken.objects.exclude(user=None).exists()


@pytest.mark.parametrize(
    "instead",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": VERIFIER, "code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"code_challenge_method": "S512"},
    ],
)
def test_without_a_hashed_challenge_nobody_is_asked(bob: User, client_id: str, instead: Any) -> None:
    assert sent_back(open_consent(browser_of(bob), client_id, **instead))["error"] == "invalid_request"


def test_a_code_works_once(bob: User, client_id: str) -> None:
    code = code_for(bob, client_id)
    assert ask_for_tokens(client_id, code).status_code == 200
    assert ask_for_tokens(client_id, code).json()["error"] == "invalid_grant"


def test_a_code_that_comes_twice_ends_the_tokens_that_it_gave(published: Plugin, bob: User, client_id: str) -> None:
    code = code_for(bob, client_id, resource=settings.PUBLIC_URL)
    tokens = ask_for_tokens(client_id, code, resource=settings.PUBLIC_URL).json()
    others = rest_tokens_for(bob, client_id)
    # Another client with the same code changes nothing.
    assert ask_for_tokens(registered(client_name="Thief"), code).status_code == 400
    assert models_seen(tokens["access_token"]).status_code == 200
    assert ask_for_tokens(client_id, code).status_code == 400
    assert models_seen(tokens["access_token"]).status_code == 401
    assert refresh(client_id, tokens["refresh_token"]).status_code == 400
    assert models_seen(others["access_token"]).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_two_that_bring_the_same_code_at_once_one_has_tokens(bob: User, client_id: str) -> None:
    code, statuses = code_for(bob, client_id), list[int]()

    def bring() -> None:
        statuses.append(ask_for_tokens(client_id, code).status_code)
        connections.close_all()

    threads = [threading.Thread(target=bring) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 400, 400, 400]
    assert RefreshToken.objects.count() == 1


def test_a_code_of_long_ago_is_worth_nothing(bob: User, client_id: str) -> None:
    code = code_for(bob, client_id)
    Grant.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert ask_for_tokens(client_id, code).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("redirect_uri", [f"{REDIRECT}/", f"{REDIRECT}?x=1", "https://evil.example.com/callback"])
def test_a_code_is_for_the_address_that_it_was_sent_to(bob: User, client_id: str, redirect_uri: str) -> None:
    code = code_for(bob, client_id)
    assert ask_for_tokens(client_id, code, redirect_uri=redirect_uri).status_code in (400, 401)


def test_a_code_is_for_the_client_that_asked(bob: User, client_id: str) -> None:
    code = code_for(bob, client_id)
    assert ask_for_tokens(registered(client_name="Thief"), code).json()["error"] == "invalid_grant"


def test_a_refresh_token_that_comes_twice_ends_all_of_its_family(bob: User, client_id: str) -> None:
    first = rest_tokens_for(bob, client_id)
    second = refresh(client_id, first["refresh_token"]).json()
    assert refresh(client_id, first["refresh_token"]).json()["error"] == "invalid_grant"
    assert models_seen(second["access_token"]).status_code == 401
    assert refresh(client_id, second["refresh_token"]).json()["error"] == "invalid_grant"
    assert not RefreshToken.objects.filter(revoked=None).exists()


def test_a_refresh_token_is_for_its_client(bob: User, client_id: str) -> None:
    tokens = tokens_for(bob, client_id)
    assert refresh(registered(client_name="Thief"), tokens["refresh_token"]).status_code == 400


def test_a_token_is_for_one_address(published: Plugin, bob: User, client_id: str) -> None:
    for_mcp, for_rest = tokens_for(bob, client_id), rest_tokens_for(bob, client_id)
    assert models_seen(for_rest["access_token"]).status_code == 200
    assert models_seen(for_mcp["access_token"]).status_code == 401
    assert authorized_clients.key_of_token(for_rest["access_token"], resource=mcp_resource()) is None


@pytest.mark.parametrize(
    "resource",
    ["https://elsewhere.example.com/mcp", "{0}/mcp/more", "{0}/api", "{0}.evil.example.com", "{0}/mcp#x", "mcp", "*"],
)
def test_a_foreign_address_is_refused_at_each_step(bob: User, client_id: str, resource: str) -> None:
    foreign = resource.format(settings.PUBLIC_URL)
    assert sent_back(open_consent(browser_of(bob), client_id, resource=foreign))["error"] == "invalid_target"
    code = code_for(bob, client_id)
    assert ask_for_tokens(client_id, code, resource=foreign).json()["error"] == "invalid_target"
    tokens = tokens_for(bob, client_id)
    assert refresh(client_id, tokens["refresh_token"], resource=foreign).json()["error"] == "invalid_target"


def test_a_code_for_one_address_gives_no_token_for_the_other(bob: User, client_id: str) -> None:
    code = code_for(bob, client_id)
    assert ask_for_tokens(client_id, code, resource=settings.PUBLIC_URL).json()["error"] == "invalid_target"


def test_without_a_resource_a_token_is_for_mcp(bob: User, client_id: str) -> None:
    code = code_for(bob, client_id, resource=None)
    token = ask_for_tokens(client_id, code, resource=None).json()["access_token"]
    assert AccessToken.objects.get().resource == [mcp_resource()]
    assert models_seen(token).status_code == 401


def test_expired_revoked_and_invented_tokens_open_nothing(published: Plugin, bob: User, client_id: str) -> None:
    token = rest_tokens_for(bob, client_id)["access_token"]
    for other in (token[:-1], token.upper(), f"{token}x", key_secrets.generate_access_token(), "lxa_", "lxa_\u00fc"):
        assert models_seen(other).status_code == 401
    AccessToken.objects.update(expires=timezone.now() - timedelta(seconds=1))
    refused = models_seen(token)
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused["WWW-Authenticate"]


def test_a_refresh_token_is_no_access_token(published: Plugin, bob: User, client_id: str) -> None:
    assert models_seen(rest_tokens_for(bob, client_id)["refresh_token"]).status_code == 401


def test_a_person_who_is_barred_takes_their_tokens_along(published: Plugin, bob: User, client_id: str) -> None:
    tokens = rest_tokens_for(bob, client_id)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert models_seen(tokens["access_token"]).status_code == 401
    assert refresh(client_id, tokens["refresh_token"]).status_code == 400


def test_a_page_of_a_foreign_origin_reads_nothing(published: Plugin, bob: User, client_id: str) -> None:
    api = by_token(rest_tokens_for(bob, client_id)["access_token"])
    answer = api.get("/v1/models", HTTP_ORIGIN="https://evil.example.com")
    assert "Access-Control-Allow-Origin" not in answer


TRICKS = [
    "https://evil.example.com/callback",
    "https://assistant.example.com.evil.example.com/callback",
    "https://assistant.example.com@evil.example.com/callback",
    "https://evil.example.com\\@assistant.example.com/callback",
    "http://assistant.example.com/callback",
    "https://assistant.example.com:8443/callback",
    "https://assistant.example.com/callback/../open?to=x",
    "https://assistant.example.com/callback;x",
    "https://assistant.example.com/callback?to=https://evil.example.com",
    "https://assistant.example.com/callback#code",
    "https://assistant.example.com/Callback",
    "//evil.example.com/callback",
    "javascript:alert(1)",
    "data:text/html,x",
    "",
]


@pytest.mark.parametrize("redirect_uri", TRICKS)
def test_nobody_is_sent_to_an_address_that_is_not_registered(bob: User, client_id: str, redirect_uri: str) -> None:
    for instead in ({}, {"scope": "nothing"}, {"prompt": "none"}, {"resource": "x"}, {"response_type": "token"}):
        answer = open_consent(browser_of(bob), client_id, redirect_uri=redirect_uri, **instead)
        assert answer.status_code == 400, answer.headers
        assert "Location" not in answer
    anonymous = open_consent(browser_of(None), client_id, redirect_uri=redirect_uri, prompt="none")
    assert anonymous.status_code == 400 or anonymous["Location"].startswith("/accounts/login/")


def test_the_form_cannot_be_sent_with_another_address(bob: User, client_id: str) -> None:
    browser = browser_of(bob)
    fields = hidden_fields(open_consent(browser, client_id))
    agreed = {**fields, "allow": "on", "may": ["query"], "which": "all"}
    for redirect_uri in TRICKS:
        answer = browser.post("/oauth/authorize", {**agreed, "redirect_uri": redirect_uri})
        assert "Location" not in answer, redirect_uri
    for instead in ({"code_challenge": ""}, {"code_challenge_method": "plain"}, {"resource": "https://x.example.com"}):
        answer = browser.post("/oauth/authorize", {**agreed, **instead})
        assert "code=" not in answer.get("Location", "")
    assert not AuthorizedClient.objects.exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_a_program_on_somebodys_machine_comes_back_on_any_port(bob: User, host: str) -> None:
    client_id = registered(redirect_uris=[f"http://{host}/callback"])
    browser = browser_of(bob)
    assert open_consent(browser, client_id, redirect_uri=f"http://{host}:53682/callback").status_code == 200
    for other in (f"http://{host}:53682/other", f"https://{host}:53682/callback", "http://10.0.0.1:53682/callback"):
        assert open_consent(browser, client_id, redirect_uri=other).status_code == 400


def test_localhost_and_its_numbers_are_not_the_same(bob: User) -> None:
    client_id = registered(redirect_uris=["http://127.0.0.1/callback"])
    assert open_consent(browser_of(bob), client_id, redirect_uri="http://localhost:1/callback").status_code == 400


@pytest.mark.parametrize(
    "redirect_uri",
    [
        *("http://example.com/callback", "ftp://example.com/x", "javascript:alert(1)", "data:text/html,x", "https://"),
        *("https://*.example.com/x", "https://user@example.com/x", "https://example.com/x#y", "https://exa mple.com/x"),
        *("https://example.com/x\nhttps://evil.example.com/", "https://example.com/'\"<>", "https://ex\u00e4mple.com/"),
        *("http://127.0.0.1.evil.example.com/x", "http://127.0.0.1@evil.example.com/x", "https://example.com:x/", ""),
        *("cursor://callback", "https:/example.com/x", "x" * 501),
    ],
)
def test_an_unsafe_address_is_not_registered(redirect_uri: str) -> None:
    refused = register(redirect_uris=[REDIRECT, redirect_uri])
    assert refused.status_code == 400
    assert refused.json()["error"] == "invalid_redirect_uri"
    assert refused.json()["error_description"]
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "metadata",
    [
        {"client_name": "x" * 101},
        {"client_name": "a\nb"},
        {"client_name": 7e9, "grant_types": "x"},
        {"client_name": key_secrets.generate_secret()},
        {"grant_types": ["client_credentials"]},
        {"grant_types": ["password"]},
        {"response_types": ["token"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"grant_types": [["authorization_code"]]},
    ],
)
def test_metadata_that_cannot_be_kept_is_refused(metadata: Any) -> None:
    assert register(**metadata).json()["error"] == "invalid_client_metadata"
    assert not Application.objects.exists()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff", b'{"redirect_uris": 1}', b"[" * 5000])
def test_a_registration_that_is_none_is_refused(body: bytes) -> None:
    refused = Client().post("/oauth/register", body, content_type="application/json")
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("invalid_")


def test_a_long_registration_is_not_read() -> None:
    refused = register(client_uri="x" * 20_000)
    assert (refused.status_code, refused.json()["error"]) == (413, "invalid_client_metadata")


def test_registration_is_limited_by_address() -> None:
    statuses = [register().status_code for _ in range(61)]
    assert (statuses[:60], statuses[60]) == ([201] * 60, 429)
    assert int(register()["Retry-After"]) > 0


def test_clients_that_nobody_lets_in_make_room(bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authorized_clients, "MAX_UNUSED", 3)
    used = registered(client_name="Used")
    tokens_for(bob, used)
    by_hand = Application.objects.create(
        name="By hand", redirect_uris=REDIRECT, authorization_grant_type="authorization-code", client_type="public"
    )
    names = [f"Client {number}" for number in range(5)]
    for name in names:
        registered(client_name=name)
    assert set(Application.objects.values_list("name", flat=True)) == {"Used", by_hand.name, *names[-3:]}


def test_the_consent_page_is_in_no_frame_and_leads_to_the_client_alone(bob: User, client_id: str) -> None:
    page = open_consent(browser_of(bob), client_id)
    policy = page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://assistant.example.com;" in f"{policy};"
    assert "no-store" in page["Cache-Control"]
    assert page["Referrer-Policy"] == "same-origin"


def test_the_form_is_the_persons_own(bob: User, client_id: str) -> None:
    browser = browser_of(bob, checks_csrf=True)
    fields = hidden_fields(open_consent(browser, client_id))
    forged = browser.post("/oauth/authorize", {**fields, "allow": "on", "may": ["query"], "which": "all"})
    assert forged.status_code == 403
    assert not AuthorizedClient.objects.exists()


def test_nobody_is_sent_on_without_having_been_asked(bob: User, client_id: str) -> None:
    tokens_for(bob, client_id)
    for instead in ({"approval_prompt": "auto"}, {"prompt": "none"}, {"approval_prompt": "x"}):
        answer = open_consent(browser_of(bob), client_id, **instead)
        assert "code=" not in answer.get("Location", "")
    assert not Grant.objects.exists()


def test_whoever_has_not_signed_in_does_so_first(client_id: str) -> None:
    answer = open_consent(browser_of(None), client_id)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/?next=/oauth/authorize")


def test_the_page_shows_a_name_as_text_and_where_it_leads(bob: User) -> None:
    client_id = registered(client_name="<script>alert(1)</script>")
    page = open_consent(browser_of(bob), client_id).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "assistant.example.com" in page
    assert bob.email in page


@pytest.mark.parametrize(
    "grant_type", ["password", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code", "", "x", None]
)
def test_other_grants_are_unknown(bob: User, client_id: str, grant_type: str | None) -> None:
    refused = ask_for_tokens(client_id, "x", grant_type=grant_type, username="bob", password="x")
    assert refused.status_code == 400
    assert refused.json()["error"] in ("unsupported_grant_type", "invalid_request")


@pytest.mark.parametrize("field", ["client_id", "code", "redirect_uri", "code_verifier", "resource", "grant_type"])
@pytest.mark.parametrize("value", ["\x00", "a\x00b", "x" * 5000, "a\u2028", "%00", "\ud7ff"])
def test_no_value_is_an_error_of_ours(bob: User, client_id: str, field: str, value: str) -> None:
    answer = ask_for_tokens(client_id, code_for(bob, client_id), **{field: value})
    assert answer.status_code in (400, 401), answer.content
    assert answer["Content-Type"] == "application/json"
    assert answer.json()["error"]
    page = open_consent(browser_of(bob), client_id, **{field: value})
    assert page.status_code in (200, 302, 400)


def test_revoking_what_is_not_there_or_anothers_changes_nothing(published: Plugin, bob: User, client_id: str) -> None:
    token = rest_tokens_for(bob, client_id)["access_token"]
    thief = registered(client_name="Thief")
    for sent in ({"token": token}, {"token": "x"}, {"token": "\x00"}, {}):
        assert Client().post("/oauth/revoke", {"client_id": thief, **sent}).status_code in (200, 400)
    assert models_seen(token).status_code == 200


def test_a_person_has_so_many_keys_and_programs(bob: User, client_id: str, settings: Any) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "account_keys": 1}
    ApiKey.objects.issue(owner=bob, name="one")
    page = consent(bob, client_id)
    assert page.status_code == 200
    assert not AuthorizedClient.objects.exists()
    assert "Revoke" in page.content.decode()


@pytest.mark.parametrize("allow", ["on", ""])
@pytest.mark.parametrize(
    "instead",
    [
        {"client_id": "nobody"},
        {"client_id": ""},
        {"client_id": "https://assistant.example.com/client.json"},
        {"redirect_uri": ""},
        {"redirect_uri": "http://[::1"},
        {"response_type": "token"},
        {"response_type": ""},
        {"scope": "nothing"},
        {"scope": ""},
        {"which": "x"},
        {"plugins": ["x"], "which": "some"},
        {"plugins": ["00000000-0000-0000-0000-000000000000"], "which": "some"},
        {"claims": "{"},
        {"client_id": "\x00"},
        {"state": "x\x00"},
    ],
)
def test_a_form_that_was_changed_opens_nothing(bob: User, client_id: str, instead: Any, allow: str) -> None:
    browser = browser_of(bob)
    fields = hidden_fields(open_consent(browser, client_id))
    answer = browser.post("/oauth/authorize", {**fields, "allow": allow, "may": ["query"], "which": "all", **instead})
    assert answer.status_code in (200, 302, 400)
    assert "code=" not in answer.get("Location", "") or set(instead) == {"claims"}
    assert not AuthorizedClient.objects.exists() or set(instead) == {"claims"}


def test_what_may_be_left_out_may(bob: User, client_id: str) -> None:
    page = open_consent(browser_of(bob), client_id, scope=None, state=None, redirect_uri=None)
    fields = hidden_fields(page)
    assert (fields["scope"], fields["redirect_uri"]) == ("query", REDIRECT)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "code_challenge", "state", "response_type", "scope"])
def test_a_field_that_comes_twice_is_refused(bob: User, client_id: str, name: str) -> None:
    asked = request_of(client_id)
    page = browser_of(bob).get("/oauth/authorize", {**asked, name: [asked[name], asked[name]]})
    assert page.status_code == 400 or sent_back(page)["error"] == "invalid_request"
