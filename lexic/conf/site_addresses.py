"""The address of this site, and those of the sites whose signed releases are believed."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import urlsplit

from environs import Env, ValidationError

_KEY_BYTES = 32


def read_public_url(env: Env) -> str:
    """Links in answers and mails begin with it."""
    url: str = env.str("LEXIC_PUBLIC_URL", "", validate=_validate_public_url)
    return url.strip().rstrip("/") or "http://localhost:8000"


def read_trusted_sites(env: Env) -> dict[str, str]:
    """The keys by the addresses of the sites."""
    given: list[str] = env.list("LEXIC_TRUSTED_SITES", [], validate=_validate_trusted_sites)
    return {site.rstrip("/"): key for site, _, key in (one.partition("=") for one in _named(given))}


def _named(given: list[str]) -> list[str]:
    """Without the spaces around each, and without what stands between a comma and nothing."""
    return [one.strip() for one in given if one.strip()]


def _validate_public_url(url: str) -> None:
    if url.strip():
        _validate_site(url.strip())


def _validate_site(url: str) -> None:
    if not _is_site(url):
        raise ValidationError(f"“{url}” is no address such as https://lexic.example.org.")


def _is_site(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:  # of the port, or of an address in brackets
        return False
    is_bare = not (parts.query or parts.fragment or any(character.isspace() for character in url))
    return parts.scheme in ("http", "https") and has_host and is_bare


def _validate_trusted_sites(given: list[str]) -> None:
    for one in _named(given):
        site, _, key = one.partition("=")
        _validate_site(site)
        if not _is_key(key):
            raise ValidationError(f"The site {site} needs its key of {_KEY_BYTES} bytes behind it: {site}=BASE64.")


def _is_key(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == _KEY_BYTES
    except (binascii.Error, ValueError):
        return False
