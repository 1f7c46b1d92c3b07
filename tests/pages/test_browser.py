"""The pages in a real browser. Nothing may be fetched from elsewhere, and nothing may complain in the console."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import ApiKey, User
from builder.readiness import reverse_pane
from knowledge.ingest import ingest
from knowledge.models import Document
from plugins.models import Plugin
from tests.browsers import each_look, overflow, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_from_signing_up_to_a_key(page: Page, published: Plugin) -> None:
    page.goto("/marketplace/boots")
    page.get_by_role("link", name="Get a key").click()
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Email").fill("erin@example.org")
    page.get_by_label("Password", exact=True).fill("a long walk home")
    page.get_by_label("Password (again)").fill("a long walk home")
    page.get_by_role("button", name="Sign Up").click()
    page.get_by_label("Name").fill("planning agent")
    page.get_by_role("button", name="Create the key").click()
    secret = page.locator("#secret").inner_text()
    key = ApiKey.objects.for_secret(secret)
    assert key
    assert (key.owner.email, key.allowed_plugins()) == ("erin@example.org", [published.pk])
    page.goto("/api-keys")
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("It stopped working at once.").wait_for()
    assert ApiKey.objects.for_secret(secret) is None


def test_an_expert_walks_from_a_file_to_a_release(page: Page, alice: User, tmp_path: Path) -> None:
    _make_plugin(page, alice)
    _drop(page, tmp_path, name="gloves.md", content=b"# Gloves\n\nGloves are worn when wire is cut.")
    page.locator("#documents").get_by_text("waits for its turn").wait_for()
    ingest(Document.objects.get().pk)
    # Nobody reloads: the list asks for news by itself, and then stops asking.
    page.locator("#documents[data-working='0']").get_by_text("ready", exact=True).wait_for()
    page.locator(".ready").get_by_text("1 of 1 ready").wait_for()
    page.get_by_role("link", name="Gloves", exact=True).last.click()
    page.locator(".kn-text").get_by_text("Gloves are worn when wire is cut.").wait_for()
    page.get_by_role("searchbox", name="Question").fill("When are gloves worn?")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("heading", name="1 of 1 passages would be read").wait_for()
    page.get_by_role("link", name="Passage 0", exact=True).click()
    assert "Gloves are worn when wire is cut." in page.locator("mark").inner_text()
    page.goto(f"/admin/plugins/plugin/{Plugin.objects.get().pk}/publish/")
    page.get_by_role("button", name="Publish").click()
    assert not page.locator("input[name=audience]").first.evaluate("field => field.validity.valid")
    page.locator("input[name=audience][value=key]").check()
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("Published: gloves@1.0.0.").wait_for()
    page.get_by_role("link", name="All releases").click()
    expect(page.get_by_role("button", name="Withdraw")).to_be_hidden()
    page.get_by_text("Withdraw it").click()
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_text("is withdrawn").wait_for()
    assert not Plugin.objects.get().is_published


def test_why_a_broken_file_could_not_be_read_is_said(page: Page, alice: User, tmp_path: Path) -> None:
    _make_plugin(page, alice)
    _drop(page, tmp_path, name="broken.pdf", content=b"%PDF-1.4\nthis is not a PDF\n")
    page.locator("#documents").get_by_text("waits for its turn").wait_for()
    ingest(Document.objects.get().pk)
    page.get_by_text("The document is damaged and cannot be read.").wait_for()
    page.get_by_role("button", name="Read again broken").click()
    page.get_by_text("“broken” waits to be read again.").wait_for()
    page.get_by_role("button", name="Stop broken: it is removed").click()
    page.get_by_text("“broken” was not added.").wait_for()
    assert not Document.objects.exists()


def _make_plugin(page: Page, alice: User) -> None:
    sign_in(page, alice, to="/admin/")
    page.goto("/admin/plugins/plugin/add/")
    page.get_by_label("Name").fill("Gloves")
    page.get_by_label("Domain").fill("safety")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("link", name="Knowledge", exact=True).wait_for()


def _drop(page: Page, folder: Path, *, name: str, content: bytes) -> None:
    file = folder / name
    file.write_bytes(content)
    page.goto(reverse_pane(Plugin.objects.get(), "knowledge"))
    page.get_by_label("Drop files here").set_input_files(file)


def test_a_citation_opens_its_page_at_the_cited_words(page: Page, alice: User, plugin: Plugin) -> None:
    text = "\n".join(f"Line {number} of a long page." for number in range(300))
    frozen = plugin.knowledge_base.documents.get().pages.get()
    type(frozen).objects.filter(pk=frozen.pk).update(text=f"{text}\n{frozen.text}\n{text}")
    start = len(text) + 1
    sign_in(page, alice)
    page.goto(f"/source/{frozen.pk}?start={start}&end={start + len(frozen.text)}")
    mark = page.locator("mark")
    assert mark.inner_text() == frozen.text
    box = mark.bounding_box()
    assert box
    assert 0 <= box["y"] < 900


PUBLIC = ["/", "/marketplace/boots", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
SIGNED_IN = [
    "/",
    "/api-keys",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/logout/",
    "/accounts/data",
    "/chats/new",
]


def too_wide(page: Page, path: str) -> list[Any]:
    page.goto(path)
    return [(path, look) for look in each_look(page) if overflow(page) > 0]


def test_no_page_is_wider_than_the_screen(page: Page, alice: User, published: Plugin) -> None:
    long = "abcdefghij" * 12
    Plugin.objects.filter(pk=published.pk).update(name=long, domain=long[:80], tagline=long, description=long * 3)
    ApiKey.objects.issue(owner=alice, name=long[:100], plugins=[published])
    wide = [one for path in PUBLIC for one in too_wide(page, path)]
    sign_in(page, alice)
    frozen = published.knowledge_base.documents.get().pages.get()
    wide += [one for path in [*SIGNED_IN, f"/source/{frozen.pk}?start=1&end=20"] for one in too_wide(page, path)]
    assert wide == []


BUILDER = ["", "plugins/plugin/", "plugins/plugin/add/", "knowledge/document/", "trees/decisiontree/"]
BUILDER += ["accounts/apikey/", "querying/query/", "plugins/release/", "knowledge/knowledgebase/"]


def test_the_builder_keeps_the_strict_policy(page: Page, alice: User, published: Plugin) -> None:
    """Every complaint about the policy would be in the console."""
    sign_in(page, alice, to="/admin/")
    for path in BUILDER:
        page.goto(f"/admin/{path}")
    page.goto(f"/admin/plugins/plugin/{published.pk}/change/")
    assert page.locator("#id_system_prompt").input_value() == published.system_prompt


def test_pages_that_are_not_there_look_like_ours(page: Page, complaints: list[str]) -> None:
    page.goto("/nothing-here")
    page.get_by_role("heading", name="Page not found").wait_for()
    complaints[:] = [said for said in complaints if "404" not in said]
