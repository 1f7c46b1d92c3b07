"""A real browser for tests. Its pages must have nothing to complain about, and fetch nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from accounts.models import User

WIDTHS = (390, 1440)
PASSWORD = "correct horse battery"
SLOW = 20_000  # milliseconds; a machine may be busy
AXE = next((Path(__file__).parent / "vendor").glob("axe-*.min.js"))


@pytest.fixture(scope="module")
def browser(browser_type_launch_args: dict[str, Any]) -> Iterator[Browser]:
    """For these tests alone: Playwright keeps an event loop in this thread, where others could not run theirs."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**browser_type_launch_args)
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def page(browser: Browser, live_server: Any, complaints: list[str]) -> Iterator[Page]:
    """A page of Django's own test server, which does not stream."""
    with _quiet_page(browser, live_server.url, complaints) as page:
        yield page


@pytest.fixture
def streamed_page(browser: Browser, server: str, complaints: list[str]) -> Iterator[Page]:
    """A page of the real server."""
    with _quiet_page(browser, server, complaints) as page:
        yield page


@contextmanager
def _quiet_page(browser: Browser, own: str, complaints: list[str]) -> Iterator[Page]:
    context = browser.new_context(base_url=own, viewport={"width": WIDTHS[1], "height": 900})
    context.set_default_timeout(SLOW)
    page = context.new_page()
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: _note_foreign(asked.url, own, complaints))
    yield page
    context.close()
    assert complaints == [], complaints


def _note_foreign(url: str, own: str, complaints: list[str]) -> None:
    if not url.startswith((own, "data:", "blob:")):
        complaints.append(f"fetched from elsewhere: {url}")


def sign_in(page: Page, user: User, *, to: str = "/") -> None:
    page.goto(f"/accounts/login/?next={to}")
    page.get_by_label("Email").fill(user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In").click()
    page.wait_for_url(f"**{to}")


def overflow(page: Page) -> int:
    """How many pixels the page is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def serious(page: Page) -> list[str]:
    """What axe finds serious or critical, one line each."""
    return [_line(page, one) for one in _violations(page) if one["impact"] in ("serious", "critical")]


def violations(page: Page) -> list[str]:
    """All that axe finds, one line each."""
    return [_line(page, one) for one in _violations(page)]


def _violations(page: Page) -> list[dict[str, Any]]:
    page.evaluate(AXE.read_text())
    return page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]


def _line(page: Page, violation: dict[str, Any]) -> str:
    nodes = " and ".join(node["html"][:160] for node in violation["nodes"][:3])
    return f"{page.url}: {violation['id']}: {nodes}"
