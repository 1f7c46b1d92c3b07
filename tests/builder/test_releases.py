"""Releases in the builder: their figures, what differs between two, their notes, and the way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from lxml import html

from accounts.models import User
from evaluation.models import GoldenQuestion
from knowledge.models import Document, KnowledgeBase
from marketplace import tasks
from marketplace.models import PublishingRun
from marketplace.publishing.publish import publish
from marketplace.publishing.rollback import RollbackKnowledgeGone, roll_back
from marketplace.sharing.installs import install_copy
from plugins.models import Plugin, Release
from querying import releases
from tests.marketplace.comparison.replaced import replace_text

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


@pytest.fixture
def expert(browsing: Browse, alice: User) -> Client:
    return browsing(alice)


@pytest.fixture
def two(published: Plugin) -> tuple[Release, Release]:
    """1.0.0, and 1.1.0 with another persona."""
    first = published.releases.get()
    published.system_prompt = "You are a shoemaker."
    published.save()
    return first, publish(published, by=published.owner).release


def address(name: str, plugin: Plugin, *more: object) -> str:
    return reverse(f"admin:builder_{name}", args=[plugin.pk, *more])


def test_the_list_shows_how_each_did(expert: Client, plugin: Plugin) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="What is worn on every site?", must_contain=["rubber"])
    publish(plugin, by=plugin.owner)
    content = expert.get(address("releases", plugin)).content.decode()
    assert "0 of 1" in content
    assert "published" in content


def test_it_comes_in_pages_at_the_same_cost(expert: Client, published: Plugin) -> None:
    expert.get(address("releases", published))
    with CaptureQueriesContext(connection) as few:
        expert.get(address("releases", published))
    Release.objects.bulk_create(Release(plugin=published, version=f"0.{n}.0") for n in range(1, 40))
    with CaptureQueriesContext(connection) as many:
        content = expert.get(address("releases", published)).content.decode()
    assert len(many) == len(few)
    assert "1 to 25 of 40" in content


def test_two_releases_are_compared(expert: Client, published: Plugin, two: tuple[Release, Release]) -> None:
    content = expert.get(address("release", published, two[1].pk)).content.decode()
    assert "1.1.0, compared with 1.0.0" in content
    assert "The persona is different." in content
    assert "<td>You are a <del>safety engineer.</del></td><td>You are a <ins>shoemaker.</ins></td>" in content


def test_a_release_is_compared_with_the_draft(expert: Client, published: Plugin, two: tuple[Release, Release]) -> None:
    content = expert.get(address("release", published, two[1].pk), {"with": "draft"}).content.decode()
    assert "Nothing that affects answers is different." in content


def test_the_publish_page_shows_what_a_replaced_document_says_now(
    expert: Client, published: Plugin, handbook: Document
) -> None:
    replace_text(handbook, handbook.pages.get().text.replace("24 months", "18 <b>long</b> months"))
    content = expert.get(address("publish", published)).content.decode()
    for words in (
        "1 document replaced: “Rules on boots”.",
        "<del>24 </del>",
        "<ins>18 &lt;b&gt;long&lt;/b&gt; </ins>",
    ):
        assert words in content


def test_notes_are_edited_and_nothing_else(expert: Client, published: Plugin) -> None:
    release = published.releases.get()
    before = {name: getattr(release, name) for name in Release.immutable_fields()}
    expert.post(address("release", published, release.pk), {"notes": "For winter.", "system_prompt": "Taken"})
    release.refresh_from_db()
    assert release.notes == "For winter."
    assert {name: getattr(release, name) for name in Release.immutable_fields()} == before


def test_going_back_publishes_the_earlier_content_again(
    expert: Client, published: Plugin, alice: User, two: tuple[Release, Release]
) -> None:
    expert.post(address("go_back", published, two[0].pk))
    now = releases.resolve("boots", principal=alice)
    assert (now.version, now.system_prompt, now.notes) == ("1.2.0", two[0].system_prompt, "As 1.0.0 was.")
    assert releases.resolve("boots@1.1.0", principal=alice) == two[1]
    published.refresh_from_db()
    assert (published.version, published.system_prompt) == ("1.2.0", "You are a shoemaker.")
    assert publish(published, by=alice).release.version == "1.3.0"


def test_going_back_to_the_latest_makes_no_release(published: Plugin, alice: User) -> None:
    latest = published.releases.get()
    published.unpublish()
    assert roll_back(published, to=latest, by=alice) == latest
    published.refresh_from_db()
    assert published.is_published


def test_a_release_whose_knowledge_is_deleted_cannot_come_back(
    published: Plugin, alice: User, two: tuple[Release, Release]
) -> None:
    KnowledgeBase.objects.filter(plugin=published).delete()
    with pytest.raises(RollbackKnowledgeGone):
        roll_back(published, to=two[0], by=alice)
    assert published.releases.count() == 2


def test_a_viewer_compares_and_changes_nothing(
    published: Plugin, browsing: Browse, bob: User, two: tuple[Release, Release]
) -> None:
    published.viewers.add(bob)
    viewer = browsing(bob)
    content = viewer.get(address("release", published, two[1].pk)).content.decode()
    assert "Save the notes" not in content
    assert viewer.post(address("go_back", published, two[0].pk)).status_code == 404
    assert viewer.post(address("release", published, two[0].pk), {"notes": "Mine"}).status_code == 404
    assert published.releases.count() == 2


def test_the_draft_is_named_in_words(expert: Client, published: Plugin) -> None:
    release = published.releases.get()
    content = expert.get(address("release", published, release.pk) + "?with=draft").content.decode()
    assert "1.0.0, compared with the draft" in content


# --- What the strip says about publishing ----------------------------------------------------------------


def strip(client: Client, plugin: Plugin) -> str:
    content = client.get(address("knowledge", plugin)).content.decode()
    return content.partition('class="ready"')[2].partition("</section>")[0]


def test_the_strip_offers_the_next_version_where_something_has_changed(expert: Client, published: Plugin) -> None:
    published.system_prompt = "You are a shoemaker."
    published.save()
    assert "Publish 1.1.0" in strip(expert, published)
    assert "Everything is published" not in strip(expert, published)


def test_the_strip_says_that_everything_is_published_and_since_when(expert: Client, published: Plugin) -> None:
    shown, release = strip(expert, published), published.releases.get()
    assert "Everything is published" in shown
    assert f"since {release.created_at:%-d %b %Y}" in shown
    assert "btn-main" not in shown
    sheet = expert.get(address("publish", published)).content.decode().partition('id="publish-title"')[2]
    assert "Publish 1.0.0 again" in sheet
    assert "btn-main" not in sheet.partition("</section>")[0]
    assert "Left empty, it is 1.0.0 again." in sheet


def test_what_is_off_the_air_is_offered_again_under_its_own_version(expert: Client, published: Plugin) -> None:
    expert.post(address("withdraw", published))
    assert "Publish 1.0.0 again" in strip(expert, published)


def test_a_change_taken_back_leaves_nothing_to_publish(expert: Client, published: Plugin) -> None:
    before = published.system_prompt
    for text in ("You are a shoemaker.", before):
        published.system_prompt = text
        published.save()
    assert "Everything is published" in strip(expert, published)


# --- Publishing by a worker -------------------------------------------------------------------------------------------


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the runs that a worker would be told of."""
    told: list[str] = []
    monkeypatch.setattr(tasks.publish_plugin, "apply_async", lambda **given: told.append(given["kwargs"]["run_id"]))
    return told


