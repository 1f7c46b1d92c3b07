"""In which language a page is written: the one that its reader chose, else the best of those that the browser names.

Nothing is read from the database here. What a person chose in their account comes with a cookie, which is set when they
choose and when they sign in.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from lexic.conf.languages import ENGLISH, is_translated
from lexic.middleware.response_middleware import response_middleware


def page_language(request: HttpRequest) -> str:
    """Django's code of the language of the page at this address."""
    return translation.get_language_from_request(request) if is_translated(request.path) else ENGLISH


def _activate_language(request: HttpRequest) -> None:
    # Also for English: the thread may have worked for another reader before.
    translation.activate(page_language(request))


def _with_language_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Caches keep a page apart for each language. What is public and the same for everybody stays as it is."""
    if is_translated(request.path) and "public" not in response.headers.get("Cache-Control", ""):
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        if response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault("Content-Language", translation.get_language() or ENGLISH)
    return response


interface_language = response_middleware(_with_language_headers, before=_activate_language)
