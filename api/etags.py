"""What was read may be changed only while it is still that: `ETag`, `If-Match` and `If-None-Match`.

`If-Match` is optional. Compare under the row's lock, or two who send the same tag both get through:

    with transaction.atomic():
        row = plugin.trees.select_for_update().get(pk=row.pk)
        require_match(request, etag_of(row.pk, row.version))
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
    """A strong entity tag, quotes and all, of parts that together change whenever what is shown does."""
    said = "\x1f".join(part.isoformat() if hasattr(part, "isoformat") else str(part) for part in parts)
    return f'"{hashlib.sha256(said.encode()).hexdigest()[:32]}"'


def require_match(request: Request, etag: str) -> None:
    """Raises `ChangedSince` where the request names versions in If-Match, and this is none of them."""
    wanted = request.headers.get("If-Match")
    if wanted is not None and not _header_matches(wanted, etag):
        raise PreconditionFailed


def etag_response(request: Request, data: Any, *, etag: str, status: int = 200) -> Response:
    """The answer with its tag; 304 without a body for a GET by somebody who has this very version."""
    response = Response(status=304) if is_not_modified(request, etag) else Response(data, status=status)
    # Whoever keeps a copy asks again before using it, and keeps it for this caller alone.
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def is_not_modified(request: Request, etag: str) -> bool:
    """Whether this only looks, and has this very version already."""
    has_it = request.headers.get("If-None-Match")
    return request.method in SAFE_METHODS and has_it is not None and _header_matches(has_it, etag)


def _header_matches(header: str, etag: str) -> bool:
    """A tag marked as weak counts as well: proxies that compress mark ours, and the version is the same."""
    tags = [tag.removeprefix("W/") for tag in parse_etags(header)]
    return "*" in tags or etag in tags
