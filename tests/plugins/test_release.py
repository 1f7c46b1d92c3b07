"""A release is what agents were told: it is never changed and never taken away by its author."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from plugins.models import SEMVER, Plugin, Release, ReleaseImmutable
from tests.remembered import remembered

pytestmark = pytest.mark.django_db


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", domain="x", system_prompt="You answer.")


@pytest.fixture
@remembered
def release(plugin: Plugin) -> Release:
    knowledge = [{"knowledge_base": 1, "revision": 3, "embedder": "local"}]
    trees = [{"id": "t", "name": "Tree", "description": "", "tree_data": {"rootNodeId": "a", "nodes": {}}}]
    return Release.objects.create(
        plugin=plugin, version="1.0.0", system_prompt="You answer.", knowledge=knowledge, trees=trees
    )


DECIDED: list[tuple[str, Any]] = [
    ("system_prompt", "You lie."),
    ("disclaimer", "None."),
    ("citation_mode", "off"),
    ("top_k", 1),
    ("threshold", 0.9),
    ("evidence_threshold", 0.1),
    ("synonyms", [["a", "b"]]),
    ("calibration", {}),
    ("planner", "rules"),
    ("public_only", True),
    ("audience", "Nobody."),
    ("tone", "Loud."),
    ("limits", "None."),
    ("version", "9.9.9"),
    ("trees", []),
    ("knowledge", []),
]


@pytest.mark.parametrize(("name", "value"), DECIDED)
@pytest.mark.parametrize("is_loaded", [True, False])
def test_what_decides_answers_cannot_be_changed(release: Release, name: str, value: Any, is_loaded: bool) -> None:
    before = Release.objects.filter(pk=release.pk).values().get()
    changed = Release.objects.get(pk=release.pk) if is_loaded else release
    setattr(changed, name, value)
    for options in ({}, {"update_fields": [name]}, {"force_update": True}):
        with pytest.raises(ReleaseImmutable):
            changed.save(**options)
    with pytest.raises(ReleaseImmutable):
        Release.objects.filter(pk=release.pk).update(**{name: value})
    with pytest.raises(ReleaseImmutable), transaction.atomic():
        Release.objects.bulk_update([changed], [name])
    assert Release.objects.filter(pk=release.pk).values().get() == before


def test_every_column_of_the_policy_is_among_them() -> None:
    assert {name for name, _ in DECIDED} | {"plugin_id"} == set(Release.immutable_fields())
    others = {"id", "notes", "scorecard", "created_by", "created_at"}
    assert {field.attname for field in Release._meta.fields} - others - {"created_by_id"} == set(
        Release.immutable_fields()
    )


def test_changing_something_inside_the_trees_is_a_change_too(release: Release) -> None:
    release.trees[0]["tree_data"]["nodes"]["a"] = {}
    with pytest.raises(ReleaseImmutable):
        release.save()


def test_a_release_does_not_move_to_another_plugin(release: Release, alice: User) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    release.plugin = other
    with pytest.raises(ReleaseImmutable):
        release.save()
    with pytest.raises(ReleaseImmutable):
        Release.objects.update(plugin=other)


def test_notes_and_scorecard_may_come_later(release: Release) -> None:
    release.notes, release.scorecard = "Better figures.", {"passed": 3}
    release.save()
    Release.objects.filter(pk=release.pk).update(notes="Much better figures.")
    assert Release.objects.values_list("notes", "scorecard").get() == ("Much better figures.", {"passed": 3})


def test_a_copy_under_the_same_id_does_not_take_its_place(release: Release) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Release(pk=release.pk, plugin=release.plugin, version="1.0.1", system_prompt="You lie.").save()
    assert Release.objects.get().system_prompt == "You answer."


def test_a_version_exists_once_in_a_plugin(release: Release) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.create(plugin=release.plugin, version="1.0.0", system_prompt="x")


def test_an_author_who_leaves_takes_no_release_of_others_along(release: Release, bob: User) -> None:
    Release.objects.update(created_by=bob)
    bob.delete()
    assert Release.objects.get().created_by is None


@pytest.mark.parametrize("version", ["0.0.0", "1.0.0", "10.20.30", "999999.0.1"])
def test_versions(version: str) -> None:
    SEMVER(version)


@pytest.mark.parametrize(
    "version",
    ["", "1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-rc1", "01.0.0", "1.0.0\n", "\n1.0.0", " 1.0.0", "1.0.x", "-1.0.0",
     "1.٠.0", "1.0.²", "latest", "draft", "1.0.0@draft", "1234567.0.0", "9" * 5000],
)  # fmt: skip
def test_one_version_has_one_spelling(version: str) -> None:
    with pytest.raises(ValidationError):
        SEMVER(version)


# --- In the admin --------------------------------------------------------------------------------------------


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(params=["author", "superuser"])
def client(request: Any, alice: User) -> Client:
    if request.param == "superuser":
        alice.is_superuser = True
        alice.save()
    return signed_in(alice)


def test_the_admin_shows_a_release_and_cannot_change_it(client: Client, release: Release) -> None:
    url = reverse("admin:plugins_release_change", args=[release.pk])
    assert client.get(url).status_code == 200
    assert client.post(url, {"system_prompt": "You lie.", "version": "2.0.0"}).status_code == 403
    assert Release.objects.values_list("system_prompt", "version").get() == ("You answer.", "1.0.0")


def test_the_admin_makes_no_release(client: Client, release: Release) -> None:
    url = reverse("admin:plugins_release_add")
    assert client.get(url).status_code == 403
    assert client.post(url, {"version": "2.0.0"}).status_code == 403


def test_the_admin_deletes_no_release(client: Client, release: Release) -> None:
    delete = reverse("admin:plugins_release_delete", args=[release.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [str(release.pk)], "post": "yes"}
    client.post(reverse("admin:plugins_release_changelist"), chosen)
    assert Release.objects.count() == 1


def test_the_admin_deletes_no_plugin_that_is_published_or_under_legal_hold(client: Client, release: Release) -> None:
    plugin = release.plugin
    chosen = {"action": "delete_selected", "_selected_action": [str(plugin.pk)], "post": "yes"}
    for columns in ({"is_published": True, "legal_hold": ""}, {"is_published": False, "legal_hold": "owner"}):
        Plugin.objects.update(**columns)
        client.post(reverse("admin:plugins_plugin_delete", args=[plugin.pk]), {"post": "yes"})
        client.post(reverse("admin:plugins_plugin_changelist"), chosen)
        assert Release.objects.count() == 1
    Plugin.objects.update(legal_hold="")
    client.post(reverse("admin:plugins_plugin_delete", args=[plugin.pk]), {"post": "yes"})
    assert not Release.objects.exists()


def test_a_plugin_that_was_never_released_can_be_deleted_by_its_owner(alice: User, plugin: Plugin) -> None:
    url = reverse("admin:plugins_plugin_delete", args=[plugin.pk])
    assert signed_in(alice).post(url, {"post": "yes"}).status_code == 302
    assert not Plugin.objects.exists()


def test_an_editor_changes_a_plugin_but_does_not_delete_it(bob: User, plugin: Plugin) -> None:
    plugin.editors.add(bob)
    client = signed_in(bob)
    assert client.get(reverse("admin:plugins_plugin_change", args=[plugin.pk])).status_code == 200
    delete = reverse("admin:plugins_plugin_delete", args=[plugin.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [str(plugin.pk)], "post": "yes"}
    client.post(reverse("admin:plugins_plugin_changelist"), chosen)
    assert Plugin.objects.exists()
