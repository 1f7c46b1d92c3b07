"""Sets the caching headers: a shared cache keeps nothing that was made for one person."""

from __future__ import annotations

from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

from lexic.middleware.response_middleware import response_middleware


def _with_cache_control(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Says `Cache-Control: private` of what was made with a look at who has signed in. What is the same for everybody
    stays as its view made it, and so does what visitors get who have not signed in."""
    is_somebodys = request.session.accessed and _is_signed_in(request)
    said = response.headers.get("Cache-Control", "")
    if is_somebodys and "public" not in said and "no-store" not in said:
        patch_cache_control(response, private=True)
    return response


def _is_signed_in(request: HttpRequest) -> bool:
    """By what the view has read of the session: this may run on the event loop, where nothing is read. A session that
    could not be read, because the database is away, may be somebody's."""
    loaded: dict[str, object] | None = getattr(request.session, "_session_cache", None)
    return loaded is None or SESSION_KEY in loaded


private_cache_control = response_middleware(_with_cache_control)
