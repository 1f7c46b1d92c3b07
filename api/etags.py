"""Versions of what is shown: `ETag`, `If-Match` and `If-None-Match`.

`If-Match` is optional. Compare while the row is locked; else two callers who send the same tag both succeed:

    with transaction.atomic():
        row = plugin.trees.select_for_update().get(pk=row.pk)
        require_match(request, make_etag(row.pk, row.version))
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.utils.http import parse_etags
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from lexic.errors import Conflict


class PreconditionFailed(Conflict):
    """This is no longer what you have read: it was changed meanwhile."""

    code = "precondition_failed"
    status = 412
    hint = "Get it again, make your change to that, and send its ETag in If-Match."


def make_etag(*parts: object) -> str:
    """A strong entity tag with its quotes. The parts together must change whenever what is shown changes."""
    text = "\x1f".join(part.isoformat() if hasattr(part, "isoformat") else str(part) for part in parts)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def require_match(request: Request, etag: str) -> None:
    """Raises `PreconditionFailed` where the request has an If-Match that does not name this version."""
    header = request.headers.get("If-Match")
    if header is not None and not _header_matches(header, etag):
        raise PreconditionFailed


def etag_response(request: Request, data: Any, *, etag: str, status: int = 200) -> Response:
    """The answer with its tag; for a GET by a caller who has this version already, 304 without a body."""
    response = Response(status=304) if is_not_modified(request, etag) else Response(data, status=status)
    # A cache has to ask again before it uses its copy, and may use it for this caller only.
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def is_not_modified(request: Request, etag: str) -> bool:
    """Whether this request only reads, and its caller has this version already."""
    header = request.headers.get("If-None-Match")
    return request.method in SAFE_METHODS and header is not None and _header_matches(header, etag)


def _header_matches(header: str, etag: str) -> bool:
    """A weak tag matches too: proxies that compress an answer make its tag weak, and the version is the same."""
    tags = [tag.removeprefix("W/") for tag in parse_etags(header)]
    return "*" in tags or etag in tags
