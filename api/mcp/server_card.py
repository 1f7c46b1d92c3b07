"""`/mcp/server-card`: what a client may know of the MCP server before it connects (SEP-2127, an extension).

It says where the server is and which revisions it speaks. What it can do is listed by the protocol itself.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from lexic.version import version

MEDIA_TYPE = "application/mcp-server-card+json"
# Those of the protocol's library, which takes long to load; a test compares them.
REVISIONS = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
_MAX_AGE = 3600
_NO_NAME_CHARACTERS = re.compile(r"[^A-Za-z0-9.-]+")


@require_safe
@cache_control(public=True, max_age=_MAX_AGE)
def server_card_view(request: HttpRequest) -> JsonResponse:
    """For anybody, from any page: there is nothing in it that is not public."""
    headers = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET"}
    return JsonResponse(server_card(), content_type=MEDIA_TYPE, headers=headers)


def server_card() -> dict[str, Any]:
    key = {"name": "Authorization", "description": "Bearer and an API key", "isRequired": True, "isSecret": True}
    remote = {"type": "streamable-http", "url": f"{settings.PUBLIC_URL}/mcp", "headers": [key]}
    return {
        "$schema": _SCHEMA,
        "name": f"{_reversed_host()}/lexic",
        "title": "Lexic",
        "description": "Asks experts whose answers cite the page that says so.",
        "version": version(),
        "websiteUrl": settings.PUBLIC_URL,
        "remotes": [{**remote, "supportedProtocolVersions": list(REVISIONS)}],
    }


def _reversed_host() -> str:
    """The namespace of the server's name: `org.example.lexic` at lexic.example.org."""
    host = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    is_address = host.replace(".", "").isdigit() or ":" in host
    return _NO_NAME_CHARACTERS.sub("-", host if is_address else ".".join(reversed(host.split("."))))
