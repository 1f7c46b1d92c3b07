from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiKey, Reveal, User
from lexic.conf.quotas import DEFAULT_QUOTAS
from plugins.models import Plugin
from querying.models import Query

MAX_KEYS = DEFAULT_QUOTAS["account_keys"]

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
    for number in range(MAX_KEYS):
        ApiKey.objects.issue(owner=visitor, name=f"key {number}")
    response = browsing(visitor).post(reverse("keys"), {"name": "one more"})
    assert f"This account has {MAX_KEYS} of {MAX_KEYS} keys." in response.content.decode()
    assert ApiKey.objects.count() == MAX_KEYS


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
    with django_assert_num_queries(6):  # session, person, keys, their limits, plugins, use
        client.get(reverse("keys"))


def test_a_key_is_made_with_limits_and_an_end(browsing: Browse, alice: User) -> None:
    browsing(alice).post(
        reverse("keys"),
        {"name": "agent", "capabilities": ["query", "read"], "per_minute": 7, "per_day": 70, "life": "30"},
    )
    key = ApiKey.objects.get()
    assert (key.capabilities, key.per_minute, key.per_day) == (["query", "read"], 7, 70)
    assert key.expires_at is not None
    assert timedelta(days=29) < key.expires_at - timezone.now() <= timedelta(days=30)


def test_who_builds_nothing_makes_keys_that_ask(browsing: Browse, visitor: User) -> None:
    client = browsing(visitor)
    assert "change plugins" not in client.get(reverse("keys")).content.decode()
    client.post(reverse("keys"), {"name": "agent", "capabilities": ["author"]})
    assert ApiKey.objects.get().capabilities == ["query"]


def test_nobody_gives_a_key_more_than_the_server_does(browsing: Browse, visitor: User, settings: Any) -> None:
    settings.KEY_MAX_PER_MINUTE = 10
    response = browsing(visitor).post(reverse("keys"), {"name": "agent", "per_minute": 11})
    assert "A key may have at most 10 requests a minute" in response.content.decode()
    assert not ApiKey.objects.exists()


def test_a_key_pasted_as_a_name_is_refused(browsing: Browse, visitor: User) -> None:
    response = browsing(visitor).post(reverse("keys"), {"name": "lx_" + "A" * 43})
    assert "This looks like a key. A name is shown to others, so choose another one." in response.content.decode()
    assert not ApiKey.objects.exists()


# --- Revealing and replacing ------------------------------------------------------------------------------

CONFIRM = "account_reauthenticate"
PASSWORD = {"password": "correct horse battery"}


def test_a_key_is_revealed_once_the_password_is_confirmed(browsing: Browse, visitor: User) -> None:
    key, secret = ApiKey.objects.issue(owner=visitor, name="agent")
    client = browsing(visitor)
    asked = client.post(reverse("reveal_key", args=[key.pk]))
    assert (asked.status_code, asked["Location"].split("?")[0]) == (302, reverse(CONFIRM))
    assert not Reveal.objects.exists()
    wrong = client.post(asked["Location"], {"password": "wrong"})
    assert secrets_in(wrong) == set()
    shown = client.post(asked["Location"], PASSWORD | {"next": reverse("reveal_key", args=[key.pk])})
    assert secrets_in(shown) == {secret}
    assert "{#" not in shown.content.decode()
    assert "no-store" in shown.headers["Cache-Control"]
    assert [(reveal.key, reveal.by) for reveal in Reveal.objects.all()] == [(key, visitor)]
    assert secret not in str(dict(client.session))


def test_within_some_minutes_the_password_is_not_asked_again(browsing: Browse, visitor: User) -> None:
    key, secret = ApiKey.objects.issue(owner=visitor, name="agent")
    client = browsing(visitor)
    client.post(reverse(CONFIRM), PASSWORD)
    assert secrets_in(client.post(reverse("reveal_key", args=[key.pk]))) == {secret}


