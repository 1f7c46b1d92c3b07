"""The sandbox in a real browser, over the real server that streams."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from evaluation.models import GoldenQuestion
from plugins.models import Plugin
from querying.models import Feedback, Query
from tests.browsers import SLOW, each_look, overflow, sign_in
from tests.browsers import streamed_page as page
from tests.openai_stub import OpenAIStub, SlowStream, Status
from trees.models import DecisionTree

__all__ = ["page"]  # fixtures of theirs that are used here too

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WORN = "What is worn on every site?"
PHONE = [(390, "light"), (390, "dark")]
# What reaches beyond the screen, and is not inside of something that scrolls.
WIDE = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, .hub-tabs, pre"))
  .map((one) => `${one.tagName}.${one.className.baseVal ?? one.className}`).slice(0, 9)"""
# As soon as the turn is there, whoever asked is elsewhere.
GOES_ELSEWHERE = """() => new MutationObserver((_, observer) => {
    document.querySelector("nav a").focus();
    observer.disconnect();
  }).observe(document.getElementById("talk"), { subtree: true, childList: true })"""
CITED = "Safety boots with a steel toe are worn on every site [Source 1]. "


def opened(page: Page, user: User, plugin: Plugin) -> None:
    sign_in(page, user, to=f"/admin/plugins/plugin/{plugin.pk}/sandbox/")


def ask(page: Page, question: str = WORN) -> None:
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible(timeout=SLOW)
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def finished(page: Page, count: int = 1) -> Any:
    turns = page.locator(".turn[data-query]")
    expect(turns).to_have_count(count, timeout=SLOW)
    return turns.last


def test_an_answer_stands_beside_its_evidence_and_its_chip_opens_the_page(
    page: Page, alice: User, plugin: Plugin
) -> None:
    opened(page, alice, plugin)
    ask(page)
    turn = finished(page)
    expect(turn.locator(".evidence mark")).to_have_text("Safety boots with a steel toe are worn on every site.")
    expect(turn.get_by_text("1 of 1 citation found word for word")).to_be_visible()
    expect(page.locator("#announce")).to_contain_text("Safety boots")
    with page.context.expect_page() as source:
        turn.get_by_role("link", name="Source 1: Rules on boots").first.click()
    mark = source.value.locator("mark").first
    expect(mark).to_contain_text("Safety boots with a steel toe", timeout=SLOW)


def test_an_answer_takes_the_focus_from_nobody(page: Page, alice: User, plugin: Plugin) -> None:
    opened(page, alice, plugin)
    page.evaluate(GOES_ELSEWHERE)
    ask(page)
    finished(page)
    expect(page.locator("nav a").first).to_be_focused()
    ask(page)
    finished(page, 2)
    expect(page.get_by_label("Your question")).to_be_focused()


def test_on_a_phone_an_answer_is_not_left_behind_the_box(page: Page, alice: User, plugin: Plugin) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, alice, plugin)
    ask(page, "What is the melting point of tungsten?")
    refusal = finished(page).locator(".refusal .reading").bounding_box()
    box = page.locator(".composer").bounding_box()
    assert refusal
    assert box
    assert refusal["y"] > 0
    assert refusal["y"] + refusal["height"] <= box["y"]


def test_the_form_of_a_golden_question_is_not_left_behind_the_box(page: Page, alice: User, plugin: Plugin) -> None:
    opened(page, alice, plugin)
    ask(page)
    finished(page).get_by_role("link", name="Save as golden question").click()
    form = page.locator("form.remark")
    expect(form.get_by_role("textbox").first).to_be_focused()
    first, box = form.get_by_role("textbox").first.bounding_box(), page.locator(".composer").bounding_box()
    assert first
    assert box
    assert first["y"] + first["height"] <= min(box["y"], 900)


def test_a_conversation_is_there_again_after_a_reload(page: Page, alice: User, plugin: Plugin) -> None:
    opened(page, alice, plugin)
    ask(page)
    finished(page)
    ask(page, "And in the office?")
    finished(page, 2)
    assert [len(query.context) for query in Query.objects.order_by("created_at")] == [0, 2]
    page.reload()
    finished(page, 2)
    page.get_by_role("link", name="New conversation").click()
    expect(page.get_by_role("heading", name="Ask it something.")).to_be_visible()


def test_a_question_back_is_answered_with_a_button(page: Page, alice: User, plugin: Plugin, tree: DecisionTree) -> None:
    opened(page, alice, plugin)
    ask(page, "Which boots should I wear?")
    finished(page)
    page.get_by_role("button", name="on site", exact=True).click()
    turn = finished(page, 2)
    expect(turn.get_by_label("Decision path")).to_contain_text("on site")
    expect(page.get_by_role("button", name="in the office")).to_be_disabled()
    assert Query.objects.get(outcome="answered").facts == {"place": "on site"}


