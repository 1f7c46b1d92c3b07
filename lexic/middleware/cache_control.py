"""What a cache between us and people may keep: nothing that was made for one of them."""

from __future__ import annotations

from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

from lexic.middleware.response_middleware import response_middleware


def _with_cache_control(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Says `Cache-Control: private` of what was made with a look at who has signed in. What is the same for everybody
    stays as its view made it, and so does what visitors get who have not signed in."""
    # A session that nobody looked at was not read from the database either, and is not for this.
    is_somebodys = request.session.accessed and SESSION_KEY in request.session
    said = response.headers.get("Cache-Control", "")
    if is_somebodys and "public" not in said and "no-store" not in said:
        patch_cache_control(response, private=True)
    return response


private_cache_control = response_middleware(_with_cache_control)