def test_publishing_is_watched_and_leads_to_the_release(expert: Client, plugin: Plugin, sent: list[str]) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="What is worn on every site?", must_contain=["steel toe"])
    waiting = expert.post(address("publish", plugin), {"notes": "First."}, follow=True).content.decode()
    assert "1 golden question will be asked as soon as a worker is free" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    assert "publish-form" not in waiting
    PublishingRun.objects.update(
        state="asking", scores=[{"question": "What is <b>worn</b>?", "failures": ["No page."]}]
    )
    asking = expert.get(address("publish_progress", plugin), headers={"HX-Request": "true"}).content.decode()
    for words in ("<b>1 of 1</b> golden questions asked, 0 passed", "What is &lt;b&gt;worn&lt;/b&gt;?", "No page."):
        assert words in asking
    PublishingRun.objects.update(state="waiting", scores=[])
    tasks.publish_plugin(run_id=sent[0])
    over = expert.get(address("publish_progress", plugin), headers={"HX-Request": "true"})
    assert over["HX-Redirect"] == address("published", plugin)
    expert.get(address("publish_progress", plugin), headers={"HX-Request": "true"})  # the next page is not there yet
    assert expert.get(over["HX-Redirect"]).content.decode().count("Published: boots@1.0.0.") == 1
    assert plugin.releases.get().notes == "First."


def test_how_far_publishing_is_is_read_out_at_each_tenth_part(expert: Client, plugin: Plugin) -> None:
    run = PublishingRun.objects.create(plugin=plugin, state="asking", total=30, requested_by=plugin.owner)
    page = html.fromstring(expert.get(address("publish", plugin)).content.decode())
    [said] = page.xpath("//p[@id='publishing-said'][@role='status']")
    heard = [said.text]
    [asks] = page.xpath("//div[@id='publishing-news']/@hx-get")
    for asked in range(1, 31):
        run.scores = [{"question": "?", "failures": []}] * asked
        run.save()
        news = html.fromstring(expert.get(asks, headers={"HX-Request": "true"}).content.decode())
        heard += [one.text for one in news.xpath("//p[@id='publishing-said'][@hx-swap-oob='innerHTML']")]
        [asks] = news.xpath("//div[@id='publishing-news']/@hx-get")
    assert heard == [f"{count} of 30 golden questions asked." for count in range(0, 31, 3)]


