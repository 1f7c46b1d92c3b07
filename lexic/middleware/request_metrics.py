"""Counts requests by the route that they take, where figures are counted."""

from __future__ import annotations

import time

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lexic import metrics
from lexic.middleware.response_middleware import response_middleware

NO_ROUTE = "(none)"


def _start_timer(request: HttpRequest) -> None:
    vars(request)["begun"] = time.monotonic()


def _count_response(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    route = request.resolver_match.route if request.resolver_match else NO_ROUTE
    seconds = time.monotonic() - vars(request)["begun"]
    metrics.count_request(method=request.method or "", route=route or "/", status=response.status_code, seconds=seconds)
    return response


request_metrics = response_middleware(_count_response, before=_start_timer)