def test_looking_never_reveals(browsing: Browse, visitor: User) -> None:
    key, _ = ApiKey.objects.issue(owner=visitor, name="agent")
    client = browsing(visitor)
    client.post(reverse(CONFIRM), PASSWORD)
    for name in ("reveal_key", "rotate_key", "revoke_key"):
        assert client.get(reverse(name, args=[key.pk])).status_code == 405


def test_where_keys_are_not_revealed_the_page_offers_nothing_and_says_so(
    browsing: Browse, visitor: User, settings: Any
) -> None:
    key, _ = ApiKey.objects.issue(owner=visitor, name="agent")
    settings.API_KEY_REVEAL = False
    client = browsing(visitor)
    client.post(reverse(CONFIRM), PASSWORD)
    assert reverse("reveal_key", args=[key.pk]) not in client.get(reverse("keys")).content.decode()
    told = client.post(reverse("reveal_key", args=[key.pk]), follow=True).content.decode()
    assert "Keys are shown once only on this server." in told


def test_nobody_reveals_or_replaces_the_keys_of_others(browsing: Browse, visitor: User, charlie: User) -> None:
    key, _ = ApiKey.objects.issue(owner=visitor, name="agent")
    charlie.is_superuser = True
    charlie.save()
    client = browsing(charlie)
    client.post(reverse(CONFIRM), PASSWORD)
    for address in (
        reverse("reveal_key", args=[key.pk]),
        reverse("rotate_key", args=[key.pk]),
    ):
        assert client.post(address, {"overlap": 1}).status_code == 404
    assert not Reveal.objects.exists()
    assert ApiKey.objects.count() == 1


def test_a_key_is_replaced_and_the_old_one_goes_on_for_a_while(browsing: Browse, visitor: User) -> None:
    old, old_secret = ApiKey.objects.issue(owner=visitor, name="agent")
    client = browsing(visitor)
    (secret,) = secrets_in(client.post(reverse("rotate_key", args=[old.pk]), {"overlap": 24}))
    assert secret != old_secret
    new = ApiKey.objects.for_secret(secret)
    assert new is not None
    assert new.rotated_from == old
    assert ApiKey.objects.for_secret(old_secret) == old
    page = client.get(reverse("keys")).content.decode()
    assert f"replaced by {new.prefix}…" in page
    assert reverse("rotate_key", args=[old.pk]) not in page


@pytest.mark.parametrize("overlap", ["", "x", "-1", "5", "99999999999999999999"])
def test_only_the_overlaps_of_the_form_are_taken(browsing: Browse, visitor: User, overlap: str) -> None:
    old, _ = ApiKey.objects.issue(owner=visitor, name="agent")
    assert browsing(visitor).post(reverse("rotate_key", args=[old.pk]), {"overlap": overlap}).status_code == 302
    assert ApiKey.objects.count() == 1


def test_the_page_says_what_a_key_was_used_for(browsing: Browse, visitor: User) -> None:
    key, _ = ApiKey.objects.issue(owner=visitor, name="agent")
    Query.objects.bulk_create(
        Query(api_key=key, release_name="x", question="q", outcome=outcome)
        for outcome in ("answered", "answered", "refused")
    )
    page = browsing(visitor).get(reverse("keys")).content.decode()
    assert "3 questions in 30 days: 2 answered, 1 refused" in page


# --- The same in the builder -----------------------------------------------------------------------------


def filled(**fields: Any) -> dict[str, Any]:
    return {"name": "agent", "capabilities": ["query"], "per_minute": 60, "per_day": 5000, **fields}


def change(key: ApiKey) -> str:
    return reverse("admin:accounts_apikey_change", args=[key.pk])


