"""The chat in a frame of another site, where its author allows that site (`Plugin.embed_origins`)."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from plugins.models import Plugin


def allow_frames(response: HttpResponseBase, plugin: Plugin) -> HttpResponseBase:
    """The response, which the sites that may embed the chat may show in a frame."""
    return _allow_frames_of(plugin.embed_origins, response)


def allow_referring_frame(response: HttpResponseBase, plugin: Plugin, *, request: HttpRequest) -> HttpResponseBase:
    """Like `allow_frames`, but only for the site that made the request: a closed chat does not reveal which other sites
    may embed it."""
    referrer = request.headers.get("Referer", "")
    return _allow_frames_of(
        [origin for origin in plugin.embed_origins if f"{referrer}/".startswith(f"{origin}/")], response
    )


def is_own_page(request: HttpRequest, plugin: Plugin) -> bool:
    """Whether a page of ours sends this to a chat that may be in a frame. There, browsers send no cookie with a token
    against forged requests; the origin, which no page can forge, says as much."""
    own_origin = f"{request.scheme}://{request.get_host()}"
    return bool(plugin.embed_origins) and request.headers.get("Origin") == own_origin


def _allow_frames_of(origins: Sequence[str], response: HttpResponseBase) -> HttpResponseBase:
    if origins:
        response._csp_replace = {"frame-ancestors": ["'self'", *origins]}  # type: ignore[attr-defined]
        response.xframe_options_exempt = True  # type: ignore[attr-defined]  # it cannot name sites
    return response
