"""Redirects a URL with a trailing slash that has no view to the same URL without it, if that one has a view.

Django's own middleware does the opposite, for URLs that end in a slash here (the builder's and those of accounts).
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.urls import is_valid_path
from django.utils.encoding import escape_uri_path, iri_to_uri
from django.utils.http import escape_leading_slashes

from lexic.middleware.response_middleware import response_middleware


def address_without_trailing_slash(request: HttpRequest) -> str | None:
    """The path of this site that was meant; None where the request's own is right, or where neither leads anywhere."""
    if request.resolver_match is not None or not request.path_info.endswith("/"):
        return None
    if not is_valid_path(request.path_info.rstrip("/"), getattr(request, "urlconf", None)):
        return None
    # Two slashes at the beginning would name another host.
    return escape_leading_slashes(escape_uri_path(request.path.rstrip("/")))


def _to_address_without_trailing_slash(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """What is sent with other methods would be lost on the way: those are told in their error (`handler404`)."""
    if response.status_code != 404 or request.method not in ("GET", "HEAD"):
        return response
    address = address_without_trailing_slash(request)
    if address is None:
        return response
    query = iri_to_uri(request.META.get("QUERY_STRING", ""))
    return HttpResponsePermanentRedirect(f"{address}?{query}" if query else address)


without_trailing_slash = response_middleware(_to_address_without_trailing_slash)
