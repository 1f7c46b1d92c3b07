"""The files of shared releases on disk: those that nobody may copy any more go."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from knowledge.models import KnowledgeBase
from marketplace.bundle.columns import RELEASE_COLUMNS
from marketplace.publishing.publish import publish
from marketplace.sharing.release_files import delete_stale_files, release_file
from marketplace.tasks import forget_shared_files
from plugins.models import Plugin
from privacy.plugin_deletion import delete_knowledge_base, delete_plugin
from privacy.storage_sweep import sweep_storage
from tests.knowledge.bases import attach

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(settings: Any) -> Path:
    return Path(settings.LEXIC_FILES_DIR) / "shared"


def written(plugin: Plugin, *, at: int = 1_000_000) -> str:
    """The name of the file of its latest release, last used then."""
    release = plugin.latest_release()
    assert release is not None
    with release_file(release).open() as file:
        os.utime(file.name, (at, at))
        return Path(file.name).name


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_it_holds_what_belongs_to_the_release_and_no_setting_of_the_draft(boots: Plugin) -> None:
    """The file is for anybody: `config` is for programs of its author's own, and limits are nobody else's business."""
    release = boots.latest_release()
    assert release is not None
    before = release_file(release)
    Plugin.objects.filter(pk=boots.pk).update(
        config={"crm": "a secret"},
        spending_cap=12,
        legal_hold="operator",
        keep_questions_days=30,
        keep_chats_days=30,
        keep_files_days=30,
        embed_origins=["https://intranet.example.org"],
    )
    release.refresh_from_db()
    after = release_file(release)
    assert after.head["plugin"].keys() == {*RELEASE_COLUMNS}
    assert (after.head, after.name) == (before.head, before.name)


def test_what_may_be_copied_stays(boots: Plugin, folder: Path) -> None:
    name = written(boots)
    assert delete_stale_files() == 0
    assert names(folder) == {name}


@pytest.mark.parametrize("column", ["is_shared", "is_published"])
def test_what_is_not_shared_any_more_goes(boots: Plugin, folder: Path, column: str) -> None:
    written(boots)
    Plugin.objects.filter(pk=boots.pk).update(**{column: False})
    forget_shared_files()
    assert names(folder) == set()


@pytest.mark.parametrize("is_deleted", [False, True])
def test_the_file_of_knowledge_that_is_no_longer_granted_goes(
    boots: Plugin, alice: User, bob: User, folder: Path, is_deleted: bool
) -> None:
    base = KnowledgeBase.objects.create(owner=bob, name="Bob's")
    attach(base, boots)
    publish(boots, by=alice, version="3.0.0")
    name = written(boots)
    assert delete_stale_files() == 0
    assert names(folder) == {name}
    if is_deleted:
        delete_knowledge_base(base)
    else:
        base.grants.all().end()
    assert delete_stale_files() == 1
    assert names(folder) == set()


def test_the_file_of_a_deleted_plugin_goes(boots: Plugin, folder: Path) -> None:
    written(boots)
    delete_plugin(boots)
    assert delete_stale_files() == 1
    assert names(folder) == set()


def test_a_newer_release_takes_the_place_of_the_one_before(boots: Plugin, alice: User, folder: Path) -> None:
    written(boots)
    publish(boots, by=alice, version="2.0.0")
    newer = written(boots)
    assert delete_stale_files() == 1
    assert names(folder) == {newer}


def test_of_one_release_only_what_it_holds_now_stays(boots: Plugin, folder: Path) -> None:
    before = written(boots, at=1_000_000)
    boots.shares_golden = False
    boots.save()
    now = written(boots, at=2_000_000)
    assert before != now
    assert delete_stale_files() == 1
    assert names(folder) == {now}


def test_what_was_left_half_written_goes_once_it_is_old(boots: Plugin, folder: Path) -> None:
    name = written(boots)
    (folder / ".incoming-abc").write_bytes(b"half")
    assert delete_stale_files() == 0
    sweep_storage()
    assert len(names(folder)) == 2
    sweep_storage(older_than=timedelta(seconds=-5))
    assert names(folder) == {name}


def test_where_nothing_was_ever_shared_there_is_nothing_to_do(folder: Path) -> None:
    assert not folder.exists()
    assert delete_stale_files() == 0
