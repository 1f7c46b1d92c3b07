"""The chat as a button on a page of another site: one script tag, under that page's own policy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect

from accounts.models import User
from conversations import public_questions
from plugins.models import Plugin
from tests.browsers import AXE, SLOW
from tests.conversations.asking import WORN
from tests.pages.conftest import browser, streaming_server

__all__ = ["browser", "streaming_server"]
Browse = Callable[[User], Client]


@pytest.mark.django_db
def test_the_script_is_one_for_all_and_may_be_loaded_from_anywhere(client: Client) -> None:
    response = client.get("/widget.js")
    assert response["Content-Type"] == "text/javascript; charset=utf-8"
    assert (response["Cache-Control"], response["Cross-Origin-Resource-Policy"]) == (
        "public, max-age=3600",
        "cross-origin",
    )
    assert "lexic-widget" in response.content.decode()
    assert client.post("/widget.js").status_code == 405


@pytest.mark.django_db
def test_the_author_copies_the_tag_once_the_chat_is_open(chat: Plugin, browsing: Browse, alice: User) -> None:
    sharing = reverse("admin:builder_sharing", args=[chat.pk])
    tag = "/widget.js&quot; data-plugin=&quot;boots&quot; defer&gt;&lt;/script&gt;"
    content = browsing(alice).get(sharing).content.decode()
    assert (tag in content, "Name a site to get its script tag" in content) == (False, True)
    Plugin.objects.update(embed_origins=["https://www.example.org"])
    assert tag in browsing(alice).get(sharing).content.decode()
    Plugin.objects.update(public_chat=False)
    assert tag not in browsing(alice).get(sharing).content.decode()


class ForeignSite(ThreadingHTTPServer):
    """One page with the widget, under a policy that allows the Lexic site's scripts and frames alone."""

    def __init__(self, lexic: str, attributes: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _ForeignPage)
        self.policy = f"default-src 'none'; script-src {lexic}; frame-src {lexic}"
        self.html = (
            "<!doctype html><html lang='en'><title>Boots</title>"
            "<meta name='viewport' content='width=device-width'>"
            "<main><h1>Boots</h1><button>First</button></main>"
            f"<script src='{lexic}/widget.js' data-plugin='boots' {attributes} defer></script></html>"
        )
        self.url = f"http://127.0.0.1:{self.server_port}"


class _ForeignPage(BaseHTTPRequestHandler):
    server: ForeignSite

    def do_GET(self) -> None:
        body = self.server.html.encode()
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def foreign(streaming_server: str) -> Iterator[ForeignSite]:
    with ForeignSite(streaming_server, "data-label='Ask about boots' data-color='#7a1f1f' data-theme='dark'") as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site
        site.shutdown()


@pytest.fixture
def visitor_page(browser: Browser, foreign: ForeignSite) -> Iterator[Page]:
    context: BrowserContext = browser.new_context(base_url=foreign.url, reduced_motion="reduce")
    context.set_default_timeout(SLOW)
    yield context.new_page()
    context.close()


