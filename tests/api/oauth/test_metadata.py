"""What a client reads before it signs in, and how it is told where."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.oauth_resources import known_resources
from tests.api.oauth.flow import mcp_resource

pytestmark = pytest.mark.django_db

SERVER = "/.well-known/oauth-authorization-server"
RESOURCE = "/.well-known/oauth-protected-resource"


def read(path: str) -> dict[str, Any]:
    response = Client().get(path, HTTP_HOST="other.example.com")
    assert response.status_code == 200
    assert response["Access-Control-Allow-Origin"] == "*"
    return dict(response.json())


def test_the_server_says_what_it_does_and_nothing_more() -> None:
    told = read(SERVER)
    at = settings.PUBLIC_URL
    assert told == {
        "issuer": at,
        "authorization_endpoint": f"{at}/oauth/authorize",
        "token_endpoint": f"{at}/oauth/token",
        "revocation_endpoint": f"{at}/oauth/revoke",
        "registration_endpoint": f"{at}/oauth/register",
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": ["author", "query", "read"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        "revocation_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
    }


@pytest.mark.parametrize(
    ("path", "resource", "scopes"),
    [(RESOURCE, "", ["author", "query", "read"]), (f"{RESOURCE}/mcp", "/mcp", ["query", "read"])],
)
def test_each_address_says_who_gives_tokens_for_it(path: str, resource: str, scopes: list[str]) -> None:
    told = read(path)
    assert told["resource"] == f"{settings.PUBLIC_URL}{resource}"
    assert told["authorization_servers"] == [settings.PUBLIC_URL]
    assert told["scopes_supported"] == scopes
    assert told["bearer_methods_supported"] == ["header"]


@pytest.mark.parametrize("path", ["/api/v1/query", "/v1/chat/completions", "/v1/responses"])
def test_a_refusal_says_where_to_sign_in(path: str) -> None:
    wanted = f'Bearer realm="lexic", resource_metadata="{settings.PUBLIC_URL}{RESOURCE}", scope="query"'
    assert Client().post(path, {}, content_type="application/json")["WWW-Authenticate"] == wanted
    wrong = Client().post(path, {}, content_type="application/json", HTTP_AUTHORIZATION="Bearer lxa_x")
    assert (wrong.status_code, wrong["WWW-Authenticate"]) == (401, f'{wanted}, error="invalid_token"')


def test_pages_of_other_origins_may_read_and_register() -> None:
    for path in (SERVER, RESOURCE, "/oauth/token", "/oauth/register", "/oauth/revoke"):
        asked = Client().options(path, HTTP_ORIGIN="https://x.example.com", HTTP_ACCESS_CONTROL_REQUEST_METHOD="POST")
        assert (asked.status_code, asked["Access-Control-Allow-Origin"]) == (204, "*")
        assert "Access-Control-Allow-Credentials" not in asked
    assert "Access-Control-Allow-Origin" not in Client().get("/oauth/authorize")


def test_there_is_no_other_resource() -> None:
    assert Client().get(f"{RESOURCE}/api").status_code == 404
    assert read(f"{RESOURCE}/mcp")["resource"] == mcp_resource()


def test_a_site_on_ones_own_machine_has_the_name_that_it_was_asked_by(settings: Any) -> None:
    settings.PUBLIC_URL = "http://127.0.0.1:8000"
    for host in ("localhost:8000", "127.0.0.1:8000", "[::1]:8000"):
        told = Client().get(f"{RESOURCE}/mcp", HTTP_HOST=host).json()
        assert told["resource"] == f"http://{host}/mcp"
        assert known_resources([told["resource"]]) == ["http://127.0.0.1:8000/mcp"]
        refused = Client().post("/api/v1/query", {}, content_type="application/json", HTTP_HOST=host)
        assert f'"http://{host}{RESOURCE}"' in refused["WWW-Authenticate"]
    for host in ("localhost:8001", "example.com", "localhost"):
        assert Client().get(f"{RESOURCE}/mcp", HTTP_HOST=host).json()["resource"] == "http://127.0.0.1:8000/mcp"
        assert known_resources([f"http://{host}/mcp"]) is None


def test_a_site_on_the_network_has_one_name(settings: Any) -> None:
    settings.PUBLIC_URL = "https://lexic.example.com"
    for host in ("localhost", "evil.example.com", "lexic.example.com"):
        assert Client().get(f"{RESOURCE}/mcp", HTTP_HOST=host).json()["resource"] == "https://lexic.example.com/mcp"
    for foreign in ("http://lexic.example.com/mcp", "https://localhost/mcp", "https://lexic.example.com.evil/mcp"):
        assert known_resources([foreign]) is None
