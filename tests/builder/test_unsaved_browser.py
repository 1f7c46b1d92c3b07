"""Leaving a page of the builder with text that nobody has saved: the browser asks first, and only then."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from builder.readiness import reverse_pane
from knowledge.models import Document
from marketplace.models import Release, Review, ReviewVerdict
from plugins.models import Plugin
from querying.models import Query
from tests.browsers import asked_on_leaving, dialogs, sign_in
from trees.models import DecisionTree

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Address = Callable[[Plugin], str]
LONG_FORMS: dict[str, tuple[Address, str]] = {
    "persona": (lambda plugin: reverse_pane(plugin, "persona"), "#id_system_prompt"),
    "new plugin": (lambda plugin: reverse("admin:plugins_plugin_add"), "#id_name"),
    "golden question": (lambda plugin: reverse("admin:builder_golden_add", args=[plugin.pk]), "#id_question"),
    "golden import": (lambda plugin: reverse("admin:builder_golden_import", args=[plugin.pk]), "#golden-pasted"),
    "tree as text": (
        lambda plugin: reverse("admin:builder_tree_text", args=[plugin.pk, plugin.trees.get().pk]),
        "#draft",
    ),
    "release notes": (
        lambda plugin: reverse("admin:builder_release", args=[plugin.pk, Release.objects.get().pk]),
        "#id_notes",
    ),
    "pasted document": (lambda plugin: reverse_pane(plugin, "knowledge"), "textarea[name=text]"),
    "document details": (
        lambda plugin: reverse("admin:builder_knowledge_document", args=[plugin.pk, Document.objects.get().pk]),
        "#id_tags",
    ),
    "source": (lambda plugin: reverse("admin:builder_source_new", args=[plugin.pk]), "#id_include"),
    "webhook": (lambda plugin: reverse("admin:builder_webhooks", args=[plugin.pk]), "#id_url"),
    "web sites": (lambda plugin: reverse("admin:builder_sharing", args=[plugin.pk]), "#embed-sites"),
    "reply to a review": (lambda plugin: reverse("admin:builder_reviews", args=[plugin.pk]), "textarea[name=text]"),
}


@pytest.fixture
def review(published: Plugin, charlie: User) -> Review:
    return published.reviews.create(author=charlie, verdict=ReviewVerdict.RELIED, text="It was right.")


@pytest.mark.parametrize("name", LONG_FORMS)
def test_leaving_asks_first_where_something_was_typed_and_not_otherwise(
    page: Page, alice: User, published: Plugin, tree: DecisionTree, review: Review, name: str
) -> None:
    address, field = LONG_FORMS[name]
    sign_in(page, alice, to=address(published))
    page.locator(field).click(force=True)
    assert asked_on_leaving(page) == []
    page.goto(address(published))
    shown = page.locator(field)
    shown.evaluate(
        "one => { for (let at = one; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true }"
    )
    shown.fill("Not saved yet")
    assert asked_on_leaving(page) == ["beforeunload"]


def test_what_is_typed_and_taken_back_or_saved_is_not_asked_about(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse_pane(plugin, "persona"))
    persona = page.locator("#id_system_prompt")
    before = persona.input_value()
    persona.fill("Be brief.")
    persona.fill(before)
    page.get_by_label("Question", exact=True).fill("What is tried is no text of the persona?")
    assert asked_on_leaving(page) == []
    page.goto(reverse_pane(plugin, "persona"))
    with dialogs(page) as asked:
        persona.fill("Be brief.")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_text("Draft saved.").wait_for()
    plugin.refresh_from_db()
    assert (plugin.system_prompt, asked, asked_on_leaving(page)) == ("Be brief.", [], [])


def test_deleting_and_going_back_on_purpose_are_not_asked_about(page: Page, alice: User, plugin: Plugin) -> None:
    golden = plugin.golden_questions.create(question="Which boots?", must_contain=["S3"])
    sign_in(page, alice, to=reverse("admin:builder_golden_change", args=[plugin.pk, golden.pk]))
    page.locator("#id_question").fill("Which boots on a wet roof?")
    with dialogs(page) as asked:
        page.get_by_role("link", name="Delete it").click()
        page.wait_for_url("**/delete/")
    assert asked == []


def test_whoever_types_on_after_giving_up_is_asked_again(page: Page, alice: User, plugin: Plugin) -> None:
    document = Document.objects.get()
    sign_in(page, alice, to=reverse("admin:builder_knowledge_edit_text", args=[plugin.pk, document.pk]))
    text = page.locator("#document-text")
    # The link is pressed, and the browser stays.
    page.get_by_role("link", name="Cancel").evaluate(
        "one => { one.addEventListener('click', event => event.preventDefault()); one.click() }"
    )
    text.fill("Written anew.")
    assert asked_on_leaving(page) == ["beforeunload"]


def test_a_click_that_leaves_nothing_gives_nothing_up(page: Page, alice: User, plugin: Plugin) -> None:
    """It opens another tab, or a script takes it, as one does that closes a form below an answer."""
    document = Document.objects.get()
    for take in (False, True):
        sign_in(page, alice, to=reverse("admin:builder_knowledge_edit_text", args=[plugin.pk, document.pk]))
        page.locator("#document-text").fill("Written anew.")
        cancel = page.get_by_role("link", name="Cancel")
        if take:
            page.evaluate("document.addEventListener('click', event => event.preventDefault())")
            cancel.click()
        else:
            with page.context.expect_page() as other:
                cancel.click(modifiers=["ControlOrMeta"])
            other.value.close()
        assert asked_on_leaving(page) == ["beforeunload"]


def test_a_question_is_asked_about_only_once_it_is_long(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse("admin:builder_sandbox", args=[plugin.pk]))
    page.get_by_placeholder("Ask Boots").fill("Which boots?")
    assert asked_on_leaving(page) == []
    page.goto(reverse("admin:builder_sandbox", args=[plugin.pk]))
    page.get_by_placeholder("Ask Boots").fill(
        "Which boots have to be worn on a wet roof of less than ten degrees, " * 2
    )
    assert asked_on_leaving(page) == ["beforeunload"]


def test_a_word_of_a_tree_that_is_taken_over_when_its_field_is_left_is_asked_about_before(
    page: Page, alice: User, plugin: Plugin, tree: DecisionTree
) -> None:
    address = reverse("admin:builder_tree", args=[plugin.pk, tree.pk])
    for typed, asked in (("", []), ("on a wet roof", ["beforeunload"])):
        sign_in(page, alice, to=address)
        page.locator("#tree-editor[data-ready]").wait_for()
        page.locator(f"[data-node='{tree.tree_data['rootNodeId']}']").click()
        page.get_by_label("Answer 1").press_sequentially(typed)
        assert asked_on_leaving(page) == asked


def test_what_was_refused_is_still_asked_about(page: Page, alice: User, plugin: Plugin, complaints: list[str]) -> None:
    sign_in(page, alice, to=reverse("admin:builder_golden_add", args=[plugin.pk]))
    page.locator("#id_places").fill("No such document, p. 3")
    page.locator("#id_question").fill("Which boots?")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Not saved yet.").wait_for()
    assert asked_on_leaving(page) == ["beforeunload"]
    complaints[:] = [said for said in complaints if "422" not in said]


def test_notes_that_are_kept_while_they_are_typed_are_not_asked_about(page: Page, alice: User, plugin: Plugin) -> None:
    sign_in(page, alice, to=reverse("admin:builder_publish", args=[plugin.pk]))
    with page.expect_response(lambda response: response.url.endswith("/publish/notes/")):
        page.get_by_text("Notes and version (optional)").click()
        page.get_by_label("Notes").fill("Boots of visitors are described.")
    page.wait_for_function("document.querySelector('[name=notes]').defaultValue")
    assert asked_on_leaving(page) == []


def test_whoever_stays_with_one_reply_can_still_send_the_other(page: Page, alice: User, published: Plugin) -> None:
    for question in ("May visitors wear sandals?", "Who pays for helmets?"):
        Query.objects.create(plugin=published, release_name="boots@1.0.0", question=question, outcome="refused")
    sign_in(page, alice, to=reverse("admin:builder_inbox", args=[published.pk]))
    for summary in page.locator(".inbox-answer > summary").all():
        summary.click()
    first, second = page.get_by_label("Your answer").all()
    first.fill("Never.")
    second.fill("The employer.")
    asked: list[str] = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    press = page.get_by_role("button", name="Save and ask again").first
    press.click()
    expect(page.locator(".inbox-reply").first).to_have_attribute("aria-busy", "false")
    assert asked == ["beforeunload"]
    expect(page.get_by_label("Your answer").nth(1)).to_have_value("The employer.")
    assert asked_on_leaving(page) == ["beforeunload"]
