from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from api.me.views import MAX_PLUGINS
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
ME = "/api/v1/me"


def me(secret: str) -> Any:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client.get(ME)


def a_plugin(owner: User, slug: str, **fields: Any) -> Plugin:
    fields = {"name": slug.title(), "domain": "x", "system_prompt": "x", "is_published": True, **fields}
    return Plugin.objects.create(owner=owner, slug=slug, **fields)


def test_a_key_learns_what_it_may(alice: User) -> None:
    one = a_plugin(alice, "one")
    a_plugin(alice, "other")
    end = timezone.now() + timedelta(days=1)
    key, secret = ApiKey.objects.issue(
        owner=alice, name="agent", plugins=[one], per_minute=5, per_day=9, expires_at=end
    )
    body = me(secret).json()
    resets = [left.pop("resetSeconds") for left in body["left"]]
    assert body == {
        "owner": {"name": "Alice", "email": None},
        "key": {
            "id": str(key.pk),
            "name": "agent",
            "keyPrefix": key.prefix,
            "expiresAt": end.isoformat().replace("+00:00", "Z"),
        },
        "capabilities": ["query"],
        "plugins": [{"slug": "one", "name": "One", "version": "1.0.0"}],
        "morePlugins": False,
        "limits": {"perMinute": 5, "perDay": 9},
        "left": [
            {"per": "minute", "limit": 5, "remaining": 4},
            {"per": "day", "limit": 9, "remaining": 8},
        ],
    }
    assert 0 < resets[0] <= 60
    assert 0 < resets[1] <= 86_400


@pytest.mark.parametrize("capabilities", [["query"], ["read"], ["author", "query", "read"]])
def test_no_key_learns_the_address_of_its_owner(alice: User, capabilities: list[str]) -> None:
    alice.display_name = ""
    alice.save()
    _, secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=capabilities)
    response = me(secret)
    assert "alice@" not in response.content.decode()
    assert response.json()["owner"] == {"name": "", "email": None}


def test_a_key_that_asks_nothing_is_told_of_no_plugins(alice: User) -> None:
    a_plugin(alice, "one")
    _, secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=["read"])
    assert me(secret).json()["plugins"] == []


def test_drafts_of_others_are_not_named(alice: User, charlie: User) -> None:
    a_plugin(alice, "draft", is_published=False)
    _, secret = ApiKey.objects.issue(owner=charlie, name="agent")
    assert me(secret).json()["plugins"] == []


def test_a_person_learns_who_they_are(alice: User) -> None:
    client = APIClient()
    client.force_login(alice)
    body = client.get(ME).json()
    assert body["owner"] == {"name": "Alice", "email": "alice@example.org"}
    assert (body["key"], body["limits"], body["left"]) == (None, None, None)


def test_a_stranger_learns_nothing() -> None:
    response = APIClient().get(ME)
    assert (response.status_code, response.json()["code"]) == (401, "not_authenticated")


def test_the_list_of_plugins_is_bounded(alice: User) -> None:
    for number in range(MAX_PLUGINS + 1):
        a_plugin(alice, f"plugin-{number:03}")
    _, secret = ApiKey.objects.issue(owner=alice, name="agent")
    body = me(secret).json()
    assert (len(body["plugins"]), body["plugins"][0]["slug"]) == (MAX_PLUGINS, "plugin-000")
    assert body["morePlugins"] is True


@pytest.mark.parametrize("rows", [1, 3])
def test_it_takes_the_same_queries_for_any_number_of_plugins(
    alice: User, rows: int, django_assert_num_queries: Any
) -> None:
    plugins = [a_plugin(alice, f"plugin-{number}") for number in range(rows)]
    _, secret = ApiKey.objects.issue(owner=alice, name="agent", plugins=plugins)
    me(secret)  # notes when the key was used
    with django_assert_num_queries(2):  # key, plugins
        assert len(me(secret).json()["plugins"]) == rows
