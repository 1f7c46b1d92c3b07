"""`/widget.js`: the public chat on a page of another site, by one script tag, the same for every plugin and page.

Whether a page may show a chat is decided where the chat is shown (`conversations.iframe_policy`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

_SOURCE = Path(__file__).with_name("widget.js")
_HOUR = 3600


@require_safe
@cache_control(public=True, max_age=_HOUR)
def widget_script(request: HttpRequest) -> HttpResponse:
    response = HttpResponse(_read_source(), content_type="text/javascript; charset=utf-8")
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@cache
def _read_source() -> str:
    return _SOURCE.read_text(encoding="utf-8")
