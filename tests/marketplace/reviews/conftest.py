"""Alice's plugin is published, and Dora has used it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from marketplace.models import Listing, Review
from plugins.models import Plugin, Release
from querying.models import Query

Browse = Callable[[User], Client]


@pytest.fixture(autouse=True)
def nobody_has_reported_before() -> None:
    cache.clear()


@pytest.fixture
def plugin(alice: User) -> Plugin:
    plugin = Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="safety", system_prompt="Brief.")
    release = Release.objects.create(plugin=plugin, version="1.0.0", system_prompt="Brief.")
    plugin.set_live_release(release)
    Listing.objects.create(plugin=plugin, release=release, domain="safety", released_at=release.created_at)
    return plugin


@pytest.fixture
def dora(db: None) -> User:
    """Has an account, and may not use the builder."""
    return User.objects.create_user("dora@example.org", "correct horse battery", display_name="Dora Smith")


@pytest.fixture
def browsing() -> Browse:
    def browse(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return browse


def ask(plugin: Plugin, person: User, *, times: int = 5, outcome: str = "answered", **columns: object) -> None:
    """As if the person had asked it so often."""
    columns.setdefault("release", plugin.latest_release())
    for _ in range(times):
        Query.objects.create(plugin=plugin, user=person, question="Boots?", outcome=outcome, **columns)


def counts(plugin: Plugin) -> tuple[int, int, int]:
    """As the listing keeps them: relied on it, used with care, was wrong."""
    return Listing.objects.values_list("relied", "care", "wrong").get(plugin=plugin)


def reviewed(
    plugin: Plugin, person: User, *, verdict: str = "relied", text: str = "Exact.", **columns: object
) -> Review:
    """A review as it stands, whatever the person did."""
    columns.setdefault("release", plugin.latest_release())
    return Review.objects.create(plugin=plugin, author=person, verdict=verdict, text=text, **columns)


def people(number: int) -> list[User]:
    return [User.objects.create_user(f"person{n}@example.org", display_name=f"Person {n}") for n in range(number)]
