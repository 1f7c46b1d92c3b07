"""`GET /api/marketplace/{plugin}/reviews`: for anybody, of what is published."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from marketplace.models import Review
from plugins.models import Plugin, Release
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
ADDRESS = "/api/marketplace/boots/reviews"


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    """Published."""
    plugin = Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="safety", system_prompt="Brief.")
    plugin.set_live_release(Release.objects.create(plugin=plugin, version="1.0.0", system_prompt="Brief."))
    return plugin


def reviewed(plugin: Plugin, number: int, **columns: Any) -> Review:
    author = User.objects.create_user(f"p{number}@example.org", display_name=f"Person {number}")
    at = timezone.now() - timedelta(days=number)
    return Review.objects.create(plugin=plugin, author=author, created_at=at, updated_at=at, **columns)


def test_a_review_says_who_what_and_on_which_grounds(plugin: Plugin) -> None:
    release = plugin.latest_release()
    review = reviewed(
        plugin, 1, verdict="care", text="<b>", release=release, questions=86, asked_since=date(2026, 9, 1)
    )
    plugin.set_live_release(Release.objects.create(plugin=plugin, version="1.1.0", system_prompt="Brief."))
    [said] = APIClient().get(ADDRESS).json()["results"]
    assert (said.pop("createdAt"), said.pop("updatedAt")) == (said_at(review), said_at(review))
    assert said == {
        "id": str(review.pk),
        "verdict": "care",
        "text": "<b>",
        "author": "Person 1",
        "questions": 86,
        "askedSince": "2026-09-01",
        "hasInstalled": False,
        "release": "1.0.0",
        "isOlderRelease": True,
        "reply": None,
    }


def said_at(review: Review) -> str:
    return review.created_at.isoformat().replace("+00:00", "Z")


def test_neither_an_address_nor_a_hidden_review_is_in_it(plugin: Plugin) -> None:
    reviewed(plugin, 1, verdict="wrong", text="Rude.", is_hidden=True)
    shown = reviewed(plugin, 2, verdict="relied", release=None, reply="Thanks.", replied_at=timezone.now())
    User.objects.filter(pk=shown.author_id).update(display_name="")
    answer = APIClient().get(ADDRESS)
    [said] = answer.json()["results"]
    assert (said["author"], said["release"], said["isOlderRelease"]) == ("Unnamed member", None, False)
    assert said["reply"] == "Thanks."
    assert b"@" not in answer.content


def test_the_newest_come_first_in_pages_of_two_statements(plugin: Plugin, django_assert_num_queries: Any) -> None:
    made = [str(reviewed(plugin, number, verdict="relied").pk) for number in range(5)]
    client, found, address = APIClient(), [], f"{ADDRESS}?limit=2"
    while address:
        with django_assert_num_queries(2):
            page = client.get(address).json()
        found += [one["id"] for one in page["results"]]
        address = page["next"]
    assert found == made


def test_of_a_plugin_that_is_not_published_nothing_is_found(plugin: Plugin, alice: User) -> None:
    reviewed(plugin, 1, verdict="relied")
    plugin.unpublish()
    client = APIClient()
    client.force_login(alice)
    for address in (ADDRESS, "/api/marketplace/nothing/reviews"):
        answer = client.get(address)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "cursor=x"])
def test_what_a_page_cannot_be_is_refused(plugin: Plugin, query: str) -> None:
    assert APIClient().get(f"{ADDRESS}?{query}").status_code == 400
