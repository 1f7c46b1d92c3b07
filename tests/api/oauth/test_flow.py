"""A program signs in for a person, works for them, and ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from accounts import authorized_clients
from accounts.client_models import AuthorizedClient
from accounts.models import ApiKey, Capability, User
from accounts.tasks import forget_tokens
from audit.models import AuditEntry
from plugins.models import Plugin
from querying.models import Query
from tests.api.callers import assert_error, signed_in
from tests.api.chat_completions.asking import WEATHER
from tests.api.oauth.flow import (
    REDIRECT,
    ask_for_tokens,
    browser_of,
    by_token,
    code_for,
    consent,
    mcp_resource,
    models_seen,
    open_consent,
    refresh,
    registered,
    rest_tokens_for,
    sent_back,
    tokens_for,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def client_id() -> str:
    return registered()


def test_a_client_is_let_in_and_asks(published: Plugin, bob: User, client_id: str) -> None:
    back = sent_back(consent(bob, client_id, resource=settings.PUBLIC_URL))
    assert (back["state"], back["iss"]) == ("the-state", settings.PUBLIC_URL)
    answer = ask_for_tokens(client_id, back["code"], resource=settings.PUBLIC_URL)
    assert answer["Cache-Control"] == "no-store"
    tokens = answer.json()
    assert (tokens["token_type"], tokens["expires_in"], tokens["scope"]) == ("Bearer", 900, "query read")
    asked = by_token(tokens["access_token"]).post("/api/v1/query", {"plugin": "cover", "query": WEATHER}, format="json")
    assert "45 mm" in asked.json()["answer"]
    assert int(asked["X-RateLimit-Limit"]) > 0
    assert Query.objects.get().user == bob


def test_nothing_that_opens_is_stored(published: Plugin, bob: User, client_id: str) -> None:
    tokens = tokens_for(bob, client_id)
    kept = repr([list(model.objects.values()) for model in (AccessToken, RefreshToken, ApiKey, Application)])
    assert tokens["access_token"] not in kept
    assert tokens["refresh_token"] not in kept
    assert ApiKey.objects.get(owner=bob).key_encrypted == ""
    assert not Grant.objects.exists()


def test_a_confidential_client_proves_itself(bob: User) -> None:
    told = (
        Client()
        .post(
            "/oauth/register", {"redirect_uris": [REDIRECT], "client_name": "Server"}, content_type="application/json"
        )
        .json()
    )
    assert told["token_endpoint_auth_method"] == "client_secret_basic"
    code = code_for(bob, told["client_id"])
    assert ask_for_tokens(told["client_id"], code).json()["error"] == "invalid_client"
    assert ask_for_tokens(told["client_id"], code, client_secret="wrong").json()["error"] == "invalid_client"
    assert ask_for_tokens(told["client_id"], code, client_secret=told["client_secret"]).status_code == 200


def test_tokens_are_rotated(bob: User, client_id: str) -> None:
    first = tokens_for(bob, client_id)
    second = refresh(client_id, first["refresh_token"]).json()
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    third = refresh(client_id, second["refresh_token"], resource=mcp_resource())
    assert third.status_code == 200
    assert AccessToken.objects.count() == 1


def test_a_token_may_do_no_more_than_its_scopes(published: Plugin, alice: User, client_id: str) -> None:
    wide = rest_tokens_for(alice, client_id, scope="query read author")
    narrow = refresh(client_id, wide["refresh_token"], scope="query").json()
    assert narrow["scope"] == "query"
    assert models_seen(narrow["access_token"]).status_code == 200
    assert_error(by_token(narrow["access_token"]).get("/api/plugins"), 403, "missing_capability")


def test_the_person_decides_what_it_may(published: Plugin, alice: User, client_id: str) -> None:
    tokens = rest_tokens_for(alice, client_id, scope="query read author", answer={"may": ["query"]})
    assert tokens["scope"] == "query"
    assert ApiKey.objects.get(owner=alice).capabilities == ["query"]


def test_nobody_ticks_more_than_was_asked_for(alice: User, client_id: str) -> None:
    page = consent(alice, client_id, scope="query", answer={"may": ["query", "author"]})
    assert page.status_code == 200
    assert "author is not one of the available choices" in page.content.decode()
    assert not AuthorizedClient.objects.exists()


def test_the_person_decides_of_which_plugins(published: Plugin, alice: User, client_id: str) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x")
    chosen = {"which": "some", "plugins": [str(other.pk)]}
    tokens = rest_tokens_for(alice, client_id, answer=chosen)
    assert [one["id"] for one in models_seen(tokens["access_token"]).json()["data"]] == ["other"]
    # Letting it in again replaces what it could do, for the token from before as well.
    rest_tokens_for(alice, client_id, answer={"which": "some", "plugins": [str(published.pk)]})
    assert [one["id"] for one in models_seen(tokens["access_token"]).json()["data"]] == ["cover"]
    rest_tokens_for(alice, client_id)
    assert len(models_seen(tokens["access_token"]).json()["data"]) == 2
    assert ApiKey.objects.filter(owner=alice).count() == 1


def test_only_some_plugins_means_one_at_least(published: Plugin, alice: User, client_id: str) -> None:
    page = consent(alice, client_id, answer={"which": "some"})
    assert "Tick one at least." in page.content.decode()
    assert not AuthorizedClient.objects.exists()


def test_what_charlie_may_not_ask_he_cannot_give(plugin: Plugin, charlie: User, client_id: str) -> None:
    page = open_consent(browser_of(charlie), client_id)
    assert plugin.name not in page.content.decode()
    refused = consent(charlie, client_id, answer={"which": "some", "plugins": [str(plugin.pk)]})
    assert refused.status_code == 200
    assert not AuthorizedClient.objects.exists()


def test_a_limit_that_a_key_has_counts_its_tokens_together(published: Plugin, bob: User, client_id: str) -> None:
    first = rest_tokens_for(bob, client_id)["access_token"]
    second = rest_tokens_for(bob, client_id)["access_token"]
    ApiKey.objects.filter(owner=bob).update(per_minute=2)
    statuses = [models_seen(token).status_code for token in (first, second, first)]
    assert statuses == [200, 200, 429]


def test_refusing_opens_nothing(bob: User, client_id: str) -> None:
    assert sent_back(consent(bob, client_id, answer={"allow": ""}))["error"] == "access_denied"
    assert not AuthorizedClient.objects.exists()
    assert not Grant.objects.exists()


def test_the_person_ends_it_on_the_page_of_their_keys(published: Plugin, bob: User, client_id: str) -> None:
    tokens = rest_tokens_for(bob, client_id)
    pages = signed_in(bob)
    shown = pages.get(reverse("keys")).content.decode()
    assert "Assistant" in shown
    assert "A program that you gave access" in shown
    key = ApiKey.objects.get(owner=bob)
    assert pages.post(reverse("revoke_key", args=[key.pk])).status_code == 302
    assert models_seen(tokens["access_token"]).status_code == 401
    assert refresh(client_id, tokens["refresh_token"]).json()["error"] == "invalid_grant"
    # Let in again, it begins anew: no token of before works.
    fresh = rest_tokens_for(bob, client_id)
    assert models_seen(fresh["access_token"]).status_code == 200
    assert models_seen(tokens["access_token"]).status_code == 401
    assert refresh(client_id, tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_the_client_gives_its_tokens_back(published: Plugin, bob: User, client_id: str) -> None:
    tokens = rest_tokens_for(bob, client_id)
    given = {"client_id": client_id, "token": tokens["refresh_token"]}
    assert Client().post("/oauth/revoke", given).status_code == 200
    assert models_seen(tokens["access_token"]).status_code == 401
    assert refresh(client_id, tokens["refresh_token"]).status_code == 400


def test_the_log_has_who_let_what_in_and_who_ended_it(bob: User, client_id: str) -> None:
    tokens_for(bob, client_id)
    tokens_for(bob, client_id)
    signed_in(bob).post(reverse("revoke_key", args=[ApiKey.objects.get(owner=bob).pk]))
    done = AuditEntry.objects.order_by("at").values_list("action", flat=True)
    named = [one for one in done if one.startswith(("client.", "key."))]
    assert named.count("client.authorized") == 2
    assert named[-1] == "key.revoked"


def test_a_person_who_leaves_takes_all_of_it(bob: User, client_id: str) -> None:
    tokens_for(bob, client_id)
    bob.delete()
    assert not any(model.objects.exists() for model in (AccessToken, RefreshToken, AuthorizedClient))
    assert not ApiKey.objects.filter(name="Assistant").exists()


def test_a_token_makes_no_key_and_its_own_key_has_no_other_secret(alice: User, client_id: str) -> None:
    token = rest_tokens_for(alice, client_id, scope="query read author")["access_token"]
    api, key = by_token(token), ApiKey.objects.get(owner=alice)
    assert_error(api.post("/api/api-keys", {"name": "for ever"}, format="json"), 403, "session_required")
    assert_error(signed_in(alice).post(f"/api/api-keys/{key.pk}/rotate", {}, format="json"), 409, "not_rotatable")
    assert ApiKey.objects.filter(owner=alice).count() == 1


def test_scopes_are_the_capabilities_of_keys() -> None:
    assert list(settings.OAUTH2_PROVIDER["SCOPES"]) == list(Capability.values)


def test_what_has_ended_is_forgotten(bob: User, alice: User, client_id: str) -> None:
    unused = registered(client_name="Never used")
    tokens_for(bob, client_id)
    tokens_for(alice, client_id)
    Application.objects.update(created=timezone.now() - authorized_clients.UNUSED_FOR - timedelta(minutes=1))
    ApiKey.objects.get(owner=bob).revoke()
    forget_tokens()
    assert not Application.objects.filter(client_id=unused).exists()
    assert Application.objects.filter(client_id=client_id).exists()
    assert [token.user for token in AccessToken.objects.all()] == [alice]


def test_a_client_that_was_long_silent_has_to_ask_again(bob: User, client_id: str) -> None:
    tokens = tokens_for(bob, client_id)
    month: Any = settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"]
    AccessToken.objects.update(expires=timezone.now() - timedelta(seconds=month + 1))
    assert refresh(client_id, tokens["refresh_token"]).json()["error"] == "invalid_grant"