def _complaints(page: Page) -> list[str]:
    said: list[str] = []
    page.on("console", lambda one: said.append(one.text) if one.type == "error" and "favicon" not in one.text else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_visitor_asks_on_a_foreign_page_by_keyboard(chat: Plugin, foreign: ForeignSite, visitor_page: Page) -> None:
    Plugin.objects.update(embed_origins=[foreign.url])
    page = visitor_page
    said = _complaints(page)
    page.goto("/")
    opener = page.get_by_role("button", name="Ask about boots")
    assert opener.evaluate("one => getComputedStyle(one).backgroundColor") == "rgb(122, 31, 31)"
    opener.focus()
    page.keyboard.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    frame = page.frame_locator("lexic-widget iframe")
    box = frame.get_by_label("Your question")
    # The script has run: before that, Enter begins a new line of the question.
    expect(frame.locator("#chat-form [data-timezone]")).not_to_have_value("", timeout=SLOW)
    box.fill(WORN)
    box.press("Enter")
    expect(frame.locator(".turn .reading").last).to_contain_text("steel toe")
    assert frame.locator("html").evaluate("root => root.className") == "framed dark"
    expect(frame.get_by_role("navigation", name="Main")).to_be_hidden()
    with page.context.expect_page() as opened:  # which may not be shown in a frame
        frame.get_by_role("heading", level=1).get_by_role("link").click()
    opened.value.wait_for_url("**/marketplace/boots")
    page.bring_to_front()
    box.press("Escape")
    expect(opener).to_be_focused()
    expect(opener).to_have_attribute("aria-expanded", "false")
    assert said == []


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_on_a_phone_it_fills_the_screen_and_can_be_closed(
    chat: Plugin, foreign: ForeignSite, visitor_page: Page
) -> None:
    Plugin.objects.update(embed_origins=[foreign.url])
    page = visitor_page
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    page.get_by_role("button", name="Ask about boots").click()
    panel = page.get_by_role("dialog", name="Ask about boots")
    assert panel.bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 800}
    frame = page.frame_locator("lexic-widget iframe")
    expect(frame.get_by_label("Your question")).to_be_visible()
    assert frame.locator("html").evaluate("root => root.scrollWidth <= root.clientWidth")
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    page.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_site_that_the_author_did_not_name_is_told_so(chat: Plugin, foreign: ForeignSite, visitor_page: Page) -> None:
    page = visitor_page
    page.goto("/")
    page.get_by_role("button", name="Ask about boots").click()
    expect(page.get_by_role("alert")).to_contain_text(f"Its author can add {foreign.url} under Sharing.")
    expect(page.get_by_role("link", name="Open the chat on its own page")).to_be_visible()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_page_whose_own_policy_blocks_the_chat_is_told_so(
    chat: Plugin, foreign: ForeignSite, streaming_server: str, visitor_page: Page
) -> None:
    Plugin.objects.update(embed_origins=[foreign.url])
    # Also one that takes no text for markup, scripts or the address of a script.
    strict = "; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'"
    foreign.policy = f"default-src 'none'; script-src {streaming_server}{strict}"
    page = visitor_page
    page.goto("/")
    page.get_by_role("button", name="Ask about boots").click()
    expect(page.get_by_role("alert")).to_contain_text(f"Its web master can add {streaming_server} to frame-src.")
    expect(page.locator("lexic-widget iframe")).to_be_hidden()
    foreign.policy += f"; frame-src {streaming_server}"
    page.goto("/")
    page.get_by_role("button", name="Ask about boots").click()
    expect(page.frame_locator("lexic-widget iframe").get_by_label("Your question")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_closed_chat_says_so_in_the_frame(chat: Plugin, foreign: ForeignSite, visitor_page: Page) -> None:
    Plugin.objects.update(embed_origins=[foreign.url], public_chat=False)
    page = visitor_page
    page.goto("/")
    page.get_by_role("button", name="Ask about boots").click()
    frame = page.frame_locator("lexic-widget iframe")
    expect(frame.get_by_role("heading", name="The chat is closed")).to_be_visible()
    expect(frame.get_by_role("navigation", name="Main")).to_be_hidden()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_an_outage_is_told_in_the_frame(
    chat: Plugin, foreign: ForeignSite, visitor_page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(slug: str) -> Plugin:
        raise OperationalError

    Plugin.objects.update(embed_origins=[foreign.url])
    page = visitor_page
    page.goto("/")
    with monkeypatch.context() as patched:
        patched.setattr(public_questions, "public_chat_plugin", fail)
        page.get_by_role("button", name="Ask about boots").click()
        frame = page.frame_locator("lexic-widget iframe")
        expect(frame.get_by_role("heading", name="Not available now")).to_be_visible()
        expect(page.get_by_role("alert")).to_be_hidden()
    frame.get_by_role("link", name="Try again").click()
    expect(frame.get_by_label("Your question")).to_be_visible()


UNSET_EVERYTHING = """<style>
* { all: unset !important; font-size: 40px !important; letter-spacing: 9px !important; position: static !important }
</style>"""


def _opener(page: Page, label: str = "Ask about boots") -> dict[str, float]:
    box = page.get_by_role("button", name=label).bounding_box()
    assert box is not None
    return dict(box)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_styles_of_the_page_do_not_reach_the_button(chat: Plugin, foreign: ForeignSite, visitor_page: Page) -> None:
    Plugin.objects.update(embed_origins=[foreign.url])
    page = visitor_page
    page.goto("/")
    before = _opener(page)
    foreign.policy += "; style-src 'unsafe-inline'"
    foreign.html = foreign.html.replace("<main>", UNSET_EVERYTHING + "<main>" + "<p>Boots.</p>" * 200)
    page.goto("/")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == "40px"
    assert _opener(page) == before
    page.get_by_role("button", name="Ask about boots").click()
    expect(page.frame_locator("lexic-widget iframe").get_by_label("Your question")).to_be_visible()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_long_label_stays_on_a_phone_and_a_second_widget_stands_above_the_first(
    chat: Plugin, foreign: ForeignSite, streaming_server: str, visitor_page: Page
) -> None:
    long = "Nach Sicherheitsschuhverleihverordnungsdurchführungsbestimmungen fragen"
    second = f"<script src='{streaming_server}/widget.js' data-plugin='other' data-label='{long}' defer></script>"
    foreign.html = foreign.html.replace("</html>", f"{second}</html>")
    page = visitor_page
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    first, above = _opener(page), _opener(page, long)
    assert above["x"] >= 0
    assert above["x"] + above["width"] <= 390
    assert above["y"] + above["height"] <= first["y"]
    page.get_by_role("button", name="Ask about boots").click()
    page.get_by_role("button", name="Close").click()  # nothing of the other lies over it
    expect(page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_opened_without_a_network_it_says_so_and_comes_with_the_network(
    chat: Plugin, foreign: ForeignSite, visitor_page: Page
) -> None:
    Plugin.objects.update(embed_origins=[foreign.url])
    page = visitor_page
    page.goto("/")
    page.context.set_offline(True)
    page.get_by_role("button", name="Ask about boots").click()
    expect(page.get_by_role("alert")).to_have_text(
        "You are offline. The chat opens as soon as you are connected again."
    )
    expect(page.get_by_role("alert")).to_be_focused()
    page.context.set_offline(False)
    expect(page.frame_locator("lexic-widget iframe").get_by_label("Your question")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_opened_again_it_tries_again(chat: Plugin, foreign: ForeignSite, visitor_page: Page) -> None:
    page = visitor_page
    page.goto("/")
    opener = page.get_by_role("button", name="Ask about boots")
    opener.click()
    expect(page.get_by_role("alert")).to_contain_text("this page may not show it")
    opener.click()
    Plugin.objects.update(embed_origins=[foreign.url])
    opener.click()
    expect(page.frame_locator("lexic-widget iframe").get_by_label("Your question")).to_be_visible()
