from __future__ import annotations

import pytest

from accounts.models import ApiKey, User
from plugins.models import Plugin, Release
from tests.cover import charlies_key, key, plugin, published
from tests.security.crawler import Crawler
from tests.security.world import World, build

__all__ = ["charlies_key", "key", "plugin", "published"]  # fixtures of theirs that are used here too


@pytest.fixture
def world(alice: User) -> World:
    return build(alice)


@pytest.fixture
def dora(db: None) -> User:
    """Has an account and may not use the builder."""
    return User.objects.create_user("dora@example.org", "correct horse battery")


@pytest.fixture
def stranger(request: pytest.FixtureRequest, charlie: User, dora: User) -> Crawler:
    """Charlie (staff), Dora (not staff) and somebody without an account, one after the other."""
    return Crawler({"charlie": charlie, "dora": dora, "nobody": None}[request.param])


@pytest.fixture
def untiring(alice: User) -> str:
    """A key that fuzzing does not exhaust."""
    return ApiKey.objects.issue(owner=alice, name="fuzz", per_minute=10**9, per_day=10**9)[1]


@pytest.fixture
def named(alice: User) -> Plugin:
    """A published plugin that knows nothing: enough where the request is refused."""
    plugin = Plugin.objects.create(owner=alice, name="Cover", slug="cover", domain="x", system_prompt="x")
    plugin.set_live_release(Release.objects.create(plugin=plugin, version="1.0.0", system_prompt="x"))
    return plugin


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "stranger" in metafunc.fixturenames:
        metafunc.parametrize("stranger", ["charlie", "dora", "nobody"], indirect=True)
