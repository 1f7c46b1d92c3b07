"""`/sdk/<file name>`: the wheel of the Python client, for pip."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

from marketplace.site.sdk_wheel import build_sdk_wheel


def _etag(request: HttpRequest, name: str) -> str | None:
    wheel = build_sdk_wheel()
    return f'"{wheel.sha256}"' if name == wheel.file_name else None


@require_safe
@cache_control(public=True, max_age=3600)
@condition(etag_func=_etag)
def sdk_wheel_view(request: HttpRequest, name: str) -> HttpResponse:
    """Serves the wheel of the server's own version, the only one there is."""
    wheel = build_sdk_wheel()
    if name != wheel.file_name:
        raise Http404(f"The client of this site is {wheel.file_name}.")
    headers = {"Content-Disposition": f'attachment; filename="{wheel.file_name}"'}
    return HttpResponse(wheel.content, content_type="application/octet-stream", headers=headers)
