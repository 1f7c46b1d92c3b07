"""The official clients attach by the address alone: they find the server, register, sign in and ask."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.api.mcp.clients import CURRENT, PREVIOUS, WEATHER, data_of
from tests.api.mcp.typescript_hosts.test_typescript_hosts import PACKAGES
from tests.api.oauth.flow import browser_of
from tests.client_packages import npm_installed
from tests.clients import table

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

REDIRECT = "http://localhost:53682/callback"
VERSION = PACKAGES[0].rpartition("@")[2]
PROGRAM = Path(__file__).parent / "typescript_client.mjs"


class Storage:
    """Where the client keeps what it is given."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Browser:
    """The person's, who has signed in on the pages and lets the client in."""

    def __init__(self, user: User, server: str) -> None:
        self.session = browser_of(user).cookies["sessionid"].value
        self.server, self.visited = server, list[str]()

    async def visit(self, url: str) -> None:
        self.visited.append(url)
        async with httpx2.AsyncClient(trust_env=False, cookies={"sessionid": self.session}, timeout=60) as http:
            page = await http.get(url)
            fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text))
            ticked = re.findall(r'name="may" value="([^"]+)"', page.text)
            sent = {**fields, "allow": "on", "which": "all", "may": ticked}
            answer = await http.post(urljoin(url, "/oauth/authorize"), data=sent, headers={"Referer": url})
        assert answer.status_code == 302, answer.text
        self.answer = answer.headers["location"]

    async def come_back(self) -> AuthorizationCodeResult:
        told = {name: values[0] for name, values in parse_qs(urlsplit(self.answer).query).items()}
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])


@pytest.fixture
def site(server: str, settings: Any) -> str:
    """A server whose public address is its own."""
    settings.PUBLIC_URL = server
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "OIDC_ISS_ENDPOINT": server}
    return server


def signed_in(
    site: str, storage: Storage, browser: Browser, use: Callable[[Client], Awaitable[Any]], *, mode: str
) -> Any:
    metadata = OAuthClientMetadata(client_name="Assistant", redirect_uris=[REDIRECT])
    provider = OAuthClientProvider(f"{site}/mcp", metadata, storage, browser.visit, browser.come_back)

    async def run() -> Any:
        async with httpx2.AsyncClient(trust_env=False, timeout=60, auth=provider) as http:
            transport = streamable_http_client(f"{site}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await use(client)

    return anyio.run(run)


async def _ask(client: Client) -> dict[str, Any]:
    return data_of(await client.call_tool("ask_expert", {"plugin": "cover", "question": WEATHER}))


@pytest.mark.parametrize("mode", [CURRENT, PREVIOUS])
def test_the_client_attaches_by_the_address_alone(site: str, published: Plugin, bob: User, mode: str) -> None:
    storage, browser = Storage(), Browser(bob, site)
    answer = signed_in(site, storage, browser, _ask, mode=mode)
    assert "45 mm" in answer["answer"]
    assert len(browser.visited) == 1
    asked = {name: values[0] for name, values in parse_qs(urlsplit(browser.visited[0]).query).items()}
    assert (asked["code_challenge_method"], asked["resource"]) == ("S256", f"{site}/mcp")
    key = ApiKey.objects.get(owner=bob)
    assert (key.name, key.is_of_client) == ("Assistant", True)
    tried = ("registration", "sign-in", "ask_expert")
    table.record("mcp (Python)", version=version("mcp"), interface="MCP, by OAuth", tried=tried)


def test_the_client_goes_on_with_its_refresh_token(site: str, published: Plugin, bob: User) -> None:
    storage, browser = Storage(), Browser(bob, site)
    signed_in(site, storage, browser, _ask, mode=CURRENT)
    assert storage.tokens is not None
    first, storage.tokens.expires_in = storage.tokens.access_token, -1
    # The client does not know when the tokens that it kept end: it finds out by a refusal.
    from oauth2_provider.models import AccessToken

    AccessToken.objects.filter(user=bob).update(expires="2020-01-01T00:00:00Z")
    answer = signed_in(site, storage, browser, _ask, mode=CURRENT)
    assert "45 mm" in answer["answer"]
    assert storage.tokens.access_token != first


def test_the_typescript_client_attaches_by_the_address_alone(
    site: str, published: Plugin, bob: User, tmp_path: Path
) -> None:
    (tmp_path / "node_modules").symlink_to(
        npm_installed("mcp-hosts", PACKAGES, "--legacy-peer-deps", "--omit=optional")
    )
    program = tmp_path / PROGRAM.name
    program.write_text(PROGRAM.read_text())
    browser, pipe = Browser(bob, site), subprocess.PIPE
    with subprocess.Popen(["node", program, f"{site}/mcp", WEATHER], stdin=pipe, stdout=pipe, text=True) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        address = json.loads(host.stdout.readline())["authorize"]
        anyio.run(browser.visit, address)
        host.stdin.write(f"{anyio.run(browser.come_back).code}\n")
        host.stdin.flush()
        told = json.loads(host.stdout.readline())
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert (asked["code_challenge_method"], asked["resource"]) == ("S256", f"{site}/mcp")
    assert "45 mm" in told["answer"]
    assert told["again"] == told["answer"]
    assert told["isNew"]
    key = ApiKey.objects.get(owner=bob)
    assert (key.name, key.is_of_client) == ("TypeScript host", True)
    tried = ("registration", "sign-in", "ask_expert", "refresh")
    table.record("@modelcontextprotocol/sdk (Node)", version=VERSION, interface="MCP, by OAuth", tried=tried)


def test_a_token_for_the_rest_api_opens_no_mcp_and_the_other_way_round(site: str, published: Plugin, bob: User) -> None:
    storage, browser = Storage(), Browser(bob, site)
    signed_in(site, storage, browser, _ask, mode=CURRENT)
    assert storage.tokens is not None
    headers = {"Authorization": f"Bearer {storage.tokens.access_token}"}
    refused = httpx2.get(f"{site}/v1/models", headers=headers, trust_env=False, timeout=60)
    assert refused.status_code == 401
    foreign = httpx2.post(
        f"{site}/mcp", headers={**headers, "Origin": "https://evil.example.com"}, json={}, trust_env=False, timeout=60
    )
    # Every name is allowed in tests, so the page is told by what it may read.
    assert "access-control-allow-origin" not in foreign.headers
    nobody = httpx2.post(f"{site}/mcp", json={}, trust_env=False, timeout=60)
    assert nobody.status_code == 401
    wanted = f'resource_metadata="{site}/.well-known/oauth-protected-resource/mcp"'
    assert wanted in nobody.headers["WWW-Authenticate"]
