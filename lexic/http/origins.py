"""Origins of web pages: the scheme, host and port that a browser names in the header `Origin`."""

from __future__ import annotations

import re

_ORIGIN = re.compile(r"https?://(?:[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,10}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?")
MAX_ORIGINS, MAX_ORIGIN_LENGTH = 50, 255


def read_origin(text: str) -> str:
    """The origin as a browser writes it. Raises `ValueError` if the text is not an origin, for example if it is a whole
    URL."""
    origin = text.strip().lower()
    if len(origin) > MAX_ORIGIN_LENGTH or not _ORIGIN.fullmatch(origin):
        raise ValueError("An origin is a scheme and a host, such as https://www.example.org, without a path.")
    return origin
