"""A real browser for tests. Its pages must have nothing to complain about, and fetch nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Request, ViewportSize, sync_playwright

from accounts.models import User
from tests.servers import asgi_server

WIDTHS = (390, 1440)
SCREEN: ViewportSize = {"width": WIDTHS[1], "height": 900}
# A width, and light or dark.
Look = tuple[int, str]
LOOKS: list[Look] = [(1440, "light"), (1440, "dark"), (390, "dark"), (390, "light")]
WIDE_AND_NARROW: list[Look] = [(1440, "light"), (390, "dark")]
PASSWORD = "correct horse battery"
SLOW = 20_000  # milliseconds; a machine may be busy
# A page is quiet when it is found so this often: what one answer makes its scripts ask for is asked for meanwhile.
QUIET_LOOKS = 3
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


@pytest.fixture(scope="module")
def tab(browser: Browser, live_server: Any) -> Iterator[Page]:
    """One for all tests of a module: a new one needs a new process, and takes longer than most tests do."""
    yield from _tab(browser, live_server.url)


@pytest.fixture(scope="module")
def streaming_server() -> Iterator[str]:
    with asgi_server() as url:
        yield url


@pytest.fixture(scope="module")
def streamed_tab(browser: Browser, streaming_server: str) -> Iterator[Page]:
    yield from _tab(browser, streaming_server)


@pytest.fixture
def page(tab: Page, live_server: Any, complaints: list[str]) -> Iterator[Page]:
    """A page of Django's own test server, which does not stream."""
    with _empty(tab), _quiet(tab, live_server.url, complaints):
        yield tab


@pytest.fixture
def streamed_page(streamed_tab: Page, streaming_server: str, complaints: list[str]) -> Iterator[Page]:
    """A page of the real server."""
    with _empty(streamed_tab), _quiet(streamed_tab, streaming_server, complaints):
        yield streamed_tab


@pytest.fixture
def first_visit(browser: Browser, live_server: Any, complaints: list[str]) -> Iterator[Page]:
    """As `page`, in a browser that has kept nothing of any page."""
    for tab in _tab(browser, live_server.url):
        with _quiet(tab, live_server.url, complaints):
            yield tab


@pytest.fixture
def streamed_first_visit(browser: Browser, streaming_server: str, complaints: list[str]) -> Iterator[Page]:
    for tab in _tab(browser, streaming_server):
        with _quiet(tab, streaming_server, complaints):
            yield tab


def _tab(browser: Browser, url: str) -> Iterator[Page]:
    context = browser.new_context(base_url=url, viewport=SCREEN)
    context.set_default_timeout(SLOW)
    watch_requests(context)
    yield context.new_page()
    context.close()


_on_the_way: WeakKeyDictionary[BrowserContext, set[Request]] = WeakKeyDictionary()


def watch_requests(context: BrowserContext) -> None:
    """From now on `wait_until_quiet` knows what its pages wait for."""
    asked: set[Request] = set()

    def begin(request: Request) -> None:
        if request.is_navigation_request():  # nobody waits any more for what the former page asked for
            asked.clear()
        asked.add(request)

    def end(request: Request) -> None:
        asked.discard(request)

    context.on("request", begin)
    context.on("requestfinished", end)
    context.on("requestfailed", end)
    _on_the_way[context] = asked


def wait_until_quiet(page: Page) -> None:
    """Until the page has loaded, and nothing that it asked for is on its way. Playwright's own "networkidle" goes on to
    wait for half a second, on each of many pages."""
    page.wait_for_load_state("load")
    asked, end, times = _on_the_way[page.context], monotonic() + SLOW / 1000, 0
    while times < QUIET_LOOKS:
        if monotonic() > end:
            raise AssertionError(f"{page.url} still waits for {[request.url for request in asked]}")
        page.wait_for_timeout(20)
        times = 0 if asked else times + 1


@contextmanager
def _empty(tab: Page) -> Iterator[None]:
    """What a test leaves is gone after it: whom it signed in, what its pages stored, and what it set."""
    try:
        yield
    finally:
        tab.unroute_all()
        tab.goto("/healthz")  # a page of the same origin that does nothing
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
        tab.goto("about:blank")
        tab.set_viewport_size(SCREEN)
        tab.emulate_media(color_scheme="light")
        for other in tab.context.pages:
            if other is not tab:
                other.close()
        tab.context.clear_cookies()
        tab.context.clear_permissions()


@contextmanager
def _quiet(page: Page, own: str, complaints: list[str]) -> Iterator[None]:
    def note(said: Any) -> None:
        if said.type in ("error", "warning"):
            complaints.append(said.text)

    listeners: dict[Any, Callable[[Any], None]] = {
        "console": note,
        "pageerror": lambda error: complaints.append(str(error)),
        "request": lambda asked: _note_foreign(asked.url, own, complaints),
    }
    for event, listen in listeners.items():
        page.on(event, listen)
    yield
    for event, listen in listeners.items():
        page.remove_listener(event, listen)
    assert complaints == [], complaints


