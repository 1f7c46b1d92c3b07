"""The addresses of SCIM. Their views are loaded at the first request: the library of the protocol reads the source of
all its classes when it is loaded, which takes a server that nobody asks for SCIM two seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

ROUTES = (
    "ServiceProviderConfig",
    "ResourceTypes",
    "ResourceTypes/<str:name>",
    "Schemas",
    "Schemas/<str:name>",
    "Users",
    "Users/<uuid:person>",
    ".search",
    "Users/.search",
    "Groups/.search",
    "Groups",
    "Groups/<uuid:group>",
    "<path:rest>",
)


def _view_of(route: str) -> Callable[..., HttpResponse]:
    @csrf_exempt
    def answer(request: HttpRequest, **captured: Any) -> HttpResponse:
        from api.scim.views import VIEWS

        return VIEWS[route](request, **captured)

    return answer


urlpatterns = [path(route, _view_of(route)) for route in ROUTES]
