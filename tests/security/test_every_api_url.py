"""Every address below /api/, read off the URLconf, asked by those who have no business there: by session and by key.

An address that is added later is tested without anybody thinking of it. When it takes an id of a kind that is not in
`KINDS`, the first test says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.security.routes import EVERYWHERE, routes
from tests.security.world import World, everything, leaks

pytestmark = pytest.mark.django_db

# What an id in an address stands for, by its name there.
KINDS = {**EVERYWHERE, "plugin": "plugins.Plugin", "pk": "accounts.ApiKey"}
# Not an id of anything: a version, a page's number.
WORDS = {"version": "1.0.0", "number": "1", "finding": "1", "source_type": "document"}
METHODS = ("get", "post", "put", "patch", "delete")
REFUSED = {401, 403, 404, 405}
# What a viewer may do by POST: ask, and see what a tree makes of a question.
VIEWERS_MAY_POST = ("api/sandbox/", "/walk", "/cases/run")
# What a viewer does not see: where events are sent, other people’s keys and grants, what is public only once it is
# published, and what is somebody's alone.
NOT_FOR_VIEWERS = ("/webhooks", "api/api-keys/", "api/marketplace/", "api/knowledge-grants/", "api/projects/")
NOT_FOR_VIEWERS += ("api/knowledge/", "api/conversations/", "api/runs/", "api/v1/batch/")


@dataclass(frozen=True, kw_only=True)
class Address:
    route: str
    takes: tuple[str, ...]

    def filled(self, world: World, **instead: Any) -> str:
        """With Alice's ids in it, or with others instead."""
        address = f"/{self.route}"
        for name in self.takes:
            value = instead.get(name) or WORDS.get(name) or world[KINDS[name]].pk
            address = "/".join(str(value) if part.endswith(f":{name}>") else part for part in address.split("/"))
        return address


def addresses() -> list[Address]:
    return [Address(route=route, takes=tuple(pattern.pattern.converters)) for route, pattern in routes("api/")]


def of_objects() -> list[Address]:
    return [one for one in addresses() if one.takes]


def ask(client: APIClient, method: str, url: str) -> Any:
    if method == "get":
        return client.get(url)
    # Some look at the body before they look for the row: one that some accept, and then one that all do.
    answer = getattr(client, method)(url, {"name": "Taken"}, format="json")
    return getattr(client, method)(url, {}, format="json") if answer.status_code == 400 else answer


def rows() -> dict[str, list[dict[str, Any]]]:
    """Everything, but for when keys were last used."""
    found = everything()
    for key in found["accounts.ApiKey"]:
        del key["last_used_at"]
    return found