def _note_foreign(url: str, own: str, complaints: list[str]) -> None:
    if not url.startswith((own, "data:", "blob:")):
        complaints.append(f"fetched from elsewhere: {url}")


@contextmanager
def dialogs(page: Page) -> Iterator[list[str]]:
    """The kinds of dialogs that the page opens meanwhile; each is accepted."""
    opened: list[str] = []

    def accept(dialog: Dialog) -> None:
        opened.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    yield opened
    page.remove_listener("dialog", accept)


def asked_on_leaving(page: Page, *, to: str = "/admin/") -> list[str]:
    """What the browser asks whoever goes to another page, and goes on."""
    with dialogs(page) as asked:
        page.evaluate("to => void setTimeout(() => (location.href = to))", to)
        page.wait_for_url(f"**{to}")
    return asked


def sign_in(page: Page, user: User, *, to: str = "/") -> None:
    """Without the form, by the cookie that it would give; `sign_in_by_hand` fills it in."""
    client = Client()
    client.force_login(user)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    hosts = ("localhost", "127.0.0.1")
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": value, "domain": host, "path": "/"} for host in hosts]
    )
    page.goto(to)


def sign_in_by_hand(page: Page, user: User, *, to: str = "/") -> None:
    page.goto(f"/accounts/login/?next={to}")
    page.get_by_label("Email").fill(user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In").click()
    page.wait_for_url(f"**{to}")


def shade(page: Page, scheme: Any) -> None:
    """Light or dark without another visit. The builder's theme asks once, so its class is set here as it would be."""
    page.wait_for_load_state("domcontentloaded")  # a page that has just begun has no root element yet
    page.emulate_media(color_scheme=scheme)
    page.evaluate("scheme => document.documentElement.classList.toggle('dark', scheme === 'dark')", scheme)
    end_animations(page)


def end_animations(page: Page) -> None:
    """Move whatever moves to its end at once, and what that sets in motion too.

    Nothing is waited for: in a page that draws no frame, or where something is paused, the end never comes by itself.
    What moves for ever is left alone.
    """
    page.evaluate(
        """() => {
          for (let round = 0; round < 9; round++)
            for (const one of document.getAnimations())
              if (Number.isFinite(one.effect.getComputedTiming().endTime)) one.finish();
        }"""
    )


def each_look(page: Page, looks: Sequence[Look] = LOOKS) -> Iterator[Look]:
    """The page as it stands, which is not fetched again, at each width and in each light."""
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": SCREEN["height"]})
        shade(page, scheme)
        yield width, scheme
    page.set_viewport_size(SCREEN)
    shade(page, "light")


def overflow(page: Page) -> int:
    """How many pixels the page is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def serious(page: Page) -> list[str]:
    """What axe finds serious or critical, one line each."""
    return [_line(page, one) for one in _violations(page) if one["impact"] in ("serious", "critical")]


def serious_in_each_look(page: Page, looks: Sequence[Look] = LOOKS) -> list[str]:
    """What axe finds serious or critical in the page as it stands, and where it is wider than the screen."""
    return _in_each_look(page, looks, ("serious", "critical"))


def violations_in_each_look(page: Page, looks: Sequence[Look] = LOOKS) -> list[str]:
    """All that axe finds in the page as it stands, and where it is wider than the screen."""
    return _in_each_look(page, looks, ("minor", "moderate", "serious", "critical"))


def _in_each_look(page: Page, looks: Sequence[Look], impacts: Sequence[str]) -> list[str]:
    """In a second light at one width nothing but contrasts can be new."""
    found: list[str] = []
    seen: set[int] = set()
    for width, scheme in each_look(page, looks):
        violated = _violations(page, *(["color-contrast"] if width in seen else []))
        lines = [_line(page, one) for one in violated if one["impact"] in impacts]
        lines += [f"{page.url} is too wide"] if overflow(page) > 0 else []
        found += [f"{width} {scheme} {line}" for line in lines]
        seen.add(width)
    return found


def _violations(page: Page, *rules: str) -> list[dict[str, Any]]:
    end_animations(page)  # text that fades in has little contrast meanwhile
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    # The rules that are on need no style sheet fetched once more.
    options = {"resultTypes": ["violations"], "preload": False, **({"runOnly": rules} if rules else {})}
    return page.evaluate("options => axe.run(document, options)", options)["violations"]


def _line(page: Page, violation: dict[str, Any]) -> str:
    nodes = " and ".join(node["html"][:160] for node in violation["nodes"][:3])
    return f"{page.url}: {violation['id']}: {nodes}"