def test_keys_are_made_on_their_own_page_alone(browsing: Browse, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    client = browsing(alice)
    assert client.get(reverse("admin:accounts_apikey_add")).status_code == 403
    assert client.post(reverse("admin:accounts_apikey_add"), filled()).status_code == 403
    assert reverse("keys") in client.get(reverse("admin:accounts_apikey_changelist")).content.decode()
    assert not ApiKey.objects.exists()


def test_in_the_builder_only_superusers_go_beyond_the_ceiling(browsing: Browse, alice: User, bob: User) -> None:
    bob.is_superuser = True
    bob.save()
    key, _ = ApiKey.objects.issue(owner=alice, name="agent")
    empty = {"expires_at_0": "", "expires_at_1": ""}
    response = browsing(alice).post(change(key), filled(per_minute=601, **empty))
    assert "A key may have at most 600 requests a minute and 50,000 a day." in response.content.decode()
    browsing(bob).post(change(key), filled(per_minute=601, **empty))
    key.refresh_from_db()
    assert (key.per_minute, key.owner) == (601, alice)


def test_what_a_superuser_gave_stays_when_its_owner_renames_the_key(browsing: Browse, alice: User) -> None:
    key, _ = ApiKey.objects.issue(owner=alice, name="agent", per_minute=5000)
    empty = {"expires_at_0": "", "expires_at_1": ""}
    browsing(alice).post(change(key), filled(name="renamed", per_minute=5000, **empty))
    key.refresh_from_db()
    assert (key.name, key.per_minute) == ("renamed", 5000)
    browsing(alice).post(change(key), filled(name="more", per_minute=5001, **empty))
    key.refresh_from_db()
    assert (key.name, key.per_minute) == ("renamed", 5000)


def test_a_limited_key_stays_limited_when_its_plugin_goes_off_the_air(browsing: Browse, alice: User, bob: User) -> None:
    plugin = Plugin.objects.create(owner=bob, name="Boots", slug="boots", domain="safety", is_published=True)
    key, _ = ApiKey.objects.issue(owner=alice, name="agent", plugins=[plugin])
    plugin.unpublish()
    client = browsing(alice)
    shown = client.get(change(key)).context["adminform"].form
    assert list(shown["limited_to"].value()) == [plugin.pk]
    client.post(change(key), filled(name="renamed", limited_to=[plugin.pk], expires_at_0="", expires_at_1=""))
    key.refresh_from_db()
    assert (key.name, key.allowed_plugins()) == ("renamed", [plugin.pk])


def test_plugins_that_one_may_not_ask_are_not_offered(browsing: Browse, charlie: User, alice: User) -> None:
    secret = Plugin.objects.create(owner=alice, name="Secret draft", domain="safety")
    key, _ = ApiKey.objects.issue(owner=charlie, name="agent")
    client = browsing(charlie)
    assert "Secret draft" not in client.get(change(key)).content.decode()
    client.post(change(key), filled(name="renamed", limited_to=[secret.pk], expires_at_0="", expires_at_1=""))
    key.refresh_from_db()
    assert (key.name, key.allowed_plugins()) == ("agent", None)


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
    # Session, person, their permissions and their groups', the sidebar and its badge, how many, which.
    with django_assert_num_queries(8):
        client.get(reverse("admin:accounts_apikey_changelist"))


def test_web_pages_that_may_use_a_key_are_named_and_changed(browsing: Browse, visitor: User, charlie: User) -> None:
    client = browsing(visitor)
    client.post(reverse("keys"), {"name": "widget", "allowed_origins": "https://www.Example.org,http://localhost:3000"})
    key = ApiKey.objects.get()
    assert key.allowed_origins == ["https://www.example.org", "http://localhost:3000"]
    assert "https://www.example.org, http://localhost:3000" in client.get(reverse("keys")).content.decode()
    url = reverse("change_key_origins", args=[key.pk])
    refused = client.post(url, {"allowed_origins": "https://www.example.org/page"}, follow=True).content.decode()
    assert "Nothing was changed. An origin is a scheme and a host" in refused
    assert browsing(charlie).post(url, {"allowed_origins": ""}).status_code == 404
    client = browsing(visitor)
    key.refresh_from_db()
    assert len(key.allowed_origins) == 2
    client.post(url, {"allowed_origins": ""})
    key.refresh_from_db()
    assert key.allowed_origins == []
