"""Two people at the same form: the second one is told, and nothing is overwritten that they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from lxml import html

from accounts.models import User
from builder.golden.forms import GoldenQuestionForm
from builder.optimistic_lock_form import OptimisticLock
from evaluation.models import GoldenQuestion
from knowledge.models import Document, KnowledgeBase, Source
from plugins.history import log_change
from plugins.models import Plugin
from plugins.visibility import Visibility
from webhooks.models import Event, Webhook

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
TOLD = "This was changed after you had opened it: "


@pytest.fixture
def alices(browsing: Browse, alice: User) -> Client:
    return browsing(alice)


def address(name: str, plugin: Plugin, *more: object) -> str:
    return reverse(f"admin:builder_{name}", args=[plugin.pk, *more])


def sent(response: Any, *, with_field: str) -> dict[str, Any]:
    """What a browser would send of the form with this field, as it stands in the page. More than one box of a name is a
    list."""
    forms = html.fromstring(response.content.decode()).forms
    [form] = [one for one in forms if {with_field, "seen"} <= set(one.inputs.keys())]
    values: dict[str, list[str]] = {}
    for name, value in form.form_values():
        # A browser leaves out the line end that a text area begins with.
        values.setdefault(name, []).append(value.removeprefix("\n"))
    return {name: given if len(given) > 1 else given[0] for name, given in values.items()}


def test_a_document_that_was_made_private_meanwhile_stays_private(
    alices: Client, plugin: Plugin, handbook: Document, bob: User
) -> None:
    Document.objects.update(is_public=True)
    page = address("knowledge_document", plugin, handbook.pk)
    mine = sent(alices.get(page), with_field="doc_type") | {"title": "Boots and shoes"}
    Document.objects.update(is_public=False)
    log_change(plugin, by=bob, sentence="Changed what is said of “Rules on boots”: public.")
    response = alices.post(page, mine)
    content = response.content.decode()
    assert f"{TOLD}public." in content
    assert str(bob) not in content, "whose change it was is not known"
    handbook.refresh_from_db()
    assert (handbook.title, handbook.is_public) == ("Rules on boots", False)
    again = sent(response, with_field="doc_type")
    assert again["title"] == "Boots and shoes"
    assert alices.post(page, again).status_code == 302
    handbook.refresh_from_db()
    assert (handbook.title, handbook.is_public) == ("Boots and shoes", False)


def test_what_the_second_one_has_typed_is_saved_once_they_have_read_the_other(
    alices: Client, plugin: Plugin, handbook: Document
) -> None:
    page = address("knowledge_document", plugin, handbook.pk)
    mine = sent(alices.get(page), with_field="doc_type") | {"tags": "mine", "language": "de"}
    Document.objects.update(tags=["theirs"], project="Yard")
    response = alices.post(page, mine)
    assert f"{TOLD}tags, project." in response.content.decode()
    again = sent(response, with_field="doc_type")
    assert (again["tags"], again["project"], again["language"]) == ("mine", "Yard", "de")
    alices.post(page, again)
    handbook.refresh_from_db()
    assert (handbook.tags, handbook.project, handbook.language) == (["mine"], "Yard", "de")


def test_another_mistake_does_not_hide_what_was_changed(alices: Client, plugin: Plugin, handbook: Document) -> None:
    page = address("knowledge_document", plugin, handbook.pk)
    mine = sent(alices.get(page), with_field="doc_type") | {"doc_date": "yesterday"}
    again = sent(alices.post(page, mine), with_field="doc_type") | {"doc_date": ""}
    Document.objects.update(project="Yard")
    assert f"{TOLD}project." in alices.post(page, again).content.decode()


def test_who_may_use_it(alices: Client, published: Plugin) -> None:
    Document.objects.update(is_public=True)
    Plugin.objects.update(public_chat=True)
    mine = sent(alices.get(address("sharing", published)), with_field="embed_origins")
    mine["embed_origins"] = "https://a.example https://b.example"
    Plugin.objects.update(public_chat=False)
    response = alices.post(address("use", published), mine)
    assert TOLD in response.content.decode()
    published.refresh_from_db()
    assert (published.public_chat, published.embed_origins) == (False, [])
    again = sent(response, with_field="embed_origins")
    assert "public_chat" not in again
    alices.post(address("use", published), again)
    published.refresh_from_db()
    assert (published.public_chat, published.embed_origins) == (False, ["https://a.example", "https://b.example"])


@pytest.mark.parametrize("door", ["audience", "publish"])
def test_who_can_see_it(alices: Client, published: Plugin, door: str) -> None:
    mine = sent(alices.get(address("publish", published)), with_field="audience")
    assert mine["audience"] == "marketplace"
    mine |= {"public_chat": "on", "notes": "For winter.", "version": "2.0.0"}
    Plugin.objects.update(visibility=Visibility.PEOPLE)
    response = alices.post(address(door, published), mine)
    assert f"{TOLD}who can see it." in response.content.decode()
    published.refresh_from_db()
    assert (published.visibility, published.public_chat, published.releases.count()) == ("people", False, 1)
    again = sent(response, with_field="audience")
    assert {name: again.get(name) for name in ("audience", "public_chat", "notes", "version")} == {
        "audience": "people",
        "public_chat": "on",
        "notes": "For winter.",
        "version": "2.0.0",
    }
    [form] = [one for one in html.fromstring(response.content.decode()).forms if "audience" in set(one.inputs.keys())]
    assert form.action == address("publish", published)
    alices.post(address(door, published), again | {"audience": "unlisted"})
    published.refresh_from_db()
    assert (published.visibility, published.public_chat) == ("unlisted", True)


def test_limits(alices: Client, plugin: Plugin) -> None:
    mine = sent(alices.get(address("limits", plugin)), with_field="spending_cap") | {"keep_files_days": "9"}
    Plugin.objects.update(spending_cap=5)
    response = alices.post(address("save_limits", plugin), mine)
    assert f"{TOLD}spending cap." in response.content.decode()
    plugin.refresh_from_db()
    assert (plugin.keep_files_days, plugin.spending_cap) == (None, Decimal(5))
    alices.post(address("save_limits", plugin), sent(response, with_field="spending_cap"))
    plugin.refresh_from_db()
    assert (plugin.keep_files_days, plugin.spending_cap) == (9, Decimal(5))


def test_the_notes_of_a_release(alices: Client, published: Plugin) -> None:
    release = published.releases.get()
    page = address("release", published, release.pk)
    mine = sent(alices.get(page), with_field="notes") | {"notes": "Mine."}
    published.releases.update(notes="Theirs.")
    response = alices.post(page, mine)
    assert f"{TOLD}notes." in response.content.decode()
    release.refresh_from_db()
    assert release.notes == "Theirs."
    assert sent(response, with_field="notes")["notes"] == "Mine."


def test_a_golden_question(alices: Client, plugin: Plugin) -> None:
    golden = GoldenQuestion.objects.create(plugin=plugin, question="What is worn?", must_contain=["boots", "toe"])
    page = address("golden_change", plugin, golden.pk)
    mine = sent(alices.get(page), with_field="phrases") | {"question": "What is worn on site?"}
    GoldenQuestion.objects.update(must_contain=["steel"])
    response = alices.post(page, mine)
    assert f"{TOLD}must contain." in response.content.decode()
    golden.refresh_from_db()
    assert (golden.question, golden.must_contain) == ("What is worn?", ["steel"])
    alices.post(page, sent(response, with_field="phrases"))
    golden.refresh_from_db()
    assert (golden.question, golden.must_contain) == ("What is worn on site?", ["steel"])


def test_a_run_that_ends_meanwhile_keeps_its_results(
    alices: Client, plugin: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = GoldenQuestion.objects.create(plugin=plugin, question="What is worn?")
    valid = GoldenQuestionForm.is_valid

    def run_ends_meanwhile(form: GoldenQuestionForm) -> bool:
        is_valid = valid(form)
        GoldenQuestion.objects.update(last_passed=True)
        return is_valid

    monkeypatch.setattr(GoldenQuestionForm, "is_valid", run_ends_meanwhile)
    page = address("golden_change", plugin, golden.pk)
    alices.post(page, sent(alices.get(page), with_field="phrases") | {"is_public": "on"})
    golden.refresh_from_db()
    assert (golden.is_public, golden.last_passed) == (True, True)


def test_saving_what_one_sees_changes_nothing_and_is_no_conflict(
    alices: Client, published: Plugin, handbook: Document
) -> None:
    golden = GoldenQuestion.objects.create(
        plugin=published,
        question="What\nis worn?",
        facts={"place": "site"},
        must_cite=[["Rules on boots", None]],
        must_contain=["boots", "toe"],
    )
    webhook = Webhook(plugin=published, url="https://example.org/", events=Event.values[1:])
    webhook.set_new_secret()
    webhook.save()
    options: dict[str, dict[str, Any]] = {"website": {"exclude": ["/a/", "/b/"]}, "feed": {}, "repo": {"branch": "x"}}
    sources = [
        Source.objects.create(
            knowledge_base=handbook.knowledge_base, kind=kind, location=f"https://example.org/{kind}", options=said
        )
        for kind, said in (options | {"bucket": {"region": "eu-1"}}).items()
    ]
    Document.objects.update(tags=["a", "b"], doc_date="2026-01-01", is_public=True)
    Plugin.objects.update(embed_origins=["https://a.example", "https://b.example"], spending_cap="5.50")
    pages = {
        address("knowledge_document", published, handbook.pk): ("doc_type", ""),
        address("golden_change", published, golden.pk): ("phrases", ""),
        address("sharing", published): ("embed_origins", address("use", published)),
        address("limits", published): ("spending_cap", address("save_limits", published)),
        address("publish", published): ("audience", address("audience", published)),
        address("webhook", published, webhook.pk): ("events", ""),
        **{address("source", published, source.pk): ("interval_hours", "") for source in sources},
    }
    for page, (field, door) in pages.items():
        response = alices.post(door or page, sent(alices.get(page), with_field=field))
        assert response.status_code == 302, response.content.decode()
    before = GoldenQuestion.objects.values().get()
    golden.refresh_from_db()
    assert (golden.question, golden.must_cite) == (before["question"], [["Rules on boots", None]])


def test_a_webhook_that_was_told_less_meanwhile_is_told_no_more_than_that(alices: Client, plugin: Plugin) -> None:
    webhook = Webhook(plugin=plugin, url="https://example.org/old", events=Event.values, includes_questions=True)
    webhook.set_new_secret()
    webhook.save()
    page = address("webhook", plugin, webhook.pk)
    mine = sent(alices.get(page), with_field="events") | {"url": "https://example.org/new"}
    Webhook.objects.update(events=["document.ready", "document.failed"], includes_questions=False)
    response = alices.post(page, mine)
    assert f"{TOLD}events to send, send the words of refused questions." in response.content.decode()
    webhook.refresh_from_db()
    assert (webhook.url, webhook.includes_questions) == ("https://example.org/old", False)
    again = sent(response, with_field="events")
    assert again["url"] == "https://example.org/new"
    assert alices.post(page, again).status_code == 302
    webhook.refresh_from_db()
    assert (webhook.url, webhook.includes_questions) == ("https://example.org/new", False)
    assert webhook.events == ["document.ready", "document.failed"]


def test_the_events_that_were_ticked_stay_ticked(alices: Client, plugin: Plugin) -> None:
    webhook = Webhook(plugin=plugin, url="https://example.org/old", events=["document.ready"])
    webhook.set_new_secret()
    webhook.save()
    page = address("webhook", plugin, webhook.pk)
    mine = sent(alices.get(page), with_field="events") | {"events": ["document.failed", "release.published"]}
    Webhook.objects.update(url="https://example.org/theirs")
    again = sent(alices.post(page, mine), with_field="events")
    assert (again["url"], again["events"]) == ("https://example.org/theirs", ["document.failed", "release.published"])


def test_a_source_that_was_made_private_meanwhile_stays_private(alices: Client, plugin: Plugin, alice: User) -> None:
    base, _ = KnowledgeBase.objects.get_or_create(plugin=plugin, defaults={"owner": alice, "name": "Own"})
    source = Source.objects.create(
        knowledge_base=base, kind="website", location="https://example.org/", is_public=True, interval_hours=24
    )
    page = address("source", plugin, source.pk)
    mine = sent(alices.get(page), with_field="interval_hours") | {"max_pages": "50"}
    Source.objects.update(is_public=False, options={"include": ["/docs/", "/help/"]})
    response = alices.post(page, mine)
    assert f"{TOLD}only paths that begin with, public." in response.content.decode()
    source.refresh_from_db()
    assert (source.is_public, source.options) == (False, {"include": ["/docs/", "/help/"]})
    again = sent(response, with_field="interval_hours")
    assert again["max_pages"] == "50"
    assert alices.post(page, again).status_code == 302
    source.refresh_from_db()
    assert (source.is_public, source.options["include"]) == (False, ["/docs/", "/help/"])
    assert source.options["max_pages"] == 50


@pytest.mark.parametrize("kind", ["source", "webhook"])
def test_what_was_deleted_meanwhile_is_said_in_its_form(
    alices: Client, plugin: Plugin, alice: User, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    base, _ = KnowledgeBase.objects.get_or_create(plugin=plugin, defaults={"owner": alice, "name": "Own"})
    source = Source.objects.create(knowledge_base=base, kind="website", location="https://example.org/")
    webhook = Webhook(plugin=plugin, url="https://example.org/old", events=["document.ready"])
    webhook.set_new_secret()
    webhook.save()
    row, field = {"source": (source, "interval_hours"), "webhook": (webhook, "events")}[kind]
    page, lock_row = address(kind, plugin, row.pk), OptimisticLock.lock_row
    mine = sent(alices.get(page), with_field=field)

    def lock_deleted(form: OptimisticLock) -> Any:
        type(row)._base_manager.filter(pk=row.pk).delete()
        return lock_row(form)

    monkeypatch.setattr(OptimisticLock, "lock_row", lock_deleted)
    response = alices.post(page, mine)
    assert response.status_code == 200
    assert "Somebody deleted this after you had opened it." in response.content.decode()
