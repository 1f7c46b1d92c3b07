"""The TypeScript package in a page of another site: modules as they are compiled, CORS, and an answer that streams."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser

from accounts import api_keys
from accounts.models import User
from tests.browsers import SLOW, browser
from tests.sdk_ts.package import built

__all__ = ["browser"]
pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WEATHER = "What is the minimum cover for a beam exposed to weather?"


class _Site(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """The tests have no use for it."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The origin of another site, with the page and the compiled modules."""
    shutil.copytree(built() / "dist", tmp_path / "dist")
    shutil.copy(Path(__file__).parent / "page.html", tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Site, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def open_page(browser: Browser, site: str, *, server: str, secret: str) -> tuple[dict[str, Any], str]:
    """What the page's program found, and the words that it showed."""
    page = browser.new_page()
    page.set_default_timeout(SLOW)
    try:
        page.goto(f"{site}/page.html?{urlencode({'server': server, 'key': secret, 'question': WEATHER})}")
        result: dict[str, Any] = page.evaluate("window.result")
        return result, page.locator("#answer").inner_text()
    finally:
        page.close()


def test_a_page_of_a_site_that_the_key_names_asks_streams_and_resumes(
    browser: Browser, site: str, server: str, alice: User
) -> None:
    _, secret = api_keys.issue_key(alice, name="page", capabilities=["query"], allowed_origins=[site])
    result, shown = open_page(browser, site, server=server, secret=secret)
    assert "45 mm" in result["answer"], result
    assert result["cited"] == ["Cover handbook"] * len(result["cited"])
    assert (shown, result["seen"][-1]) == (result["answer"], "done")
    assert result["breaks"] < 0  # it was asked for a second time
    assert result["missing"][:2] == ["NotFoundError", "unknown_plugin"]
    assert result["missing"][2]
    assert result["forged"] == "WebhookVerificationError"


def test_a_page_of_another_site_reads_nothing(browser: Browser, site: str, server: str, secret: str) -> None:
    result, shown = open_page(browser, site, server=server, secret=secret)
    assert (result, shown) == ({"failed": "ConnectionError: The server could not be reached."}, "")
