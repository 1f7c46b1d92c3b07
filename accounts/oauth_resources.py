"""The addresses that a token can be for (RFC 8707): one that is for one of them opens no other."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings

MCP_PATH = "/mcp"
LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")


def rest_resource() -> str:
    """Of the REST API and the OpenAI-compatible one."""
    return settings.PUBLIC_URL


def mcp_resource() -> str:
    return f"{settings.PUBLIC_URL}{MCP_PATH}"


def resource_at(path: str) -> str:
    """What a request at this path is for."""
    return mcp_resource() if path.rstrip("/") == MCP_PATH else rest_resource()


def known_resources(wanted: Sequence[str]) -> list[str] | None:
    """The wanted ones as they are written here; without any that of MCP, whose older revisions name none. None where
    one is not ours."""
    found = [_as_written_here(one.strip().rstrip("/")) for one in wanted if one.strip()] or [mcp_resource()]
    return found if set(found) <= {rest_resource(), mcp_resource()} else None


def public_url_at(host: str) -> str:
    """This site's address as whoever came by this name knows it. Only a site on somebody's own machine has several
    names; elsewhere it is told what the operator set, whatever it came by."""
    return next((url for url in _own_urls() if urlsplit(url).netloc == host), settings.PUBLIC_URL)


def _as_written_here(resource: str) -> str:
    for url in _own_urls():
        if resource == url or resource.startswith(f"{url}/"):
            return settings.PUBLIC_URL + resource.removeprefix(url)
    return resource


def _own_urls() -> list[str]:
    own = urlsplit(settings.PUBLIC_URL)
    if own.hostname not in LOOPBACK_HOSTS:
        return [settings.PUBLIC_URL]
    port = f":{own.port}" if own.port else ""
    return [f"{own.scheme}://{f'[{host}]' if ':' in host else host}{port}{own.path}" for host in LOOPBACK_HOSTS]
