"""The addresses that a token can be for (RFC 8707): one that is for one of them opens no other."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

MCP_PATH = "/mcp"


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
    found = [one.strip().rstrip("/") for one in wanted if one.strip()] or [mcp_resource()]
    return found if set(found) <= {rest_resource(), mcp_resource()} else None
