"""The chat in a frame of another site, where its author allows that site (`Plugin.embed_origins`)."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from plugins.models import Plugin


def allow_frames(response: HttpResponseBase, plugin: Plugin) -> HttpResponseBase:
    """The response, which the sites that may embed the chat may show in a frame."""
    if plugin.embed_origins:
        response._csp_replace = {"frame-ancestors": ["'self'", *plugin.embed_origins]}  # type: ignore[attr-defined]
        response.xframe_options_exempt = True  # type: ignore[attr-defined]  # it cannot name sites
    return response


def is_own_page(request: HttpRequest, plugin: Plugin) -> bool:
    """Whether a page of ours sends this to a chat that may be in a frame. There, browsers send no cookie with a token
    against forged requests; the origin, which no page can forge, says as much."""
    own_origin = f"{request.scheme}://{request.get_host()}"
    return bool(plugin.embed_origins) and request.headers.get("Origin") == own_origin
