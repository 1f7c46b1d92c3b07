from __future__ import annotations

import pytest
from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client

from lexic.middleware.csp import BUILDER_POLICY, HEADER, POLICY, content_security_policy

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/nothing-here", "/api/v1/query", "/healthz"])
def test_every_answer_carries_the_policy(client: Client, path: str) -> None:
    assert client.get(path).headers[HEADER] == POLICY


def test_the_builder_may_compute_in_attributes_and_still_loads_nothing_from_elsewhere(client: Client) -> None:
    policy = client.get("/admin/").headers[HEADER]
    assert policy == BUILDER_POLICY
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert "http" not in policy


def test_so_does_every_answer_under_asgi() -> None:
    response = async_to_sync(AsyncClient().get)("/healthz")
    assert response.headers[HEADER] == POLICY


def test_nothing_inline_and_nothing_from_elsewhere_is_allowed() -> None:
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert POLICY.startswith("default-src 'none'")


def test_a_view_may_choose_a_policy_of_its_own() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={HEADER: "default-src 'none'"})

    assert content_security_policy(view)(HttpRequest()).headers[HEADER] == "default-src 'none'"


def test_pages_that_explain_errors_to_developers_may_show_them(settings) -> None:
    settings.DEBUG = True
    wrapped = content_security_policy(lambda request: HttpResponse(status=500))
    assert HEADER not in wrapped(HttpRequest()).headers
