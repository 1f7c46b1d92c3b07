"""Addresses of a web site: one way to write each, and whether it belongs to what is read."""

from __future__ import annotations

import mimetypes
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from knowledge.readers.formats import EXTENSIONS_BY_MEDIA_TYPE, FORMATS

MAX_ADDRESS_LENGTH = 1_000
_MAX_REPEATS, _MAX_SEGMENTS = 3, 20
# They say who sent a visitor, not what is shown.
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|msclkid|mc_[ce]id", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}
# A picture on a web page or in a repository is decoration more often than not.
PAGE_MEDIA_TYPES = {
    media_type: extension
    for media_type, extension in EXTENSIONS_BY_MEDIA_TYPE.items()
    if media_type not in FORMATS["image"].media_types
}


def normalise(address: str) -> str | None:
    """The address without fragment, default port and tracking; None for what is none of the web, or beyond reason."""
    try:
        parts = urlsplit(address.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or not host or parts.username is not None:
        return None
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port in (None, _DEFAULT_PORTS[scheme]) else f"{shown}:{port}"
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
    named = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in named if not _TRACKING.fullmatch(name)]
    query = urlencode(kept) if len(kept) != len(named) else parts.query
    result = urlunsplit((scheme, netloc, path or "/", query, ""))
    return result if len(result) <= MAX_ADDRESS_LENGTH and result.isprintable() and " " not in result else None


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What of a site is read: the pages of one server whose paths begin with one of `include` and none of `exclude`."""

    origin: tuple[str, str]
    include: Sequence[str]
    exclude: Sequence[str]

    @classmethod
    def around(cls, start: str, *, include: Sequence[str], exclude: Sequence[str]) -> Scope:
        parts = urlsplit(start)
        return cls(origin=(parts.scheme, parts.netloc), include=tuple(include) or ("/",), exclude=tuple(exclude))

    def is_on_site(self, address: str) -> bool:
        parts = urlsplit(address)
        return (parts.scheme, parts.netloc) == self.origin

    def holds(self, address: str) -> bool:
        """Whether the address is one of a page or document that is to be read."""
        parts = urlsplit(address)
        if not self.is_on_site(address) or _is_trap(parts.path) or not may_be_document(address):
            return False
        return parts.path.startswith(tuple(self.include)) and not parts.path.startswith(tuple(self.exclude))


def _is_trap(path: str) -> bool:
    """Links that lead into themselves make paths like /a/b/a/b/a/b."""
    segments = [one for one in path.split("/") if one]
    return len(segments) > _MAX_SEGMENTS or any(count > _MAX_REPEATS for count in Counter(segments).values())


def may_be_document(address: str) -> bool:
    """False where the end of the address says that it is a picture, a film, a program or an archive."""
    media_type, packing = mimetypes.guess_type(urlsplit(address).path, strict=False)
    return packing is None and (media_type is None or media_type in PAGE_MEDIA_TYPES or "x-httpd" in media_type)


def file_name(address: str, media_type: str) -> str:
    """A name for what was fetched there, with an extension by which its reader is found."""
    name = PurePosixPath(unquote(urlsplit(address).path)).name[-150:] or "index"
    extension = PAGE_MEDIA_TYPES.get(media_type, "")
    return name if not extension or name.lower().endswith(f".{extension}") else f"{name}.{extension}"
