"""The HTTP client for the provider of an organisation. An owner named its URL, so requests go through
`lexic.egress`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import requests
from django.conf import settings
from requests.adapters import BaseAdapter

from lexic import egress
from lexic.errors import InvalidInput
from lexic.middleware.request_limit import free_slot_and_connections

_MAX_BYTES, _SECONDS = 1024 * 1024, 10.0


class NotAProvider(InvalidInput):
    """This is not the address of a provider that this site may ask."""

    code = "not_a_provider"
    hint = (
        "Its address of OpenID Connect, such as https://login.example.org; inside your network the operators list it."
    )


def provider_session() -> requests.Session:
    """A session that reaches what `LEXIC_SSO_ALLOWLIST` and the public internet allow, over HTTPS."""
    session = requests.Session()
    session.trust_env = False
    session.mount("https://", _EgressAdapter())
    session.mount("http://", _EgressAdapter())
    return session


def check_address(url: str) -> str:
    """The address of a provider, without its well-known part. Raises `NotAProvider`."""
    cleaned = url.strip().rstrip("/").removesuffix("/.well-known/openid-configuration")
    parts = urlsplit(cleaned)
    if parts.query or parts.fragment or parts.username or not _is_secure(cleaned):
        raise NotAProvider
    try:
        egress.parse_url(cleaned, policy=settings.SSO_EGRESS)
    except egress.EgressRefused:
        raise NotAProvider from None
    return cleaned


def _is_secure(url: str) -> bool:
    """HTTPS; in the operator's own network HTTP will do."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and settings.SSO_EGRESS.lists(parts.hostname or ""))


class _EgressAdapter(BaseAdapter):
    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        """Raises `requests.ConnectionError` for what may not be reached or does not answer."""
        url = request.url or ""
        if not _is_secure(url):
            raise requests.ConnectionError("A provider is asked over HTTPS.", request=request)
        try:
            status, body = _fetch(url, request)
        except (egress.EgressRefused, egress.FetchFailed) as error:
            raise requests.ConnectionError(error.message, request=request) from error
        response = requests.Response()
        response.status_code, response.url, response.request = status, url, request
        response._content = body
        response.headers["Content-Type"] = "application/json"
        return response

    def close(self) -> None:
        """Nothing is kept open."""


def _fetch(url: str, request: requests.PreparedRequest) -> tuple[int, bytes]:
    wanted = {"Accept": "application/json"}
    kept = {name: value for name, value in request.headers.items() if name in ("Authorization", "Content-Type")}
    free_slot_and_connections()
    headers: Any = {name: str(value) for name, value in {**wanted, **kept}.items()}
    if request.method == "POST":
        body = request.body.encode() if isinstance(request.body, str) else bytes(request.body or b"")  # type: ignore[arg-type]
        posted = egress.post(
            url, body=body, headers=headers, max_bytes=_MAX_BYTES, timeout=_SECONDS, policy=settings.SSO_EGRESS
        )
        return posted.status, posted.excerpt
    got = egress.get(url, headers=headers, max_bytes=_MAX_BYTES, timeout=_SECONDS, policy=settings.SSO_EGRESS)
    return got.status, got.body
