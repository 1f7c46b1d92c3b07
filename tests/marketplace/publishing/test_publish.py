from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from lexic.errors import LexicError
from marketplace.publishing.publish import (
    InvalidVersion,
    NotReady,
    VersionNotNew,
    next_version,
    publish,
    publish_blockers,
)
from plugins.models import Plugin, Release
from querying import releases
from tests.knowledge.bases import attach
from tests.remembered import remembered
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db

GOOD_TREE = {
    "rootNodeId": "a",
    "nodes": {"a": {"id": "a", "type": "action", "label": "A", "action": {"recommendation": "45 mm"}}},
}
BROKEN_TREE = {"rootNodeId": "gone", "nodes": {}}


def add_document(base: KnowledgeBase, **fields: Any) -> Document:
    values = {
        "title": "Handbook",
        "source_type": "markdown",
        "status": DocumentStatus.READY,
        "ready_sha256": "a" * 64,
    }
    return Document.objects.create(knowledge_base=base, **{**values, **fields})


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", domain="x", system_prompt="You answer.")


@pytest.fixture
@remembered
def base(plugin: Plugin) -> KnowledgeBase:
    return KnowledgeBase.objects.create(owner=plugin.owner, plugin=plugin, name="Cover", revision=1)


@pytest.fixture
@remembered
def ready(plugin: Plugin, base: KnowledgeBase) -> Plugin:
    add_document(base)
    DecisionTree.objects.create(plugin=plugin, name="Tree", tree_data=GOOD_TREE)
    return plugin


def published(plugin: Plugin, **options: Any) -> Release:
    return publish(plugin, by=plugin.owner, **options).release


def reasons(plugin: Plugin) -> list[str]:
    with pytest.raises(NotReady) as error:
        publish(plugin, by=plugin.owner)
    assert not Release.objects.exists()
    plugin.refresh_from_db()
    assert not plugin.is_published
    assert error.value.status == 409
    assert all(reason in str(error.value) for reason in error.value.reasons)
    return error.value.reasons


# --- What is missing ------------------------------------------------------------------------------------


def test_a_plugin_that_is_complete_lacks_nothing(ready: Plugin) -> None:
    assert publish_blockers(ready) == []


@pytest.mark.parametrize("persona", ["", "  \n\t "])
def test_without_a_persona(ready: Plugin, persona: str) -> None:
    Plugin.objects.update(system_prompt=persona)
    assert reasons(ready) == ["It has no persona."]


def test_without_a_knowledge_base(plugin: Plugin) -> None:
    assert reasons(plugin) == ["None of its documents is ready."]


def test_without_a_document_that_is_ready(plugin: Plugin, base: KnowledgeBase) -> None:
    add_document(base, ready_sha256="", status=DocumentStatus.FAILED)
    assert reasons(plugin) == ["None of its documents is ready."]


def test_a_deleted_document_does_not_count(plugin: Plugin, base: KnowledgeBase) -> None:
    add_document(base, removed_in=1)
    assert reasons(plugin) == ["None of its documents is ready."]


def test_a_document_of_somebody_else_does_not_count(plugin: Plugin, charlie: User) -> None:
    theirs = Plugin.objects.create(owner=charlie, name="Theirs", domain="x", system_prompt="x")
    add_document(KnowledgeBase.objects.create(owner=charlie, plugin=theirs, name="x"))
    assert reasons(plugin) == ["None of its documents is ready."]


def test_a_document_of_an_attached_base_counts(plugin: Plugin, alice: User) -> None:
    shared = KnowledgeBase.objects.create(owner=alice, name="shared")
    attach(shared, plugin)
    add_document(shared)
    assert publish_blockers(plugin) == []


@pytest.mark.parametrize("status", ["queued", "reading", "chunking", "embedding"])
def test_while_a_document_is_being_read(ready: Plugin, base: KnowledgeBase, status: str) -> None:
    add_document(base, status=status, title="Second")
    assert reasons(ready) == ["1 of its documents is still being read."]


def test_a_document_that_failed_beside_one_that_is_ready_is_no_obstacle(ready: Plugin, base: KnowledgeBase) -> None:
    add_document(base, status=DocumentStatus.FAILED, ready_sha256="", title="Scan")
    assert publish_blockers(ready) == []