def keyed(owner: User, *plugins: Plugin) -> APIClient:
    """By a key that may do everything and never has to wait; with plugins, to these alone."""
    _, secret = ApiKey.objects.issue(
        owner=owner,
        name="agent",
        plugins=plugins,
        capabilities=["query", "read", "author"],
        per_minute=10**9,
        per_day=10**9,
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def signed_in(person: User) -> APIClient:
    client = APIClient()
    client.force_login(person)
    return client


def own_plugin(owner: User) -> Plugin:
    return Plugin.objects.create(owner=owner, name="Own", slug="own", domain="x", system_prompt="x")


def assert_refused(client: APIClient, world: World, **instead: Any) -> None:
    """Whatever is done to Alice's objects is refused, says nothing of them, and changes nothing."""
    before, is_known = rows(), _is_known(client)
    nested = [one for one in of_objects() if not instead or (len(set(one.takes) - WORDS.keys()) > 1)]
    for one in nested:
        url = one.filled(world, **instead)
        for method in METHODS:
            answer = ask(client, method, url)
            assert answer.status_code in REFUSED, f"{method} {url} answers {answer.status_code}"
            assert not leaks(answer), f"{method} {url}"
    assert rows() == before
    assert _is_known(client) == is_known


def _is_known(client: APIClient) -> bool:
    """Whether the session or the key still opens anything."""
    return bool(client.get("/api/v1/me").status_code == 200)


def test_every_kind_of_id_is_known() -> None:
    named = {name for one in addresses() for name in one.takes}
    assert named <= KINDS.keys() | WORDS.keys()
    assert len(of_objects()) > 25


def test_no_address_of_an_object_lets_a_stranger_in(world: World, charlie: User, dora: User) -> None:
    for client in (signed_in(charlie), keyed(charlie), signed_in(dora), APIClient()):
        assert_refused(client, world)


def test_a_plugin_is_found_by_its_slug_no_more_than_by_its_id(world: World, charlie: User) -> None:
    client, before = signed_in(charlie), rows()
    for one in of_objects():
        if "plugin" not in one.takes:
            continue
        url = one.filled(world, plugin=world.plugin.slug)
        for method in METHODS:
            answer = ask(client, method, url)
            assert answer.status_code in REFUSED, f"{method} {url} answers {answer.status_code}"
            assert not leaks(answer), f"{method} {url}"
    assert rows() == before


def test_ones_own_plugin_is_no_way_to_the_parts_of_another(world: World, charlie: User) -> None:
    own = own_plugin(charlie)
    for client in (signed_in(charlie), keyed(charlie)):
        assert_refused(client, world, plugin=own.slug)


def test_a_key_for_one_plugin_is_no_way_to_another(world: World) -> None:
    """Its owner may; the key may not. Neither by the other plugin's address, nor by that of its own."""
    own = own_plugin(world.alice)
    User.objects.filter(pk=world.alice.pk).update(display_name="Alice")  # her name is no secret of the plugin's
    client = keyed(world.alice, own)
    assert_refused(client, world)
    assert_refused(client, world, plugin=own.slug)


def test_other_methods_say_nothing_either(world: World, charlie: User) -> None:
    client = keyed(charlie)
    for one in of_objects():
        assert client.head(one.filled(world)).status_code in REFUSED, one.route
        assert not leaks(client.options(one.filled(world))), one.route


@pytest.mark.parametrize("name", ["{0.slug}", "{0.pk}", "{0.slug}@1.0.0", "{0.slug}@draft"])
def test_a_key_for_one_plugin_names_no_other_in_a_question(world: World, name: str) -> None:
    client = keyed(world.alice, own_plugin(world.alice))
    body = {"plugin": name.format(world.plugin), "query": "What holds?"}
    answer = client.post("/api/v1/query", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_plugin")


def test_no_address_without_an_object_names_anything(world: World, charlie: User, dora: User) -> None:
    own = own_plugin(world.alice)
    User.objects.filter(pk=world.alice.pk).update(display_name="Alice")
    strangers = [signed_in(charlie), keyed(charlie), signed_in(dora), keyed(dora), APIClient()]
    for client in [*strangers, keyed(world.alice, own)]:
        for one in addresses():
            for method in () if one.takes else METHODS:
                answer = ask(client, method, f"/{one.route}")
                assert answer.status_code < 500, f"{method} {one.route}"
                assert not leaks(answer), f"{method} {one.route}"


def test_a_key_that_only_reads_changes_nothing(world: World) -> None:
    _, secret = ApiKey.objects.issue(owner=world.alice, name="agent", capabilities=["read"], per_minute=10**9)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    before = rows()
    for one in of_objects():
        for method in ("post", "put", "patch", "delete"):
            answer = ask(client, method, one.filled(world))
            assert _may_post(one) or answer.status_code in REFUSED, f"{method} {one.route}: {answer.status_code}"
            assert answer.status_code < 500, f"{method} {one.route}"
    assert rows() == before


# --- Those who may look -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("enter", [signed_in, keyed], ids=["session", "key"])
def test_a_viewer_sees_every_part_and_changes_nothing(world: World, bob: User, enter: Any) -> None:
    world.plugin.viewers.add(bob)
    client, before = enter(bob), _without_own_words(rows())
    for one in of_objects():
        url = one.filled(world)
        looked = ask(client, "get", f"{url}?q=beam" if url.endswith("/search") else url)
        if any(part in one.route for part in NOT_FOR_VIEWERS):
            assert looked.status_code in REFUSED, url
            assert not leaks(looked) or "/webhooks" not in url, url
        else:
            assert looked.status_code in {200, 405, 410}, f"{url} answers {looked.status_code}"
        for method in ("post", "put", "patch", "delete"):
            answer = ask(client, method, url)
            assert _may_post(one) or answer.status_code in REFUSED, f"{method} {url}: {answer.status_code}"
            assert answer.status_code < 500, f"{method} {url}"
    assert _without_own_words(rows()) == before


def _may_post(one: Address) -> bool:
    return any(part in one.route for part in VIEWERS_MAY_POST)


def _without_own_words(found: dict[str, Any]) -> dict[str, Any]:
    """All but what a viewer leaves by asking."""
    return {label: found[label] for label in found if label != "querying.Query"}
