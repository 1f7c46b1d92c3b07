"""Opening an address that only takes a form shows a page, not the empty response that browsers call broken."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/accounts/language", "/marketplace/boots/share"])
def test_page_says_that_the_form_was_not_sent(client: Client, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response["Allow"]) == (405, "POST")
    page = response.content.decode()
    assert "<h1" in page
    assert "your form was not sent and nothing was changed" in page
    assert "default-src 'none'" in response["Content-Security-Policy"]


def test_it_speaks_the_language_of_the_visitor(client: Client) -> None:
    page = client.get("/accounts/language", headers={"Accept-Language": "de"}).content.decode()
    assert '<html lang="de"' in page
    assert "Das Formular wurde nicht abgeschickt" in page


def test_programs_get_json(client: Client) -> None:
    response = client.get("/api/v1/query", headers={"Accept": "application/json"})
    assert response["Content-Type"] == "application/json"