def test_a_tree_with_an_error_blocks_and_is_named(ready: Plugin) -> None:
    DecisionTree.objects.create(plugin=ready, name="Broken", tree_data=BROKEN_TREE)
    found = reasons(ready)
    assert found
    assert all(reason.startswith("The tree “Broken” has a problem: ") for reason in found)


@pytest.mark.parametrize("tree_data", [[], "text", 1, {"rootNodeId": 1, "nodes": []}, {"nodes": {"a": None}}])
def test_a_tree_that_is_no_tree_blocks_too(ready: Plugin, tree_data: Any) -> None:
    DecisionTree.objects.create(plugin=ready, name="Odd", tree_data=tree_data)
    assert reasons(ready)


def test_a_tree_that_is_switched_off_or_only_draws_warnings_does_not_block(ready: Plugin) -> None:
    DecisionTree.objects.create(plugin=ready, name="Off", tree_data=BROKEN_TREE, is_active=False)
    assert publish_blockers(ready) == []
    assert published(ready)


@pytest.mark.parametrize(("name", "value"), [("top_k", 0), ("top_k", 51), ("threshold", 1.5), ("citation_mode", "?")])
def test_a_setting_that_makes_no_sense_is_named(ready: Plugin, name: str, value: Any) -> None:
    Plugin.objects.update(**{name: value})
    [reason] = reasons(ready)
    assert reason.startswith(f"Its {Plugin._meta.get_field(name).verbose_name}: ")


def test_all_reasons_come_at_once(plugin: Plugin, base: KnowledgeBase) -> None:
    Plugin.objects.update(system_prompt="")
    add_document(base, status=DocumentStatus.QUEUED, ready_sha256="")
    DecisionTree.objects.create(plugin=plugin, name="Broken", tree_data=BROKEN_TREE)
    assert len(reasons(plugin)) >= 4


# --- Publishing ------------------------------------------------------------------------------------------------


def test_the_first_release_is_1_0_0_and_goes_live(ready: Plugin, alice: User) -> None:
    publication = publish(ready, by=alice, notes="The first.")
    release = publication.release
    assert publication.is_new
    assert (str(release), release.notes, release.created_by) == ("cover@1.0.0", "The first.", alice)
    ready.refresh_from_db()
    assert (ready.is_published, ready.version) == (True, "1.0.0")


def test_a_release_holds_what_the_draft_was(ready: Plugin) -> None:
    draft, release = releases.snapshot(ready), published(ready)
    release.refresh_from_db()
    assert (release.policy(), release.trees, release.knowledge) == (draft.policy(), draft.trees, draft.knowledge)


def test_publishing_what_has_not_changed_gives_the_same_release(ready: Plugin) -> None:
    first = published(ready)
    again = publish(ready, by=ready.owner)
    assert (again.release, again.is_new) == (first, False)
    assert publish(ready, by=ready.owner, version="1.0.0").release == first
    assert Release.objects.count() == 1


def change_persona(plugin: Plugin) -> None:
    Plugin.objects.update(system_prompt="You answer otherwise.")


def change_disclaimer(plugin: Plugin) -> None:
    Plugin.objects.update(disclaimer="Ask an engineer.")


def change_tree(plugin: Plugin) -> None:
    DecisionTree.objects.update(name="Another name")


def switch_tree_off(plugin: Plugin) -> None:
    DecisionTree.objects.update(is_active=False)


def change_knowledge(plugin: Plugin) -> None:
    KnowledgeBase.objects.update(revision=2)


def attach_knowledge(plugin: Plugin) -> None:
    attach(KnowledgeBase.objects.create(owner=plugin.owner, name="more"), plugin)


CHANGES = [change_persona, change_disclaimer, change_tree, switch_tree_off, change_knowledge, attach_knowledge]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_decides_answers_makes_a_new_release(ready: Plugin, change: Any) -> None:
    first = published(ready)
    before = Release.objects.filter(pk=first.pk).values().get()
    change(ready)
    second = publish(ready, by=ready.owner)
    assert (second.is_new, second.release.version) == (True, "1.1.0")
    assert Release.objects.filter(pk=first.pk).values().get() == before
    ready.refresh_from_db()
    assert (ready.version, ready.latest_release()) == ("1.1.0", second.release)


