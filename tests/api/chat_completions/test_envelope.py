"""Whatever goes wrong below /v1/ is told in the form of the protocol."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import ApiKey, User
from lexic.http import openai_errors
from lexic.http.error_handlers import InternalError, TooManyRequests
from plugins.models import Plugin
from tests.api.chat_completions.asking import WEATHER, assert_error, chat, client_of

pytestmark = pytest.mark.django_db

ADDRESSES = [("get", "/v1/models"), ("get", "/v1/models/cover"), ("post", "/v1/chat/completions")]


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
@pytest.mark.parametrize("secret", ["", "lx_wrong", "lx_" + "a" * 43, "sk-proj-x"])
def test_no_key_or_a_wrong_one_is_401(published: Plugin, method: str, address: str, secret: str):
    response = getattr(client_of(secret), method)(address, {}, format="json")
    assert_error(response, 401, "invalid_api_key")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_an_expired_key_is_401_and_one_that_may_not_ask_403(published: Plugin, alice: User):
    past = timezone.now() - timedelta(seconds=1)
    _, expired = ApiKey.objects.issue(owner=alice, name="expired", expires_at=past)
    _, reader = ApiKey.objects.issue(owner=alice, name="reader", capabilities=["read"])
    assert_error(chat(expired, WEATHER), 401, "invalid_api_key")
    assert assert_error(chat(reader, WEATHER), 403, "missing_capability")["type"] == "permission_error"
    assert_error(client_of(reader).get("/v1/models"), 403, "missing_capability")


def test_too_many_requests_are_429_with_the_time_to_wait(published: Plugin, alice: User):
    _, secret = ApiKey.objects.issue(owner=alice, name="slow", per_minute=1)
    assert client_of(secret).get("/v1/models").status_code == 200
    refused = chat(secret, WEATHER)
    assert assert_error(refused, 429, "rate_limit_exceeded")["type"] == "rate_limit_error"
    assert 0 < int(refused["Retry-After"]) <= 86_400
    assert (refused["X-RateLimit-Limit"], refused["X-RateLimit-Remaining"]) == ("1", "0")
    assert 0 < int(refused["X-RateLimit-Reset"]) <= 60


def test_an_answer_says_what_is_left_of_the_limit(published: Plugin, alice: User):
    _, secret = ApiKey.objects.issue(owner=alice, name="slow", per_minute=9)
    for body in ({}, {"stream": True}):
        response = chat(secret, WEATHER, **body)
        assert response["X-RateLimit-Limit"] == "9"


@pytest.mark.parametrize(
    "address", ["/v1/nothing", "/v1/responses", "/v1/embeddings", "/v1/chat", "/v1/models/a/b", "/v1/"]
)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_an_unknown_address_is_404(address: str, method: str):
    assert_error(getattr(client_of(""), method)(f"/v1/{address}"), 404, "not_found")


def test_a_wrong_method_is_405(key: str):
    assert_error(client_of(key).get("/v1/chat/completions"), 405, "method_not_allowed")
    assert_error(client_of(key).post("/v1/models", {}, format="json"), 405, "method_not_allowed")


@pytest.mark.parametrize(
    ("content", "kind", "status", "code"),
    [
        ("{nonsense", "application/json", 400, "invalid_json"),
        ("", "application/json", 400, "invalid"),
        ("[]", "application/json", 400, "invalid"),
        ('"text"', "application/json", 400, "invalid"),
        ('{"model": "nul\\u0000"}', "application/json", 400, "invalid_text"),
        ("[" * 100_000, "application/json", 400, "invalid_json"),
        ("x" * (5 * 1024 * 1024 + 1), "application/json", 413, "too_large"),
        ("model=cover", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
    ],
)
def test_a_body_that_is_no_json_is_told_so(key: str, content: str, kind: str, status: int, code: str):
    response = client_of(key).post("/v1/chat/completions", content, content_type=kind)
    assert response.status_code == status
    assert response.json()["error"]["code"] == code


def test_the_other_doors_keep_their_own_form(key: str):
    assert set(client_of(key).get("/api/v1/query").json()) == {"error", "code", "hint"}
    assert set(client_of(key).get("/api/nothing").json()) == {"error", "code", "hint"}


def test_the_message_ends_in_the_hint_because_clients_show_nothing_else():
    assert openai_errors.error_envelope(TooManyRequests()) == {
        "error": {
            "message": "Too many requests. Wait as long as the header Retry-After says.",
            "type": "rate_limit_error",
            "param": None,
            "code": "rate_limit_exceeded",
            "hint": "Wait as long as the header Retry-After says.",
        }
    }
    assert openai_errors.error_envelope(InternalError())["error"]["message"] == "Something went wrong on our side."
