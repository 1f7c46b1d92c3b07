from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from tests.querying.conftest import charlies_key, key, plugin, published
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
def stranger(request: pytest.FixtureRequest, charlie: User, dora: User) -> Client:
    """Charlie (staff), Dora (not staff) and somebody without an account, one after the other."""
    client = Client(raise_request_exception=True)
    if user := {"charlie": charlie, "dora": dora, "nobody": None}[request.param]:
        client.force_login(user)
    return client


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "stranger" in metafunc.fixturenames:
        metafunc.parametrize("stranger", ["charlie", "dora", "nobody"], indirect=True)
