"""A page for people who open an address that only takes a form. Django's own response to that is empty.

It happens to those who were signed out while they wrote: after the sign-in they are sent to where the form went.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.template import loader

from lexic.http.error_handlers import is_api_request
from lexic.middleware.response_middleware import response_middleware


def _with_page(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Drawn without the request, whose session may not be read while other requests wait."""
    if response.status_code != 405 or not isinstance(response, HttpResponseNotAllowed):
        return response
    if response.content or is_api_request(request):
        return response
    page = HttpResponse(loader.render_to_string("405.html"), status=405)
    page["Allow"] = response["Allow"]
    return page


page_for_wrong_method = response_middleware(_with_page)