def test_what_is_liked_is_kept_and_what_is_wrong_is_noted(page: Page, alice: User, plugin: Plugin) -> None:
    opened(page, alice, plugin)
    ask(page)
    turn = finished(page)
    turn.get_by_role("link", name="Save as golden question").click()
    turn.get_by_label("Must contain").fill("steel toe")
    turn.get_by_role("button", name="Save").click()
    expect(turn.get_by_text("Saved. It is run with the other")).to_be_visible()
    turn.get_by_role("link", name="This is wrong").click()
    turn.get_by_label("What is wrong with it?").fill("Shoes.")
    turn.get_by_role("button", name="Mark as wrong").click()
    expect(turn.get_by_text("Noted as wrong.")).to_be_visible()
    golden = GoldenQuestion.objects.get()
    assert (golden.must_cite, golden.must_contain) == ([["Rules on boots", None]], ["steel toe"])
    assert Feedback.objects.get().note == "Shoes."


def test_two_versions_answer_side_by_side(page: Page, alice: User, published: Plugin) -> None:
    opened(page, alice, published)
    page.get_by_text("Facts, date and documents").click()
    page.get_by_label("Compare with").select_option("1.0.0")
    ask(page)
    finished(page, 2)
    assert sorted(Query.objects.values_list("release_name", flat=True)) == ["boots@1.0.0", "boots@draft"]
    boxes = [turn.bounding_box() for turn in page.locator(".turn[data-query]").all()]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"]


def test_stop_stops_the_model_and_keeps_what_is_verified(
    page: Page, alice: User, plugin: Plugin, stub: OpenAIStub
) -> None:
    stub.answer = lambda request: CITED * 200
    stub.script.append(SlowStream(0.05))
    opened(page, alice, plugin)
    ask(page)
    page.locator(".turn .reading .cite").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. What you see is verified")).to_be_visible()
    expect(page.locator(".turn .reading").first).to_contain_text("Safety boots")
    assert stub.wait_for_disconnect()


def test_a_provider_that_is_down_is_said_and_the_next_question_works(
    page: Page, alice: User, plugin: Plugin, stub: OpenAIStub
) -> None:
    stub.answer = lambda request: CITED
    stub.script += [Status(500)] * 3
    opened(page, alice, plugin)
    ask(page)
    expect(finished(page).get_by_role("alert")).to_contain_text("provider")
    stub.script.clear()
    ask(page)
    expect(finished(page, 2).locator(".evidence mark")).to_be_visible()


def test_what_cannot_be_asked_is_kept_in_the_box(
    page: Page, alice: User, plugin: Plugin, complaints: list[str]
) -> None:
    opened(page, alice, plugin)
    page.get_by_text("Facts, date and documents").click()
    page.get_by_label("Facts", exact=True).fill("boots")
    ask(page)
    expect(page.get_by_role("alert")).to_contain_text("“boots” is not a fact.")
    expect(page.get_by_label("Your question")).to_have_value(WORN)
    assert not Query.objects.exists()
    complaints[:] = [said for said in complaints if "400" not in said]  # the browser notes the status


def test_nothing_is_wider_than_a_phone(page: Page, alice: User, plugin: Plugin) -> None:
    opened(page, alice, plugin)
    ask(page, f"{WORN} {'abcdefghij' * 12}")
    finished(page).locator(".inside summary").click()
    wide = beyond_a_phone(page)
    page.goto(f"/admin/plugins/plugin/{plugin.pk}/analytics/")
    page.get_by_text("Read as a table").click()
    assert (wide, beyond_a_phone(page)) == ([], [])


def beyond_a_phone(page: Page) -> list[Any]:
    return [(look, page.evaluate(WIDE)) for look in each_look(page, PHONE) if overflow(page) > 0]


def test_without_a_script_the_page_answers_whole(browser: Browser, server: str, alice: User, plugin: Plugin) -> None:
    context = browser.new_context(base_url=server, java_script_enabled=False)
    context.set_default_timeout(SLOW)
    page = context.new_page()
    opened(page, alice, plugin)
    page.get_by_label("Your question").fill(WORN)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".evidence mark")).to_have_text("Safety boots with a steel toe are worn on every site.")
    page.get_by_role("link", name="This is wrong").click()
    page.get_by_role("button", name="Mark as wrong").click()
    expect(page.get_by_text("You marked it as wrong.")).to_be_visible()
    context.close()
