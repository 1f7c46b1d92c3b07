from __future__ import annotations

import pytest
from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client

from lexic.middleware.csp import ContentSecurityPolicyMiddleware

pytestmark = pytest.mark.django_db

HEADER = "Content-Security-Policy"
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}


def directives(header: str) -> dict[str, str]:
    return {name: sources for part in header.split(";") for name, _, sources in [part.strip().partition(" ")]}


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/nothing-here", "/api/v1/query", "/healthz"])
def test_every_answer_carries_the_policy(client: Client, path: str) -> None:
    assert directives(client.get(path).headers[HEADER]) == POLICY


def test_the_builder_may_compute_in_attributes_and_still_loads_nothing_from_elsewhere(client: Client) -> None:
    builders = {**POLICY, "script-src": "'self' 'unsafe-eval'", "style-src": "'self' 'unsafe-inline'"}
    assert directives(client.get("/admin/").headers[HEADER]) == builders


def test_so_does_every_answer_under_asgi() -> None:
    response = async_to_sync(AsyncClient().get)("/healthz")
    assert directives(response.headers[HEADER]) == POLICY


def test_a_view_may_choose_a_policy_of_its_own() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={HEADER: "default-src 'none'"})

    request = HttpRequest()
    assert ContentSecurityPolicyMiddleware(view)(request).headers[HEADER] == "default-src 'none'"


def test_pages_that_explain_errors_to_developers_may_show_them(settings) -> None:
    settings.DEBUG = True
    wrapped = ContentSecurityPolicyMiddleware(lambda request: HttpResponse(status=500))
    assert HEADER not in wrapped(HttpRequest()).headers
