"""Requests over a real server: bodies that are too large are refused before anything is stored."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from lexic.postgresql import base
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(settings) -> Iterator[str]:
    settings.LEXIC_MAX_DOCUMENT_BYTES = 512 * 1024
    with asgi_server() as url:
        yield url


def test_a_body_that_says_it_is_too_large_is_refused_unread(server: str):
    with httpx2.Client(trust_env=False, timeout=20) as client:
        response = client.post(f"{server}/api/v1/query", content=b"x" * (6 * 1024 * 1024))
    assert response.status_code == 413
    assert response.json()["code"] == "too_large"
    assert response.json()["hint"] == "Send at most 0.50 MB at once; split a larger file."


def test_it_is_refused_in_the_form_that_its_clients_read(server: str):
    with httpx2.Client(trust_env=False, timeout=20) as client:
        response = client.post(f"{server}/v1/chat/completions", content=b"x" * (6 * 1024 * 1024))
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "too_large"


BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def test_a_browser_without_scripts_gets_a_page(server: str):
    with httpx2.Client(trust_env=False, timeout=20) as client:
        sent = b"x" * (6 * 1024 * 1024)
        page = client.post(f"{server}/admin/plugins/plugin/1/knowledge/files/", content=sent, headers=BROWSER)
        script = client.post(f"{server}/admin/plugins/plugin/1/knowledge/files/", content=sent)
        api = client.post(f"{server}/api/v1/query", content=sent, headers=BROWSER)
    assert (page.status_code, page.headers["Content-Type"]) == (413, "text/html; charset=utf-8")
    assert '<h1 id="fault">The request is too large.</h1>' in page.text
    assert "Send at most 0.50 MB at once; split a larger file." in page.text
    assert [(one.status_code, one.json()["code"]) for one in (script, api)] == [(413, "too_large")] * 2


def test_that_page_is_in_the_language_of_its_reader_where_the_page_before_was(server: str):
    with httpx2.Client(trust_env=False, timeout=20, headers={**BROWSER, "Accept-Language": "de"}) as client:
        sent = b"x" * (6 * 1024 * 1024)
        profile = client.post(f"{server}/accounts/profile", content=sent)
        builder = client.post(f"{server}/admin/plugins/plugin/1/knowledge/files/", content=sent)
        chosen = client.post(f"{server}/accounts/profile", content=sent, headers={"Cookie": "lexic_language=fr"})
    assert '<html lang="de"' in profile.text
    assert '<h1 id="fault">Die Anfrage ist zu groß.</h1>' in profile.text
    assert "Senden Sie höchstens 0,50 MB auf einmal" in profile.text
    assert "0,50 Mo" in chosen.text
    assert '<h1 id="fault">The request is too large.</h1>' in builder.text


def test_a_body_without_a_length_is_cut_off(server: str):
    def endless() -> Iterator[bytes]:
        for _ in range(200):
            yield b"x" * 65536

    with httpx2.Client(trust_env=False, timeout=20) as client:
        try:
            status = client.post(f"{server}/api/v1/query", content=endless()).status_code
        except httpx2.TransportError:  # hung up on
            status = 0
    assert status in (0, 413)


def test_an_ordinary_request_passes(server: str):
    with httpx2.Client(trust_env=False, timeout=20) as client:
        assert client.get(f"{server}/healthz").status_code == 200


def test_connections_of_a_web_process_are_watched(server: str) -> None:
    assert base._is_web
