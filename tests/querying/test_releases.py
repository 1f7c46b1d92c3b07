"""Which release a reference means, and for whom. What somebody may not ask looks like what does not exist."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import ApiKey, User
from knowledge.models import KnowledgeBase
from plugins.models import Plugin, Release
from querying.releases import UnknownPlugin, UnknownRelease, resolve, snapshot
from tests.knowledge.bases import attach
from tests.remembered import remembered
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db


def make(owner: User, slug: str = "cover", **fields: Any) -> Plugin:
    return Plugin.objects.create(owner=owner, name=slug, slug=slug, domain="x", system_prompt="Draft.", **fields)


def release(plugin: Plugin, version: str) -> Release:
    made = Release.objects.create(plugin=plugin, version=version, system_prompt=f"Release {version}.")
    plugin.set_live_release(made)
    return made


def key_of(owner: User, *plugins: Plugin) -> ApiKey:
    return ApiKey.objects.issue(owner=owner, name="agent", plugins=plugins)[0]


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return make(alice)


@pytest.fixture
@remembered
def published(plugin: Plugin) -> Plugin:
    release(plugin, "1.0.0")
    release(plugin, "1.1.0")
    return plugin


@pytest.mark.parametrize("reference", ["cover", "cover@latest", "cover@"])
def test_a_slug_means_the_latest_release_for_everybody(
    published: Plugin, alice: User, charlie: User, reference: str
) -> None:
    for principal in (alice, charlie, key_of(alice), key_of(charlie)):
        assert str(resolve(reference, principal=principal)) == "cover@1.1.0"


@pytest.mark.parametrize("spelling", [str, lambda pk: str(pk).upper(), lambda pk: pk.hex, lambda pk: f"{{{pk}}}"])
def test_an_id_means_what_the_slug_means(published: Plugin, charlie: User, spelling: Any) -> None:
    name = spelling(published.pk)
    assert str(resolve(name, principal=charlie)) == "cover@1.1.0"
    assert str(resolve(f"{name}@1.0.0", principal=charlie)) == "cover@1.0.0"


def test_a_version_means_that_release(published: Plugin, charlie: User) -> None:
    assert resolve("cover@1.0.0", principal=charlie).system_prompt == "Release 1.0.0."


@pytest.mark.parametrize(
    "version",
    ["9.9.9", "1.0", "01.0.0", "1.0.0 ", "Latest", "DRAFT", "latest@draft", "1.0.0@draft", "%", "1.0.0\n"],
)
def test_a_version_that_does_not_exist_is_no_other_one(published: Plugin, alice: User, version: str) -> None:
    with pytest.raises(UnknownRelease):
        resolve(f"cover@{version}", principal=alice)


def test_a_draft_is_for_those_who_may_edit_it(published: Plugin, alice: User, bob: User, charlie: User) -> None:
    published.editors.add(bob)
    for principal in (alice, bob, key_of(alice), key_of(bob)):
        draft = resolve("cover@draft", principal=principal)
        assert draft.is_draft
        assert draft.system_prompt == "Draft."
    for stranger in (charlie, key_of(charlie)):
        with pytest.raises(UnknownPlugin):
            resolve("cover@draft", principal=stranger)


def test_the_slug_of_an_unpublished_plugin_is_its_draft_for_its_editors(
    plugin: Plugin, alice: User, charlie: User
) -> None:
    assert resolve("cover", principal=alice).is_draft
    for reference in ("cover", "cover@latest", "cover@draft", "cover@1.0.0", str(plugin.pk)):
        with pytest.raises(UnknownPlugin):
            resolve(reference, principal=charlie)


def test_a_withdrawn_plugin_is_gone_for_strangers_and_replays_for_its_editors(
    published: Plugin, alice: User, charlie: User
) -> None:
    published.unpublish()
    for reference in ("cover", "cover@1.0.0", "cover@latest", str(published.pk)):
        with pytest.raises(UnknownPlugin):
            resolve(reference, principal=charlie)
    assert resolve("cover", principal=alice).is_draft
    assert str(resolve("cover@1.0.0", principal=alice)) == "cover@1.0.0"


def test_an_editor_who_was_taken_off_sees_the_draft_no_more(plugin: Plugin, bob: User) -> None:
    plugin.editors.add(bob)
    key = key_of(bob)
    assert resolve("cover", principal=key).is_draft
    plugin.editors.remove(bob)
    with pytest.raises(UnknownPlugin):
        resolve("cover", principal=key)


def test_a_key_for_some_plugins_knows_no_others(published: Plugin, alice: User) -> None:
    other = make(alice, "other")
    key = key_of(alice, other)
    for reference in ("cover", "cover@1.0.0", "cover@draft", str(published.pk), f"{published.pk}@1.0.0"):
        with pytest.raises(UnknownPlugin):
            resolve(reference, principal=key)
    assert resolve("other", principal=key).plugin == other


def test_a7_a_key_whose_plugins_are_all_gone_knows_none(published: Plugin, alice: User) -> None:
    other = make(alice, "other")
    key = key_of(alice, other)
    other.delete()
    with pytest.raises(UnknownPlugin):
        resolve("cover", principal=key)


def test_nobody_answers_in_the_place_of_another_plugin_by_naming_theirs_like_its_id(
    published: Plugin, alice: User, charlie: User
) -> None:
    impostor = make(charlie, str(published.pk))
    release(impostor, "1.0.0")
    assert resolve(str(published.pk), principal=alice).plugin == published
    published.unpublish()
    with pytest.raises(UnknownPlugin):
        resolve(str(published.pk), principal=charlie)


def test_the_draft_of_one_plugin_never_comes_under_the_name_of_another(alice: User, charlie: User) -> None:
    make(alice, "cover")
    theirs = make(charlie, "cover-1")
    assert resolve("cover-1", principal=charlie).plugin == theirs
    with pytest.raises(UnknownPlugin):
        resolve("cover-1", principal=alice)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["cover", "COVER", "%", "cov%", "_over", "", " cover", "cover/", str(uuid.UUID(int=0))]),
    version=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20),
)
def test_no_reference_leads_a_stranger_to_an_unpublished_plugin(
    plugin: Plugin, charlie: User, name: str, version: str
) -> None:
    for reference in (name, f"{name}@{version}", f"{plugin.pk}@{version}"):
        with pytest.raises(UnknownPlugin):
            resolve(reference, principal=charlie)


def test_the_two_refusals_do_not_tell_what_exists(plugin: Plugin, charlie: User) -> None:
    said = []
    for reference in ("cover", "nothing", "cover@draft", "nothing@draft", "cover@1.0.0", str(uuid.uuid4())):
        with pytest.raises(UnknownPlugin) as error:
            resolve(reference, principal=charlie)
        said.append(error.value.as_dict())
    assert all(one == said[0] for one in said)


def test_a_snapshot_holds_everything_that_decides_an_answer(plugin: Plugin, alice: User) -> None:
    own = KnowledgeBase.objects.create(owner=alice, plugin=plugin, name="own", revision=3)
    attached = KnowledgeBase.objects.create(owner=alice, name="attached", revision=5)
    attach(attached, plugin)
    KnowledgeBase.objects.create(owner=alice, name="elsewhere", revision=7)
    active = DecisionTree.objects.create(plugin=plugin, name="Tree", tree_data={"rootNodeId": "a", "nodes": {}})
    DecisionTree.objects.create(plugin=plugin, name="Off", tree_data={}, is_active=False)
    draft = snapshot(plugin)
    assert draft.is_draft
    assert draft.policy() == plugin.policy()
    assert [tree["id"] for tree in draft.trees] == [str(active.pk)]
    assert [(one["knowledge_base"], one["revision"]) for one in draft.knowledge] == [(own.pk, 3), (attached.pk, 5)]


def test_what_is_listed_to_somebody_is_visible_to_them(published: Plugin, alice: User, charlie: User) -> None:
    other = make(alice, "other")
    release(other, "1.0.0")
    make(alice, "draft")
    library = make(alice, "library", kind="library")
    release(library, "1.0.0")
    for principal in (alice, charlie, key_of(charlie), key_of(charlie, published), key_of(alice, library)):
        listed = set(Plugin.objects.listed_to(principal))
        assert listed <= set(Plugin.objects.askable_by(principal))
        assert library not in listed
    assert set(Plugin.objects.listed_to(key_of(charlie, published))) == {published}
    assert set(Plugin.objects.listed_to(charlie)) == {published, other}