def test_who_can_see_it_stays_chosen_while_it_is_published_and_after_it_was_cancelled(
    expert: Client, plugin: Plugin, sent: list[str]
) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="What is worn on every site?")
    chosen = 'value="marketplace" required checked'
    assert chosen not in expert.get(address("publish", plugin)).content.decode()
    posted = expert.post(address("publish", plugin), {"audience": "marketplace"}, follow=True)
    assert chosen in posted.content.decode()
    assert chosen in expert.post(address("publish_cancel", plugin), follow=True).content.decode()


def test_publishing_asked_for_twice_is_done_once_and_no_error(expert: Client, plugin: Plugin, sent: list[str]) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="What is worn on every site?", must_contain=["steel toe"])
    for _ in range(2):
        shown = expert.post(address("publish", plugin), {"notes": "First."}, follow=True).content.decode()
        assert "1 golden question will be asked as soon as a worker is free" in shown
        assert "being published already" not in shown
    assert len(sent) == PublishingRun.objects.count() == 1


def test_other_notes_than_those_that_are_being_published_are_not_taken_for_them(
    expert: Client, plugin: Plugin, sent: list[str]
) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="What is worn on every site?", must_contain=["steel toe"])
    expert.post(address("publish", plugin), {"notes": "First."})
    shown = expert.post(address("publish", plugin), {"notes": "Second."}, follow=True).content.decode()
    assert "is being published already" in shown
    assert PublishingRun.objects.get().notes == "First."
    assert not plugin.releases.exists()


def test_publishing_is_cancelled(expert: Client, plugin: Plugin, sent: list[str]) -> None:
    GoldenQuestion.objects.create(plugin=plugin, question="What is worn on every site?")
    expert.post(address("publish", plugin), {"notes": "First."})
    content = expert.post(address("publish_cancel", plugin), follow=True).content.decode()
    assert "Publishing is cancelled. Nothing was published." in content
    assert "First.</textarea>" in content
    tasks.publish_plugin(run_id=sent[0])
    assert not plugin.releases.exists()
    assert "nothing to cancel" in expert.post(address("publish_cancel", plugin), follow=True).content.decode()


def test_what_held_it_back_is_shown_with_the_questions_that_failed(
    expert: Client, plugin: Plugin, sent: list[str]
) -> None:
    Plugin.objects.update(golden_gate="block")
    for words in ("steel toe", "rubber"):
        GoldenQuestion.objects.create(plugin=plugin, question=f"Is {words} worn on every site?", must_contain=[words])
    expert.post(address("publish", plugin), {})
    tasks.publish_plugin(run_id=sent[0])
    content = expert.get(address("publish", plugin)).content.decode()
    assert "The last attempt published nothing." in content
    assert "Is rubber worn on every site?" in content
    assert "Is steel toe worn on every site?" not in content


def test_a_viewer_may_not_publish_or_watch(plugin: Plugin, browsing: Browse, bob: User) -> None:
    plugin.viewers.add(bob)
    viewer = browsing(bob)
    assert viewer.get(address("publish_progress", plugin)).status_code == 404
    assert viewer.post(address("publish_cancel", plugin)).status_code == 404


def test_a_copy_is_compared_with_the_latest_release_of_its_original(
    plugin: Plugin, browsing: Browse, alice: User, bob: User
) -> None:
    Plugin.objects.filter(pk=plugin.pk).update(is_shared=True)
    publish(plugin, by=alice)
    copy = install_copy(plugin.slug, by=bob).install.copy
    Plugin.objects.filter(pk=plugin.pk).update(system_prompt="You are a shoemaker.")
    replace_text(plugin.knowledge_base.documents.get(), "# Boots\n\nBoots are replaced after 18 months of wear.\n")
    plugin.refresh_from_db()
    publish(plugin, by=alice)
    reader = browsing(bob)
    assert address("original_changes", copy) in reader.get(address("sharing", copy)).content.decode()
    content = reader.get(address("original_changes", copy)).content.decode()
    for words in ("Boots 1.1.0, compared with your copy", "<ins>shoemaker.</ins>", "after 18 months of wear."):
        assert words in content
    assert reader.get(address("original_changes", plugin)).status_code == 404
    plugin.unpublish()
    assert reader.get(address("original_changes", copy)).status_code == 404
