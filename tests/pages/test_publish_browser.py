"""Publishing in a real browser: a worker is at it, somebody presses Cancel, and notes are kept."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from knowledge.models import Document
from marketplace.models import PublishingRun
from marketplace.publishing.audience_change import AudienceChange, audience_mark
from plugins.models import Plugin
from tests.browsers import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Presses Publish twice, then Enter in a field, and tells how often the form was sent and what the button says.
PRESSED_AGAIN = """() => {
  const form = document.querySelector(".publish-form");
  const [enter, publish] = form.querySelectorAll("button[data-busy]");
  let times = 0;
  addEventListener("submit", (event) => (times += event.defaultPrevented ? 0 : 1));
  publish.focus();
  for (const pressed of [publish, publish, enter]) form.requestSubmit(pressed);
  return { times, words: publish.textContent, isFocused: document.activeElement === publish, said: form.ariaBusy };
}"""
NOTES = "Boots of visitors are described."


def test_a_press_that_lasts_while_news_comes_cancels_what_is_being_published(
    page: Page, plugin: Plugin, alice: User
) -> None:
    run = PublishingRun.objects.create(
        plugin=plugin, requested_by=alice, fingerprint="x", total=9, state=PublishingRun.State.ASKING, notes=NOTES
    )
    sign_in(page, alice, to=reverse("admin:builder_publish", args=[plugin.pk]))
    cancel = page.get_by_role("button", name="Cancel")
    cancel.focus()
    cancel.hover()
    page.evaluate("document.getElementById('publishing-news').dataset.before = '1'")
    page.mouse.down()
    expect(page.locator("#publishing-news[data-before]")).to_have_count(0)  # it was asked for anew meanwhile
    expect(cancel).to_be_focused()
    page.mouse.up()
    page.get_by_text("Publishing is cancelled. Nothing was published.").wait_for()
    expect(page.get_by_label("Notes")).to_have_value(NOTES)
    run.refresh_from_db()
    assert (run.state, plugin.releases.count()) == (PublishingRun.State.CANCELLED, 0)


def test_notes_are_there_again_after_a_look_at_the_documents(page: Page, plugin: Plugin, alice: User) -> None:
    address = reverse("admin:builder_publish", args=[plugin.pk])
    sign_in(page, alice, to=address)
    with page.expect_response(lambda response: response.url.endswith("/publish/notes/")):
        page.get_by_text("Notes and version (optional)").click()
        page.get_by_label("Notes").fill(NOTES)
    page.goto(reverse("admin:builder_knowledge", args=[plugin.pk]))
    page.goto(address)
    expect(page.get_by_label("Notes")).to_have_value(NOTES)


def test_notes_are_kept_without_scripts(browser: Browser, live_server: Any, plugin: Plugin, alice: User) -> None:
    page = browser.new_context(base_url=live_server.url, java_script_enabled=False).new_page()
    address = reverse("admin:builder_publish", args=[plugin.pk])
    sign_in(page, alice, to=address)
    page.get_by_text("Notes and version (optional)").click()
    page.get_by_label("Notes").fill(NOTES)
    page.get_by_role("button", name="Mark some under Knowledge").click()
    page.wait_for_url(f"**{reverse('admin:builder_knowledge', args=[plugin.pk])}")
    Document.objects.update(is_public=True)
    page.goto(address)
    expect(page.get_by_label("Notes")).to_have_value(NOTES)
    page.locator("input[name=audience][value=key]").check()
    page.get_by_label("Version").press("Enter")  # presses Publish, and nothing else
    page.get_by_role("heading", name="Ask Boots 1.0.0").wait_for()
    assert plugin.releases.get().notes == NOTES
    plugin.refresh_from_db()
    assert plugin.next_notes == ""
    page.context.close()


def test_publish_pressed_twice_publishes_once_and_says_what_it_does(page: Page, plugin: Plugin, alice: User) -> None:
    address = reverse("admin:builder_publish", args=[plugin.pk])
    sign_in(page, alice, to=address)
    page.locator("input[name=audience][value=key]").check()
    sent = page.evaluate(PRESSED_AGAIN)
    assert sent == {"times": 1, "words": "Publishing…", "isFocused": True, "said": "true"}
    page.get_by_role("heading", name="Ask Boots 1.0.0").wait_for()
    assert plugin.releases.count() == 1


def test_while_a_worker_publishes_every_page_says_so_and_the_choice_stands(
    page: Page, plugin: Plugin, alice: User
) -> None:
    chosen = AudienceChange(
        visibility="marketplace", public_chat=False, is_shared=False, seen=audience_mark(Plugin.objects.get())
    )
    PublishingRun.objects.create(
        plugin=plugin,
        requested_by=alice,
        fingerprint="x",
        total=9,
        state=PublishingRun.State.ASKING,
        audience=chosen.as_json(),
    )
    sign_in(page, alice, to=reverse("admin:builder_golden", args=[plugin.pk]))
    strip = page.locator(".ready")
    expect(strip).not_to_contain_text("Publish 1.0.0")
    strip.get_by_role("link", name="Publishing…").press("Enter")
    page.wait_for_url(f"**{reverse('admin:builder_publish', args=[plugin.pk])}")
    expect(page.locator("input[name=audience][value=marketplace]")).to_be_checked()
