"""Every address below /admin/, read off the URLconf, asked by people who have no business there.

A page that is added later is tested without anybody thinking of it. When it takes an id of a kind that is not in
`KINDS`, the first test says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import URLPattern, reverse

from accounts.models import User
from plugins.models import Plugin
from tests.security.crawler import Crawler
from tests.security.routes import EVERYWHERE, routes
from tests.security.world import World, everything, leaks

pytestmark = pytest.mark.django_db

# What an id in a pane's address stands for, by its name there.
KINDS = {
    **EVERYWHERE,
    "pk": "plugins.Plugin",
    "page": "knowledge.Page",
    "chunk": "knowledge.Chunk",
    "question": "evaluation.GoldenQuestion",
    "release": "plugins.Release",
    "other": "plugins.Release",
    "base": "knowledge.KnowledgeBase",
    "invitation": "plugins.Invitation",
    "organisation": "organisations.Organisation",
    "person": "accounts.User",
    "review": "marketplace.Review",
    "report": "marketplace.Report",
}
# Not an id of anything: which column to show, which day, which version.
WORDS = {"version": "1.0.0", "app_label": "plugins", "url": "nothing-here"}
REFUSED = {302, 403, 404, 405}
# What a viewer may do: ask, say what they think of an answer, look at what a tree would do, and go.
VIEWERS_MAY_POST = {"builder_leave", "builder_sandbox_ask", "builder_sandbox_remark"}


@dataclass(frozen=True, kw_only=True)
class Address:
    name: str
    route: str
    takes: tuple[str, ...]

    @property
    def model(self) -> str:
        """The label of the model whose admin this is: `admin/trees/decisiontree/…`."""
        _, app, model, *_ = self.route.split("/")
        return f"{app}.{model}"


def addresses() -> list[Address]:
    return [Address(name=pattern.name or "", route=route, takes=_takes(pattern)) for route, pattern in routes("admin/")]


def _takes(pattern: URLPattern) -> tuple[str, ...]:
    names: Any = getattr(pattern.pattern, "converters", None) or pattern.pattern.regex.groupindex
    return tuple(names)


def of_objects() -> list[Address]:
    return [one for one in addresses() if one.takes and not set(one.takes) <= WORDS.keys()]


def filled(one: Address, world: World, **instead: Any) -> str:
    """The address with Alice's ids in it."""
    values = {name: _id(one, name, world) for name in one.takes} | instead
    if one.name and not one.route.endswith("$"):
        return reverse(f"admin:{one.name}", kwargs=values)
    address = "/" + one.route
    for name, value in values.items():
        address = address.replace(f"<path:{name}>", str(value))
    return address


def _id(one: Address, name: str, world: World) -> Any:
    if name == "content_type_id":
        return ContentType.objects.get_for_model(Plugin).pk
    if name in WORDS:
        return WORDS[name]
    if name in ("object_id", "id"):
        label = next((label for label in world.objects if label.lower() == one.model), "plugins.Plugin")
        return world[label].pk
    return world[KINDS[name]].pk


def test_every_kind_of_id_is_known() -> None:
    named = {name for one in addresses() for name in one.takes}
    assert named <= KINDS.keys() | WORDS.keys() | {"object_id", "id", "content_type_id"}
    assert len(of_objects()) > 60


def test_no_address_of_an_object_lets_a_stranger_in(world: World, stranger: Client) -> None:
    before = everything()
    for one in of_objects():
        url = filled(one, world)
        for answer in (stranger.get(url), stranger.post(url, {"post": "yes", "role": "editor"})):
            assert answer.status_code in REFUSED, f"{url} answers {answer.status_code}"
            assert not leaks(answer), url
        assert not leaks(stranger.get(url, follow=True)), url
    assert everything() == before


def test_no_address_without_an_object_names_anything(world: World, stranger: Client) -> None:
    for one in addresses():
        if one.takes:
            continue
        url = f"/{one.route}"
        assert not leaks(stranger.get(url, follow=True)), url
        assert not leaks(stranger.post(url, follow=True)), url


def test_ones_own_plugin_is_no_way_to_the_parts_of_another(world: World, charlie: User) -> None:
    """`<own plugin>/trees/<somebody else's tree>/` and its like."""
    own = Plugin.objects.create(owner=charlie, name="Own", domain="x", system_prompt="x")
    client = Crawler(charlie)
    before = everything()
    nested = [one for one in addresses() if one.name.startswith("builder_") and len(one.takes) > 1]
    assert nested
    for one in nested:
        url = filled(one, world, pk=own.pk)
        for answer in (client.get(url), client.post(url, {"post": "yes", "role": "editor"})):
            assert answer.status_code in REFUSED, f"{url} answers {answer.status_code}"
            assert not leaks(answer), url
    assert everything() == before


# --- Those who may look -----------------------------------------------------------------------------------------


@pytest.fixture
def viewer(world: World, bob: User) -> Client:
    world.plugin.viewers.add(bob)
    return Crawler(bob)


def test_a_viewer_sees_every_part(world: World, viewer: Client) -> None:
    for part in ("knowledge", "trees", "sandbox", "golden", "inbox", "analytics", "releases", "sharing"):
        assert viewer.get(reverse(f"admin:builder_{part}", args=[world.plugin.pk])).status_code == 200, part
    for label in ("plugins.Plugin", "plugins.Release", "knowledge.Document", "querying.Query"):
        name = label.lower().replace(".", "_")
        assert leaks(viewer.get(reverse(f"admin:{name}_changelist"))), label
        assert leaks(viewer.get(reverse(f"admin:{name}_change", args=[world[label].pk]), follow=True)), label


def test_a_viewer_changes_nothing(world: World, viewer: Client) -> None:
    before = _without_own_words(everything())
    for one in of_objects():
        if one.name in VIEWERS_MAY_POST:
            continue
        url = filled(one, world)
        viewer.get(url)
        answer = viewer.post(url, {"post": "yes", "_save": "Save", "role": "editor", "name": "Taken"})
        assert answer.status_code < 500, f"{url} answers {answer.status_code}"
    assert _without_own_words(everything()) == before


def test_an_action_leaves_alone_what_may_only_be_looked_at(world: World, viewer: Client, bob: User) -> None:
    own = Plugin.objects.create(owner=bob, name="Own", domain="x", system_prompt="x")
    chosen = {"_selected_action": [str(own.pk), str(world.plugin.pk)], "action": "delete_selected", "post": "yes"}
    answer = viewer.post(reverse("admin:plugins_plugin_changelist"), chosen, follow=True)
    assert "You may not change some of them; those stay as they are." in answer.content.decode()
    assert not Plugin.objects.filter(pk=own.pk).exists()
    assert Plugin.objects.filter(pk=world.plugin.pk).exists()


def test_somebody_taken_off_sees_nothing_any_more(world: World, viewer: Client, bob: User) -> None:
    viewer.post(reverse("admin:builder_leave", args=[world.plugin.pk]), follow=True)
    assert not world.plugin.viewers.exists()
    for one in of_objects():
        assert not leaks(viewer.get(filled(one, world), follow=True)), one.route


def _without_own_words(rows: dict[str, Any]) -> dict[str, Any]:
    """All but what a viewer leaves by asking and by saying what they think."""
    return {label: rows[label] for label in rows if label not in {"querying.Feedback", "querying.Query"}}
