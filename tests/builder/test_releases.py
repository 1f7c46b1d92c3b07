"""Releases in the builder: their figures, what differs between two, their notes, and the way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from builder.releases.diff import diff_lines
from evaluation.models import GoldenQuestion
from knowledge.models import KnowledgeBase
from marketplace.publishing.publish import publish
from marketplace.publishing.rollback import RollbackKnowledgeGone, roll_back
from plugins.models import Plugin, Release
from querying import releases

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
    assert '<del><span class="sr">Gone: </span>You are a safety engineer.</del>' in content
    assert '<ins><span class="sr">New: </span>You are a shoemaker.</ins>' in content


def test_a_release_is_compared_with_the_draft(expert: Client, published: Plugin, two: tuple[Release, Release]) -> None:
    content = expert.get(address("release", published, two[1].pk), {"with": "draft"}).content.decode()
    assert "Nothing that affects answers is different." in content


def test_lines_are_told_apart() -> None:
    found = [(line.kind, line.text) for line in diff_lines("a\nc\nd", then="a\nb\nd")]
    assert found == [("same", "a"), ("gone", "b"), ("new", "c"), ("same", "d")]


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