def test_a_new_name_or_description_is_no_new_release(ready: Plugin) -> None:
    first = published(ready)
    Plugin.objects.update(name="Nominal cover", tagline="x", description="x", tags=["x"], domain="y")
    assert published(ready) == first


def test_lx_021_the_next_version_follows_the_latest(ready: Plugin) -> None:
    assert next_version(ready) == "1.0.0"
    published(ready, version="2.7.3")
    assert next_version(ready) == "2.8.0"
    change_persona(ready)
    assert published(ready).version == "2.8.0"


@pytest.mark.parametrize(
    "version", ["", "2", "v2.0.0", "2.0", "02.0.0", "2.0.0\n", "2.٠.0", "latest", "9" * 100, "2.0.0@x"]
)
def test_a_version_that_is_none_is_refused_in_a_sentence(ready: Plugin, version: str) -> None:
    with pytest.raises(InvalidVersion) as error:
        publish(ready, by=ready.owner, version=version)
    assert error.value.as_dict()["error"] == "A version looks like 1.2.0."
    assert error.value.status == 400
    assert not Release.objects.exists()


@pytest.mark.parametrize("version", ["0.9.0", "1.0.0", "1.1.9", "1.2.0"])
def test_a_version_that_is_not_newer_is_refused_in_a_sentence(ready: Plugin, version: str) -> None:
    published(ready, version="1.2.0")
    change_persona(ready)
    with pytest.raises(VersionNotNew) as error:
        publish(ready, by=ready.owner, version=version)
    assert str(error.value) == f"{version} is not newer than 1.2.0, the latest version."
    ready.refresh_from_db()
    assert ready.version == "1.2.0"


def test_versions_compare_as_numbers(ready: Plugin) -> None:
    published(ready, version="1.9.0")
    change_persona(ready)
    assert published(ready, version="1.10.0").version == "1.10.0"


def test_another_version_can_be_given_to_what_has_not_changed(ready: Plugin) -> None:
    published(ready)
    second = publish(ready, by=ready.owner, version="2.0.0")
    assert (second.is_new, Release.objects.count()) == (True, 2)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_any_version_is_taken_or_refused_as_an_error_of_ours(ready: Plugin, version: str) -> None:
    try:
        said = published(ready, version=version).version
    except LexicError as error:
        said = {400: version, 409: version}[error.status]
    assert said == version


def test_what_was_refused_changes_nothing(ready: Plugin) -> None:
    first = published(ready)
    Plugin.objects.update(system_prompt="")
    with pytest.raises(NotReady):
        publish(ready, by=ready.owner)
    ready.refresh_from_db()
    assert (ready.is_published, ready.version, ready.latest_release()) == (True, "1.0.0", first)


def test_the_row_decides_and_not_an_old_copy_of_it(ready: Plugin) -> None:
    stale = Plugin.objects.get(pk=ready.pk)
    change_persona(ready)
    assert published(stale).system_prompt == "You answer otherwise."


# --- Withdrawing -----------------------------------------------------------------------------------------------


def test_lx_017_a_withdrawn_plugin_keeps_its_releases_and_its_version(ready: Plugin) -> None:
    release = published(ready)
    ready.refresh_from_db()
    ready.unpublish()
    ready.refresh_from_db()
    assert (ready.is_published, ready.version) == (False, "1.0.0")
    assert list(Release.objects.all()) == [release]


def test_publishing_a_withdrawn_plugin_that_has_not_changed_brings_its_release_back(ready: Plugin) -> None:
    first = published(ready)
    ready.unpublish()
    publication = publish(ready, by=ready.owner)
    assert (publication.release, publication.is_new) == (first, False)
    ready.refresh_from_db()
    assert ready.is_published


def test_going_live_and_withdrawing_write_nothing_else(ready: Plugin) -> None:
    stale = Plugin.objects.get(pk=ready.pk)
    Plugin.objects.update(system_prompt="Changed meanwhile.", updated_at=timezone.now())
    stale.unpublish()
    assert Plugin.objects.get().system_prompt == "Changed meanwhile."
