"""`/sdk/<file name>`: the wheel of the Python client, for pip."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

from marketplace.site.sdk_wheel import build_sdk_wheel


@require_safe
@cache_control(public=True, max_age=3600)
@condition(etag_func=lambda request, file_name: f'"{build_sdk_wheel().sha256}"')
def sdk_wheel_view(request: HttpRequest, file_name: str) -> HttpResponse:
    """The one wheel there is: that of this version of the server."""
    wheel = build_sdk_wheel()
    if file_name != wheel.file_name:
        raise Http404(f"The client of this site is {wheel.file_name}.")
    headers = {"Content-Disposition": f'attachment; filename="{wheel.file_name}"'}
    return HttpResponse(wheel.content, content_type="application/octet-stream", headers=headers)
