from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, User
from marketplace.keys import MOST_KEYS
from plugins.models import Plugin

pytestmark = pytest.mark.django_db
SECRET = re.compile(r"lx_[\w-]{43}")
Browse = Callable[[User], Client]


def secrets_in(response: Any) -> set[str]:
    return set(SECRET.findall(response.content.decode()))


def test_a_key_is_made_and_shown_once(browsing: Browse, visitor: User) -> None:
    client = browsing(visitor)
    response = client.post(reverse("keys"), {"name": "agent"})
    (secret,) = secrets_in(response)
    assert ApiKey.objects.for_secret(secret).owner == visitor  # type: ignore[union-attr]
    assert "no-store" in response.headers["Cache-Control"]
    assert secrets_in(client.get(reverse("keys"))) == set()


def test_the_secret_is_in_no_cookie_and_no_session(browsing: Browse, visitor: User) -> None:
    client = browsing(visitor)
    (secret,) = secrets_in(client.post(reverse("keys"), {"name": "agent"}))
    assert all(secret not in morsel.value for morsel in client.cookies.values())
    assert secret not in str(dict(client.session))


def test_a_key_can_be_for_one_plugin(browsing: Browse, visitor: User, alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="safety", is_published=True)
    browsing(visitor).post(reverse("keys"), {"name": "agent", "plugin": "boots"})
    assert ApiKey.objects.get().allowed_plugins() == [plugin.pk]


def test_a_key_for_a_plugin_that_one_may_not_ask_is_refused(browsing: Browse, visitor: User, alice: User) -> None:
    Plugin.objects.create(owner=alice, name="Draft", slug="draft", domain="safety")
    response = browsing(visitor).post(reverse("keys"), {"name": "agent", "plugin": "draft"})
    assert "There is no plugin of this name that you may ask." in response.content.decode()
    assert not ApiKey.objects.exists()


def test_there_is_an_end_to_making_keys(browsing: Browse, visitor: User) -> None:
    for number in range(MOST_KEYS):
        ApiKey.objects.issue(owner=visitor, name=f"key {number}")
    response = browsing(visitor).post(reverse("keys"), {"name": "one more"})
    assert f"You have {MOST_KEYS} keys already." in response.content.decode()
    assert ApiKey.objects.count() == MOST_KEYS


def test_a_key_is_revoked(browsing: Browse, visitor: User) -> None:
    key, secret = ApiKey.objects.issue(owner=visitor, name="agent")
    browsing(visitor).post(reverse("revoke_key", args=[key.pk]))
    assert ApiKey.objects.for_secret(secret) is None


def test_nobody_sees_or_revokes_the_keys_of_others(browsing: Browse, visitor: User, charlie: User) -> None:
    key, secret = ApiKey.objects.issue(owner=visitor, name="Doras agent")
    client = browsing(charlie)
    assert "Doras agent" not in client.get(reverse("keys")).content.decode()
    assert client.post(reverse("revoke_key", args=[key.pk])).status_code == 404
    assert ApiKey.objects.for_secret(secret)


def test_keys_are_for_people_who_have_signed_in(client: Client) -> None:
    assert client.get(reverse("keys")).status_code == 302


@pytest.mark.parametrize("rows", [1, 3])
def test_the_page_takes_the_same_queries_for_any_number_of_keys(
    browsing: Browse, visitor: User, alice: User, rows: int, django_assert_num_queries
) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="safety", is_published=True)
    for number in range(rows):
        ApiKey.objects.issue(owner=visitor, name=f"key {number}", plugins=[plugin])
    client = browsing(visitor)
    with django_assert_num_queries(4):  # session, person, keys, their plugins
        client.get(reverse("keys"))


# --- The same in the builder -----------------------------------------------------------------------------

ADD = "admin:accounts_apikey_add"


def filled(**fields: Any) -> dict[str, Any]:
    return {"name": "agent", "capabilities": ["query"], "per_minute": 60, "per_day": 5000, **fields}


def change(key: ApiKey) -> str:
    return reverse("admin:accounts_apikey_change", args=[key.pk])


def test_the_builder_shows_the_secret_once(browsing: Browse, alice: User) -> None:
    client = browsing(alice)
    response = client.post(reverse(ADD), filled())
    (secret,) = secrets_in(response)
    assert ApiKey.objects.for_secret(secret)
    assert all(secret not in morsel.value for morsel in client.cookies.values())
    assert secrets_in(client.get(change(ApiKey.objects.get()))) == set()


def test_a_limited_key_stays_limited_when_its_plugin_goes_off_the_air(
    browsing: Browse, alice: User, bob: User
) -> None:
    plugin = Plugin.objects.create(owner=bob, name="Boots", slug="boots", domain="safety", is_published=True)
    key, _ = ApiKey.objects.issue(owner=alice, name="agent", plugins=[plugin])
    plugin.withdraw()
    client = browsing(alice)
    shown = client.get(change(key)).context["adminform"].form
    assert list(shown["limited_to"].value()) == [plugin.pk]
    client.post(change(key), filled(name="renamed", limited_to=[plugin.pk], expires_at_0="", expires_at_1=""))
    key.refresh_from_db()
    assert (key.name, key.allowed_plugins()) == ("renamed", [plugin.pk])


def test_plugins_that_one_may_not_ask_are_not_offered(browsing: Browse, charlie: User, alice: User) -> None:
    secret = Plugin.objects.create(owner=alice, name="Secret draft", domain="safety")
    client = browsing(charlie)
    assert "Secret draft" not in client.get(reverse(ADD)).content.decode()
    client.post(reverse(ADD), filled(limited_to=[secret.pk]))
    assert not ApiKey.objects.exists()


def test_a_revoked_key_can_only_be_looked_at(browsing: Browse, alice: User) -> None:
    key, _ = ApiKey.objects.issue(owner=alice, name="agent")
    client = browsing(alice)
    listing = reverse("admin:accounts_apikey_changelist")
    client.post(listing, {"action": "revoke", "_selected_action": [key.pk]})
    content = client.get(change(key)).content.decode()
    assert "revoked on" in content
    assert 'name="name"' not in content
    assert client.post(change(key), filled(name="back again")).status_code == 403


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_the_same_queries_for_any_number_of_keys(
    browsing: Browse, alice: User, rows: int, django_assert_num_queries
) -> None:
    for number in range(rows):
        ApiKey.objects.issue(owner=alice, name=f"key {number}")
    client = browsing(alice)
    # Session, person, their permissions and their groups', the sidebar, how many, which.
    with django_assert_num_queries(7):
        client.get(reverse("admin:accounts_apikey_changelist"))
