"""The public chat in a real browser: with a script and without one, slow, failing, stopped, and read by axe."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from conversations.models import ChatMessage, ChatSession
from evaluation.models import GoldenQuestion
from plugins.models import Plugin
from tests.browsers import SLOW, violations_in_each_look
from tests.browsers import streamed_page as page
from tests.conversations.asking import DIVER, OPEN, WORN
from tests.conversations.conftest import opened
from tests.openai_stub import OpenAIStub, SlowStream, Status
from tests.pages.test_plugin_page import CITED
from trees.models import DecisionTree

__all__ = ["page"]  # fixtures of theirs that are used here too

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CHAT = "/chat/boots"
LAST = "#talk > .turn:last-child"


@pytest.fixture
def chat(plugin: Plugin, tree: DecisionTree, alice: User) -> Plugin:
    """Made on another thread: Playwright keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(_furnished, plugin, alice).result()


@pytest.fixture
def bare(plugin: Plugin, alice: User) -> Plugin:
    """Without a tree, so that a model is asked for the answer alone."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(_furnished, plugin, alice).result()


def _furnished(plugin: Plugin, alice: User) -> Plugin:
    plugin.tagline, plugin.disclaimer = "Which boots, and when.", "Ask the site manager."
    GoldenQuestion.objects.create(plugin=plugin, question=WORN, is_public=True)
    made = opened(plugin, alice)
    connections.close_all()
    return made


def ask(page: Page, question: str = WORN) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def finished(page: Page, outcome: str = "answered") -> None:
    expect(page.locator(f"{LAST}[data-outcome={outcome}]")).to_be_visible()


def test_pk_007_a_question_is_answered_asked_back_and_remembered(page: Page, chat: Plugin) -> None:
    page.goto(CHAT)
    ask(page, OPEN)
    expect(page.get_by_role("group", name="Where are the boots worn?")).to_be_visible()
    page.get_by_role("button", name="on site").click()
    finished(page)
    expect(page.locator(".picked")).to_have_text("on site")
    expect(page.get_by_role("log")).to_contain_text("safety boots with a steel toe", ignore_case=True)
    session = ChatSession.objects.get()
    assert page.url.endswith(f"{CHAT}/{session.pk}")
    assert session.messages.count() == 4
    page.goto(CHAT)
    finished(page)
    expect(page.locator(".picked")).to_have_text("on site")


def test_what_was_replied_stands_on_white_paper(page: Page, chat: Plugin) -> None:
    page.goto(CHAT)
    ask(page, OPEN)
    page.get_by_role("button", name="on site").click()
    finished(page)
    page.emulate_media(media="print", color_scheme="dark")
    try:
        expect(page.locator(".picked")).to_be_visible()
        expect(page.get_by_role("button", name="Send")).to_be_hidden()
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    finally:
        page.emulate_media(media="screen", color_scheme="light")


def test_pk_007_an_answer_may_be_typed(page: Page, chat: Plugin) -> None:
    page.goto(CHAT)
    ask(page, OPEN)
    expect(page.get_by_role("group", name="Where are the boots worn?")).to_be_visible()
    ask(page, "in the office")
    finished(page)
    expect(page.locator(LAST)).to_contain_text("no boots are needed", ignore_case=True)
    expect(page.locator(".back")).to_contain_text("You said: in the office")
    expect(page.locator(".back button")).to_have_count(0)


def test_a_sample_question_is_asked_with_a_click_and_a_mark_leads_to_its_evidence(page: Page, chat: Plugin) -> None:
    page.goto(CHAT)
    page.get_by_role("button", name=WORN).click()
    finished(page)
    expect(page.locator(f"{LAST} .said")).to_have_text(WORN)
    expect(page.locator("#chat-left")).to_contain_text("19 questions left today")
    page.locator(f"{LAST} .reading .cite").click()
    assert re.search(r"#source-[0-9a-f-]{36}-1$", page.url)
    assert page.evaluate("CSS.escape(location.hash.slice(1))")
    expect(page.locator(".evidence li:target mark")).to_have_text(re.compile("^Safety boots"))


def test_pk_035_it_comes_sentence_by_sentence_and_can_be_stopped(page: Page, bare: Plugin, stub: OpenAIStub) -> None:
    stub.answer = lambda body: CITED * 40
    stub.script.append(SlowStream(delay=0.05))
    page.goto(CHAT)
    ask(page)
    expect(page.locator(f"{LAST} .fresh").first).to_contain_text("Safety boots")
    expect(page.get_by_label("Your question")).to_have_value("")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(LAST)).to_contain_text("What you see is verified; the rest was not written.")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    ask(page, DIVER)
    finished(page, "refused")
    assert ChatSession.objects.count() == 1, "what was stopped began the conversation"
    page.reload()
    expect(page.locator(".turn").first).to_contain_text("This question was stopped before it was answered.")


def test_a_double_click_asks_and_does_not_stop_the_answer(page: Page, bare: Plugin, stub: OpenAIStub) -> None:
    """The button that stops comes where the one was that asks."""
    stub.answer = lambda body: CITED
    stub.script.append(SlowStream(delay=0.05))
    page.goto(CHAT)
    page.get_by_label("Your question").fill(WORN)
    page.get_by_role("button", name="Ask", exact=True).dblclick()
    finished(page)
    expect(page.locator(LAST)).not_to_contain_text("the rest was not written")


def test_a_failing_model_is_said_and_the_next_question_is_answered(page: Page, bare: Plugin, stub: OpenAIStub) -> None:
    stub.script += [Status(500)] * 3
    page.goto(CHAT)
    ask(page)
    finished(page, "failed")
    expect(page.locator(f"{LAST} .note")).to_contain_text("Try again in a moment")
    stub.answer = lambda body: CITED
    ask(page)
    finished(page)


def test_pk_029_the_end_of_the_day_is_said_and_the_question_kept(
    page: Page, chat: Plugin, settings: Any, complaints: list[str]
) -> None:
    settings.VISITOR_PER_DAY = 1
    page.goto(CHAT)
    ask(page)
    finished(page)
    ask(page, "And when are they replaced?")
    expect(page.locator("#chat-error")).to_contain_text("Try again in")
    key = page.locator("#chat-error").get_by_role("link", name="Get a key")
    expect(key).to_have_attribute("href", re.compile(r"^/api-keys\?plugin=boots$"))
    expect(page.get_by_label("Your question")).to_have_value("And when are they replaced?")
    expect(page.locator(".turn")).to_have_count(1)
    # The browser itself remarks on every status of 400 and more.
    assert [said for said in complaints if "429" not in said] == []
    complaints.clear()


def test_without_a_script_the_same_forms_answer(browser: Browser, server: str, chat: Plugin) -> None:
    context = browser.new_context(base_url=server, java_script_enabled=False)
    context.set_default_timeout(SLOW)
    page = context.new_page()
    page.goto(CHAT)
    page.get_by_label("Your question").fill(OPEN)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="in the office").click()
    finished(page)
    page.get_by_label("Your question").fill(DIVER)
    page.get_by_role("button", name="Ask", exact=True).click()
    finished(page, "refused")
    expect(page.locator(".turn")).to_have_count(3)
    page.get_by_role("button", name="Delete this conversation").click()
    expect(page.locator("#beginning")).to_be_visible()
    context.close()
    assert ChatMessage.objects.count() == 0


def test_a_conversation_is_deleted_and_another_begun(page: Page, chat: Plugin) -> None:
    page.goto(CHAT)
    expect(page.get_by_role("button", name="Delete this conversation")).to_be_hidden()
    ask(page)
    finished(page)
    page.get_by_role("link", name="New conversation").click()
    ask(page, DIVER)
    finished(page, "refused")
    page.get_by_role("button", name="Delete this conversation").click()
    expect(page.locator("#beginning")).to_be_visible()
    page.get_by_text("Earlier", exact=False).first.click()
    page.get_by_role("link", name=WORN).click()
    finished(page)
    assert ChatSession.objects.get().title == WORN


def test_the_keyboard_alone_answers_what_is_asked_back(page: Page, chat: Plugin) -> None:
    page.goto(CHAT)
    ask(page, OPEN)
    page.get_by_role("button", name="on site").focus()
    page.keyboard.press("Enter")
    finished(page)
    page.get_by_label("Your question").focus()
    page.keyboard.type("First line")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second line")
    expect(page.get_by_label("Your question")).to_have_value("First line\nsecond line")


def test_the_plugins_page_leads_to_the_chat(page: Page, chat: Plugin) -> None:
    page.goto("/marketplace/boots")
    page.get_by_role("link", name="Open the chat").click()
    expect(page.get_by_role("heading", name="Boots")).to_be_visible()
    Plugin.objects.update(public_chat=False)
    page.goto("/marketplace/boots")
    expect(page.get_by_role("link", name="Open the chat")).to_have_count(0)


def test_axe_finds_nothing(page: Page, chat: Plugin) -> None:
    page.goto(CHAT)
    found = violations_in_each_look(page)
    for question, outcome in ((WORN, "answered"), (OPEN, "clarify"), (DIVER, "refused")):
        ask(page, question)
        finished(page, outcome)
        found += violations_in_each_look(page)
    page.reload()
    found += violations_in_each_look(page)
    assert found == []


def test_an_answer_is_shared_and_a_question_put_to_the_expert_by_keyboard_alone(page: Page, chat: Plugin) -> None:
    page.goto(CHAT)
    ask(page, WORN)
    finished(page, "answered")
    page.get_by_role("button", name="Share a link").press("Enter")
    link = page.get_by_label("Link", exact=True).input_value()
    page.get_by_text("Ask the expert").press("Enter")
    found = violations_in_each_look(page)
    page.get_by_role("button", name="Send to the expert").press("Enter")
    expect(page.get_by_text("You put this question to the expert")).to_be_visible()
    found += violations_in_each_look(page)
    page.goto(f"/answers/{link.rpartition('/')[2]}")
    expect(page.get_by_role("heading", name=WORN)).to_be_visible()
    found += violations_in_each_look(page)
    page.goto("/docs/search?q=backup")
    found += violations_in_each_look(page)
    assert found == []
