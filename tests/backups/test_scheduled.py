"""What the timetable does by itself, and what operators are told of it."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from backups.backup_errors import DamagedBackup
from backups.backup_store import open_backup_store
from backups.create_backup import create_backup
from backups.health_checks import check_backups, newest_backup
from backups.tasks import make_scheduled_backup, verify_scheduled_backup
from lexic.diagnostics import CheckFailed, CheckSkipped
from lexic.storage import site_storage
from lexic.storage.folder import FolderStorage

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scheduled(settings: Any, tmp_path: Path) -> None:
    settings.BACKUPS = {**settings.BACKUPS, "to": str(tmp_path / "store"), "keep": 2}


def test_nothing_where_no_place_is_named(settings: Any) -> None:
    settings.BACKUPS = {**settings.BACKUPS, "to": ""}
    make_scheduled_backup()
    verify_scheduled_backup()
    with pytest.raises(CheckSkipped):
        check_backups()


@pytest.mark.usefixtures("scheduled")
def test_made_and_kept() -> None:
    with pytest.raises(CheckFailed, match="no backup yet"):
        check_backups()
    for _ in range(3):
        make_scheduled_backup()
    assert len(open_backup_store().backups()) == 2
    assert "the newest is" in check_backups()


@pytest.mark.usefixtures("scheduled")
def test_an_old_one_is_reported() -> None:
    create_backup(open_backup_store(), now=timezone.now() - timedelta(days=5))
    with pytest.raises(CheckFailed, match="5 days old"):
        check_backups()


@pytest.mark.usefixtures("scheduled")
def test_one_that_is_dated_in_the_future_is_reported() -> None:
    create_backup(open_backup_store(), now=timezone.now() + timedelta(days=5))
    with pytest.raises(CheckFailed, match="dated 4 days ahead"):
        check_backups()


@pytest.mark.usefixtures("scheduled")
def test_the_newest_of_another_site_is_reported() -> None:
    create_backup(open_backup_store())
    migrations = MigrationRecorder(connection).migration_qs
    first = migrations.earliest("applied")
    migrations.update(applied=timezone.now())
    with pytest.raises(CheckFailed, match="of another site"):
        check_backups()
    migrations.filter(pk=first.pk).update(applied=first.applied)  # as a restore does, while this process goes on
    assert check_backups().startswith("the newest is 2")


@pytest.mark.usefixtures("scheduled")
def test_files_that_it_lacks_are_counted() -> None:
    with mock.patch("backups.create_backup._named_files", return_value={"ab/lost", "cd/lost"}):
        create_backup(open_backup_store())
    assert "2 files were missing" in check_backups()


@pytest.mark.usefixtures("scheduled")
def test_damaged_files_fail_the_check(settings: Any, tmp_path: Path) -> None:
    settings.FILES_KEYS, settings.LEXIC_FILES_DIR = ["a key of the files of this site"], tmp_path / "files"
    site_storage().save(b"a picture" * 10, "avatars/alice")
    picture = tmp_path / "files/avatars/alice.enc"
    picture.write_bytes(picture.read_bytes()[:-1])
    create_backup(open_backup_store())
    with pytest.raises(CheckFailed, match="Damaged when the newest backup was made: 1 files"):
        check_backups()


@pytest.mark.usefixtures("scheduled")
def test_the_gauge_reads_no_backup() -> None:
    assert newest_backup() == 0.0
    moment = timezone.now()
    create_backup(open_backup_store(), now=moment)
    with mock.patch.object(FolderStorage, "open", side_effect=AssertionError("A file is read.")):
        assert newest_backup() == pytest.approx(moment.timestamp(), abs=0.001)


@pytest.mark.usefixtures("scheduled")
def test_a_backup_is_read_once_for_its_check() -> None:
    create_backup(open_backup_store())
    said = check_backups()
    with mock.patch.object(FolderStorage, "open", side_effect=AssertionError("A file is read.")):
        assert check_backups() == said
    later = create_backup(open_backup_store())
    assert later.name in check_backups()


@pytest.mark.usefixtures("scheduled")
def test_a_stranger_among_the_backups_is_named(tmp_path: Path) -> None:
    create_backup(open_backup_store())
    (tmp_path / "store" / "manifests" / "notes.txt").write_text("What is this?")
    with pytest.raises(DamagedBackup, match=r"notes\.txt"):
        check_backups()


@pytest.mark.usefixtures("scheduled")
def test_what_fails_is_in_the_log(caplog: pytest.LogCaptureFixture, settings: Any) -> None:
    with (
        caplog.at_level(logging.ERROR),
        mock.patch("backups.tasks.verify_backup", side_effect=DamagedBackup("Broken.")),
    ):
        verify_scheduled_backup()
    assert "Broken." in caplog.text
    make_scheduled_backup()
    settings.BACKUPS = {**settings.BACKUPS, "key": "a key that was set later"}
    with caplog.at_level(logging.ERROR):
        make_scheduled_backup()
    assert "not encrypted" in caplog.text
