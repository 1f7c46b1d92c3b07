"""The plugin's page in a real browser: asked with a script and without one, weighed, and read by axe."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from evaluation.models import GoldenQuestion
from marketplace.models import DayOfPlugin, Listing
from marketplace.plugin_page.sample_answers import current_sample
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from tests.browsers import streamed_page as page
from tests.browsers import violations_in_each_look
from tests.openai_stub import OpenAIStub, SlowStream
from trees.models import DecisionTree

__all__ = ["page"]  # a fixture of theirs that is used here too

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGE = "/marketplace/boots"
WORN = "What is worn on every site?"
CITED = "Safety boots with a steel toe are worn on every site [Source 1]. "
MOST_BYTES = 152_000
WHOLE = "#try-answer article"


@pytest.fixture
def rich(plugin: Plugin, tree: DecisionTree, alice: User) -> Plugin:
    """With everything that a page can show. Made on another thread: Playwright keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(_furnished, plugin, alice).result()


def _furnished(plugin: Plugin, alice: User) -> Plugin:
    plugin.tagline, plugin.description, plugin.is_shared = "Which boots, and when.", "All about boots.", True
    plugin.tags, plugin.disclaimer = ["boots", "safety"], "Ask the site manager."
    plugin.save()
    GoldenQuestion.objects.create(plugin=plugin, question=WORN, is_public=True)
    publish(plugin, by=alice, notes="The first.")
    publish(plugin, by=alice, version="1.1.0", notes="The second.")
    Listing.objects.filter(pk=plugin.pk).update(sample=current_sample(plugin))
    today = Listing.objects.get().updated_at.date()
    DayOfPlugin.objects.create(plugin=plugin, day=today, asked=12, answered=10, refused=2)
    connections.close_all()
    return plugin


def ask(page: Page, question: str = WORN) -> None:
    # As long as an answer comes, nothing else is asked.
    expect(page.locator("#try-form [data-stop]")).to_be_hidden()
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def test_a_question_is_answered_beside_its_evidence(page: Page, published: Plugin) -> None:
    page.goto(PAGE)
    ask(page)
    expect(page.locator(WHOLE)).to_contain_text("1 of 1 citation found word for word")
    expect(page.locator("#try-answer mark")).to_have_text("Safety boots with a steel toe are worn on every site.")
    expect(page.locator("#try-left")).to_contain_text("19 questions left today")
    page.locator("#try-answer .reading .cite").click()
    assert page.url.endswith("#evidence-1")
    assert Query.objects.get().user is None


def test_a_sample_question_is_asked_with_a_click(page: Page, rich: Plugin) -> None:
    page.goto(PAGE)
    expect(page.locator(WHOLE)).to_contain_text("a sample the author chose")
    page.get_by_role("button", name=WORN).click()
    expect(page.get_by_label("Your question")).to_have_value(WORN)
    expect(page.locator(f"{WHOLE}[aria-label='The answer']")).to_contain_text("found word for word")


def test_a_missing_fact_is_a_button_away(page: Page, rich: Plugin) -> None:
    page.goto(PAGE)
    ask(page, "Which boots must be worn?")
    page.get_by_role("group", name="Where are the boots worn?").wait_for()
    page.get_by_role("button", name="on site").click()
    expect(page.locator(f"{WHOLE}[data-outcome=answered]")).to_be_visible()


def test_it_comes_sentence_by_sentence_and_can_be_stopped(page: Page, published: Plugin, stub: OpenAIStub) -> None:
    stub.answer = lambda body: CITED * 40
    stub.script.append(SlowStream(delay=0.05))
    page.goto(PAGE)
    ask(page)
    expect(page.locator("#try-answer .fresh").first).to_contain_text("Safety boots")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#try-answer")).to_contain_text("What you see is verified; the rest was not written.")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()


def test_the_end_of_the_day_is_said_and_the_question_kept(
    page: Page, published: Plugin, settings: Any, complaints: list[str]
) -> None:
    settings.VISITOR_PER_DAY = 1
    page.goto(PAGE)
    ask(page)
    expect(page.locator(WHOLE)).to_contain_text("found word for word")
    ask(page, "And when are they replaced?")
    expect(page.locator("#try-error")).to_contain_text("Try again in")
    key = page.locator("#try-error").get_by_role("link", name="Get a key")
    expect(key).to_have_attribute("href", re.compile(r"^/api-keys\?plugin=boots$"))
    expect(page.get_by_label("Your question")).to_have_value("And when are they replaced?")
    expect(page.locator(WHOLE)).to_contain_text(WORN)  # what was answered stays
    # The browser itself remarks on every status of 400 and more.
    assert [said for said in complaints if "429" not in said] == []
    complaints.clear()


def test_without_a_script_the_same_form_answers(browser: Browser, server: str, rich: Plugin) -> None:
    context = browser.new_context(base_url=server, java_script_enabled=False)
    page = context.new_page()
    page.goto(PAGE)
    page.get_by_label("Your question").fill("Which boots must be worn?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="in the office").click()
    expect(page.locator(WHOLE)).to_contain_text("no boots are needed")
    page.get_by_text("OpenAI client", exact=True).click()
    expect(page.get_by_label("OpenAI client example")).to_be_visible()
    expect(page.get_by_label("Python example")).to_be_hidden()
    context.close()


def test_the_page_is_light_and_all_of_it_is_ours(streamed_first_visit: Page, rich: Plugin) -> None:
    page = streamed_first_visit
    sizes: dict[str, int] = {}
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda done: sizes.update({done["requestId"]: done["encodedDataLength"]}))
    page.goto(PAGE, wait_until="networkidle")
    # `encodedDataLength` counts headers too: what really came over the line.
    assert 0 < sum(sizes.values()) < MOST_BYTES
    fonts = page.evaluate("performance.getEntriesByType('resource').filter((one) => one.name.includes('woff2')).length")
    assert fonts <= 2


def test_axe_finds_nothing(page: Page, rich: Plugin) -> None:
    found = []
    for path in (PAGE, f"{PAGE}@1.1.0"):
        page.goto(path)
        found += violations_in_each_look(page)
    page.goto(PAGE)
    for question in (WORN, "Which boots must be worn?", "Which gloves does a diver need in the Arctic?"):
        ask(page, question)
        expect(page.locator(f"{WHOLE} .said")).to_have_text(question)
        found += violations_in_each_look(page)
    assert found == []


def test_on_a_phone_the_label_comes_right_after_the_head(page: Page, rich: Plugin) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(PAGE)
    head, label, tabs = (page.locator(one).bounding_box() for one in (".pl-head", ".trust", ".tabs"))
    assert head is not None
    assert label is not None
    assert tabs is not None
    assert head["y"] < label["y"] < tabs["y"]
    assert label["y"] - (head["y"] + head["height"]) < 60
