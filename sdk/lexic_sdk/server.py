"""Where to ask and with which key. What is wrong with either is said before anything is sent."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Generator

import httpx

from lexic_sdk.errors import ConfigurationError

# Where `make run` serves. A key is never sent to an address that nobody named.
DEFAULT_BASE_URL = "http://127.0.0.1:8000"


class Key(httpx.Auth):
    """An API key. It is put on each request and shown nowhere, not in a traceback's locals either."""

    def __init__(self, secret: str) -> None:
        """Raises `ConfigurationError` for what cannot be sent in a header, without repeating it."""
        secret = secret.strip()
        if not secret:
            raise ConfigurationError("There is no API key.", hint="Pass api_key= or set LEXIC_API_KEY.")
        if not (secret.isascii() and secret.isprintable()) or " " in secret:
            raise ConfigurationError("The API key holds characters that no key has.", hint="Copy it once more.")
        self._secret = secret

    def __repr__(self) -> str:
        return "Key(***)"

    def __reduce__(self) -> str:
        raise TypeError("A key is not pickled.")

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._secret}"
        yield request

    def redact_from(self, text: str) -> str:
        """The text without the key, in case a server or a proxy repeated it."""
        return text.replace(self._secret, "***")


def make_key(api_key: str | None) -> Key:
    return Key(os.environ.get("LEXIC_API_KEY", "") if api_key is None else api_key)


def make_base_url(base_url: str | None, *, allow_http: bool = False) -> str:
    """The address without a slash at its end. Raises `ConfigurationError`.

    Plain http would show the key to everybody on the way, so it is only taken for this machine, or with `allow_http`.
    """
    given = (base_url or os.environ.get("LEXIC_BASE_URL") or DEFAULT_BASE_URL).strip()
    try:
        url = httpx.URL(given)
    except (httpx.InvalidURL, ValueError):
        raise ConfigurationError("The base URL is no URL.") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigurationError("The base URL has to begin with https:// and a host.")
    if url.userinfo or url.query or url.fragment:
        raise ConfigurationError("The base URL holds a user, a query or a fragment.")
    if url.scheme == "http" and not (allow_http or _is_this_machine(url.host)):
        raise ConfigurationError(
            "The base URL is plain http: the key would be sent in the clear.",
            hint="Use https, or pass allow_http=True where the network is yours.",
        )
    return str(url).rstrip("/")


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
