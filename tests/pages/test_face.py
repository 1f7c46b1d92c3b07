"""The public pages in a real browser: what they weigh, what they fetch, and who can read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from evaluation.models import GoldenQuestion
from marketplace.listings.update_listing import update_listing
from marketplace.models import Listing
from marketplace.site.guides import GUIDE_NAMES
from plugins.models import Plugin
from tests.browsers import WIDE_AND_NARROW, each_look, overflow, serious, serious_in_each_look, wait_until_quiet
from tests.marketplace.site.conftest import CITED, QUESTION, sample_on

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_BYTES = 150_000
GUIDES = [f"/docs/{name}" for name in sorted(GUIDE_NAMES)]
# One template shows all operations of the API, another one all its schemas. For all of them axe needs a minute more.
EVERY_TENTH = """() => ["article.operation", "article.schema"].forEach((kind) =>
  document.querySelectorAll(kind).forEach((one, number) => number % 10 && one.remove()))"""
PATHS = ["/", "/docs", *GUIDES, "/api/docs", "/accounts/become-author"]


@pytest.fixture
def shown(published: Plugin) -> Listing:
    """A shared plugin published, with a sample."""
    Plugin.objects.filter(pk=published.pk).update(is_shared=True)
    update_listing(published)
    GoldenQuestion.objects.create(plugin=published, question=QUESTION, is_public=True)
    Listing.objects.update(sample=sample_on(published))
    return Listing.objects.get()


@pytest.fixture
def without_scripts(browser: Browser, live_server: Any) -> Iterator[Page]:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    yield context.new_page()
    context.close()


def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_screen(page: Page, shown: Listing) -> None:
    problems = []
    for path in PATHS:
        page.goto(path)
        wait_until_quiet(page)
        problems += [f"{path} is too wide" for _ in each_look(page, WIDE_AND_NARROW) if overflow(page) > 0]
        page.evaluate(EVERY_TENTH)
        problems += serious_in_each_look(page, WIDE_AND_NARROW)
    assert problems == []


@pytest.mark.parametrize("path", ["/", "/docs/quickstart"])
def test_a_first_visit_weighs_less_than_150_kb_and_fetches_two_fonts(
    first_visit: Page, shown: Listing, path: str
) -> None:
    page = first_visit
    loaded: dict[str, int] = {}
    watch = page.context.new_cdp_session(page)
    watch.send("Network.enable")
    watch.on("Network.loadingFinished", lambda end: loaded.update({end["requestId"]: end["encodedDataLength"]}))
    fonts: list[str] = []
    page.on("request", lambda asked: fonts.append(asked.url) if asked.resource_type == "font" else None)
    page.goto(path)
    page.wait_for_load_state("networkidle")  # whatever comes within half a second after the last answer counts too
    assert 50_000 < sum(loaded.values()) < MOST_BYTES
    assert sorted(font.rpartition("/")[2] for font in fonts) == ["lexic-sans.woff2", "lexic-serif.woff2"]


def test_a_citation_of_the_first_page_opens_its_words(page: Page, shown: Listing) -> None:
    page.goto("/")
    page.get_by_role("article", name="An answer of Boots").get_by_role("link", name="Source 1: ").first.click()
    assert page.locator("mark").inner_text() == CITED


def test_without_scripts_everything_can_be_read(without_scripts: Page, shown: Listing) -> None:
    without_scripts.goto("/")
    assert without_scripts.get_by_text(QUESTION, exact=True).is_visible()
    assert not without_scripts.get_by_text("Copy", exact=True).first.is_visible()
    without_scripts.goto("/docs/api")
    assert without_scripts.get_by_role("link", name="Build a plugin").first.is_visible()
    without_scripts.get_by_role("link", name="OpenAI clients").first.click()
    assert without_scripts.url.endswith("#openai-clients")


def test_a_reader_s_choice_of_light_or_dark_is_kept_and_shared_with_the_builder(page: Page, shown: Listing) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/")
    page.get_by_role("button", name="Switch between light and dark").click()
    dark = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(dark) == "rgb(12, 17, 20)"
    assert page.evaluate("localStorage.adminTheme") == '"dark"'
    page.goto("/docs")
    assert page.evaluate(dark) == "rgb(12, 17, 20)"
    page.evaluate("localStorage.adminTheme = '\"light\"'")
    page.reload()
    assert page.evaluate(dark) == "rgb(255, 255, 255)"


def test_the_first_thing_a_keyboard_comes_to_leads_to_the_content(page: Page, shown: Listing) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")


def test_a_program_is_copied_as_it_stands(page: Page, shown: Listing) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/docs/quickstart")
    block = page.locator(".code", has_text="curl")
    block.get_by_role("button", name="Copy").click()
    block.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == block.locator("pre").text_content()


def test_the_menu_of_the_guides_folds_on_a_phone(page: Page, shown: Listing) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/docs")
    menu = page.get_by_role("navigation", name="Documentation")
    assert not menu.get_by_role("link", name="Build a plugin").is_visible()
    menu.get_by_text("All pages").click()
    menu.get_by_role("link", name="Build a plugin").click()
    page.get_by_role("heading", name="Build a plugin", level=1).wait_for()


def test_error_pages_look_like_ours(page: Page, complaints: list[str]) -> None:
    page.goto("/marketplace/nothing-like-it")
    page.get_by_role("heading", name="Page not found").wait_for()
    assert serious(page) == []
    complaints[:] = [said for said in complaints if "404" not in said]
