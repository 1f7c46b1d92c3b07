"""Whoever sends a form and is not signed in any more comes back to the page of the form.

Django sends them to where the form went. That address may only take forms; the page has the form, and puts back what
was typed (static/interrupted_forms.js).
"""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme

from lexic.middleware.response_middleware import response_middleware

_ADMIN_LOGIN = "admin:login"


def _back_to_form(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if request.method != "POST" or response.status_code != 302:
        return response
    sign_in = urlsplit(response["Location"])
    pages = {resolve_url(settings.LOGIN_URL), resolve_url(_ADMIN_LOGIN)}
    if sign_in.path not in pages or not _leads_back_to(request, sign_in.query):
        return response
    page = _page_of_form(request)
    if page and urlsplit(page).path not in pages:
        response["Location"] = f"{sign_in.path}?{urlencode({'next': page})}"
    return response


def _leads_back_to(request: HttpRequest, query: str) -> bool:
    """Whether this query of the sign-in leads back to the request. A sign-in that comes next anyway does not, as after
    an address was confirmed in another browser."""
    return any(back.partition("?")[0] == request.path for back in parse_qs(query).get("next", ()))


def _page_of_form(request: HttpRequest) -> str | None:
    """The address on this site that the form was sent from, as the browser says; without the host."""
    referer = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(referer, {request.get_host()}, require_https=request.is_secure()):
        return None
    parts = urlsplit(referer)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


sign_in_returns_to_form = response_middleware(_back_to_form)
