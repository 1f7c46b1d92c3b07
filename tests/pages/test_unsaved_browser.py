"""Leaving a page of visitors or of the workspace with a text that nobody has saved; and which forms ask first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page

from accounts.models import User
from conversations.models import Project
from marketplace.models import Release
from plugins.models import Plugin
from querying.models import Query
from tests.browsers import asked_on_leaving, dialogs, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FORM = re.compile(r"<form\b(?:(?!</form>).)*</form>", re.DOTALL)
TYPED = re.compile(r"<textarea|_fields?\.html|\{\{ form\.|\{\{ field|<input class=\"input[^>]* name=|_form\.html")
# A name, an address or a code is typed again in a moment, and nobody wants to be asked about a password.
SHORT = (
    "account/",
    "mfa/",
    "socialaccount/",
    "api/consent.html",
    "builder/import.html",
    "builder/knowledge/base.html",
    "builder/knowledge/document.html",
    "builder/knowledge/pane.html",
    "builder/trees/list.html",
    "marketplace/keys.html",
    "privacy/your_data.html",
    "querying/_ask_expert.html",
    "workspace/_members.html",
    "workspace/_organisation_people.html",
    "workspace/conversation.html",
    "workspace/mail_preferences.html",
    "workspace/organisation_sign_in.html",
    "workspace/organisations.html",
    # The question is a line, and the page of a plugin is to be light.
    "marketplace/plugin/_ask_form.html",
)


def forms_to_type_in() -> Iterator[tuple[str, str]]:
    """The template and the text of each form that is sent and in which something is typed."""
    root = Path(settings.BASE_DIR) / "templates"
    for path in root.rglob("*.html"):
        for form in FORM.findall(path.read_text()):
            if 'method="post"' in form and TYPED.search(form):
                yield str(path.relative_to(root)), form


def test_every_form_with_a_text_asks_before_it_is_left() -> None:
    silent = [(template, form) for template, form in forms_to_type_in() if "data-unsaved" not in form]
    assert {template for template, _ in silent if not template.startswith(SHORT)} == set()
    assert {template for template, form in silent if "<textarea" in form} == {"marketplace/plugin/_ask_form.html"}


@pytest.fixture
def used(published: Plugin, visitor: User) -> Plugin:
    """The visitor has asked it often enough to review it."""
    visitor.emailaddress_set.create(email=visitor.email, verified=True, primary=True)
    for _ in range(5):
        Query.objects.create(
            plugin=published,
            release=Release.objects.get(),
            release_name="boots@1.0.0",
            question="Which boots?",
            outcome="answered",
            user=visitor,
        )
    return published


@pytest.mark.parametrize("address", ["/marketplace/boots/review", "/marketplace/boots/report"])
def test_a_review_or_a_report_is_asked_about_but_not_when_it_is_given_up_or_sent(
    page: Page, used: Plugin, visitor: User, address: str
) -> None:
    sign_in(page, visitor, to=address)
    assert asked_on_leaving(page, to="/marketplace") == []
    page.goto(address)
    page.locator("#id_text").fill("It was wrong about roofs.")
    assert asked_on_leaving(page, to="/marketplace") == ["beforeunload"]
    for name in ("Cancel", "Publish the review" if address.endswith("review") else "Report it"):
        page.goto(address)
        page.locator("#id_text").fill("It was wrong about roofs.")
        page.locator("input[type=radio]").first.check()
        with dialogs(page) as asked:
            page.get_by_text(name, exact=True).click()
            page.wait_for_function("!location.pathname.match(/review|report/)")
        assert asked == []


def test_a_name_and_what_a_project_is_about_are_asked_about(page: Page, alice: User) -> None:
    project = Project.objects.create_with_base(owner=alice, name="Marrow", description="The dispute.")
    sign_in(page, alice, to="/accounts/profile")
    page.get_by_label("Name").fill("Alice of the Roofs")
    assert asked_on_leaving(page, to="/marketplace") == ["beforeunload"]
    page.goto(f"/projects/{project.pk}")
    page.locator("#settings-title").click()
    page.get_by_role("textbox", name="Description").fill("The dispute about the roof.")
    assert asked_on_leaving(page, to="/marketplace") == ["beforeunload"]
    page.goto(f"/projects/{project.pk}")
    page.locator("#settings-title").click()
    page.get_by_role("textbox", name="Description").fill("The dispute about the wall.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("The dispute about the wall.").first.wait_for()
    assert asked_on_leaving(page, to="/marketplace") == []


def test_a_message_is_asked_about_only_once_it_is_long(page: Page, alice: User) -> None:
    for message, asked in (("Who pays?", []), ("Who pays for what is broken on the roof? " * 3, ["beforeunload"])):
        sign_in(page, alice, to="/chats/new")
        page.get_by_label("Your message").fill(message)
        assert asked_on_leaving(page, to="/marketplace") == asked
