"""Records changes through the API in the history of the plugin, as the builder does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.admin.models import CHANGE
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, user_of
from api.authentication import get_principal
from api.schema.operations import OPERATIONS, summary
from plugins.history import log_change
from plugins.models import Plugin

_ROUTE_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


def mark_changed(request: Request, plugin: Plugin, *, flag: int = CHANGE) -> None:
    """This request changes the plugin: when it ends well, an entry says so. `flag` as of `log_change`."""
    request.marked_change = (plugin, flag)  # type: ignore[attr-defined]


def log_marked_change(request: Request, response: Response) -> None:
    """Writes the entry of a request that was marked and that ended well."""
    marked: tuple[Plugin, int] | None = getattr(request, "marked_change", None)
    if marked and response.status_code < 400:
        plugin, flag = marked
        log_change(plugin, by=user_of(get_principal(request)), sentence=_sentence(request), flag=flag)


def _sentence(request: Request) -> str:
    """Names the operation and its object, but not the key: only the key's owner may read its name."""
    match, method = request.resolver_match, request.method
    assert match is not None
    assert method is not None
    path = "/" + _ROUTE_PARAMETER.sub(r"{\1}", match.route)
    _, operation = OPERATIONS[path, method.lower()]
    way = "over the API with a key" if isinstance(request.auth, ApiKey) else "over the API"
    return f"{'; '.join([f'{summary(operation)}, {way}', *_details(request, match.kwargs)])}."


def _details(request: Request, ids: Mapping[str, Any]) -> Iterator[str]:
    for name, value in ids.items():
        if name != "plugin":
            yield f"{name} {value}"
    if request.method in ("PUT", "PATCH") and isinstance(request.data, Mapping) and request.data:
        yield f"changed {', '.join(sorted(request.data))}"
