"""Checks redirect URIs: https, or a program on the person's own machine (RFC 8252)."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from accounts.oauth_resources import LOOPBACK_HOSTS

MAX_REDIRECT_LENGTH = 500
# No spaces, quotation marks, angle brackets, backslashes or characters beyond ASCII, which programs read differently.
_PRINTABLE = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
_HOST = re.compile(r"[A-Za-z0-9.:-]+")


def is_safe_redirect(uri: str) -> bool:
    """Whether somebody may register this address: exact, without credentials, fragment or parts to fill in."""
    if len(uri) > MAX_REDIRECT_LENGTH or not _PRINTABLE.fullmatch(uri):
        return False
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or "@" in parts.netloc or not _HOST.fullmatch(host):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK_HOSTS)


def shown_host(uri: str) -> str:
    """The host of the address, as it is shown to a person."""
    host = urlsplit(uri).hostname or ""
    return "a program on this machine" if host in LOOPBACK_HOSTS else host


def origin_of(uri: str) -> str:
    """Scheme, host and port, for a content security policy, which knows no addresses of IPv6: for one, the scheme."""
    parts = urlsplit(uri)
    return f"{parts.scheme}:" if "[" in parts.netloc else f"{parts.scheme}://{parts.netloc}"
