"""Disk and database are compared both ways, and old questions lose their words."""

from __future__ import annotations

import os
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts import avatars
from accounts.models import User
from knowledge import prune
from knowledge.documents import file_store
from knowledge.documents.lifecycle import add_text, delete_document
from knowledge.health_checks import check_documents, check_uploads
from knowledge.models import Document, Page, Revision
from knowledge.personal_knowledge_base import personal_knowledge_base
from knowledge.tasks import prune_knowledge
from lexic.celery import app
from lexic.diagnostics import CheckFailed
from lexic.periodic_tasks import PERIODIC_TASKS
from lexic.storage import StorageUnavailable
from lexic.storage.encrypted import UnreadableFile
from plugins.models import Plugin
from privacy import tasks
from privacy.storage_sweep import inspect_storage, sweep_storage
from querying.models import Query
from tests.accounts.test_avatars import picture
from tests.cover import handbook, plugin, published
from tests.stored_files import stored_path

__all__ = ["handbook", "plugin", "published"]

pytestmark = pytest.mark.django_db
NOW = timedelta(0)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, settings: Any) -> Path:
    settings.LEXIC_FILES_DIR = tmp_path
    return tmp_path


def stray(content: bytes = b"nobody names this") -> str:
    return file_store.store_file(BytesIO(content), max_bytes=100).sha256


def test_a_healthy_store_has_nothing_to_report(published: Plugin, alice: User) -> None:
    avatars.save_avatar(alice, BytesIO(picture()))
    report = inspect_storage(older_than=NOW)
    assert report.is_complete
    assert not any([report.orphaned_files, report.orphaned_images, report.orphaned_avatars, report.orphaned_questions])


def test_what_no_row_names_goes_and_the_rest_stays(
    published: Plugin, handbook: Document, alice: User, files: Path
) -> None:
    avatars.save_avatar(alice, BytesIO(picture()))
    abandoned = "0" * 32 + ".webp"
    (files / "avatars" / abandoned).write_bytes(b"x")
    pictures = files / "pictures" / "ab" / ("ab" * 32)
    pictures.mkdir(parents=True)
    (pictures / "1-10x10.webp").write_bytes(b"x")
    orphan = stray()
    Query.objects.create(
        plugin=None, release_name="gone@1.0.0", question="secret?", answer="secret", outcome="answered"
    )
    expected = ((orphan,), ("ab" * 32,), (abandoned,), 1)
    for work in (inspect_storage, sweep_storage):
        report = work(older_than=NOW)
        found = (
            report.orphaned_files,
            report.orphaned_images,
            report.orphaned_avatars,
            report.orphaned_questions,
        )
        assert found == expected
    assert not stored_path(orphan).exists()
    assert stored_path(handbook.sha256).exists()
    assert avatars.is_stored(alice.avatar)
    assert not pictures.exists()
    assert Query.objects.get().question == ""
    assert sweep_storage(older_than=NOW).orphaned_files == ()


def test_a_young_file_may_belong_to_an_upload_that_goes_on() -> None:
    orphan = stray()
    assert sweep_storage().orphaned_files == ()
    os.utime(stored_path(orphan), (1, 1))
    assert sweep_storage().orphaned_files == (orphan,)


def test_a_missing_file_is_reported_with_its_documents(published: Plugin, handbook: Document, capsys: Any) -> None:
    stored_path(handbook.sha256).unlink()
    [missing] = inspect_storage().missing_files
    assert missing.sha256 == handbook.sha256
    assert [title.partition(": ")[2] for title in missing.documents] == ["Cover handbook"]
    with pytest.raises(CommandError, match="Files are missing"):
        call_command("sweep", "--dry-run")
    assert "Cover handbook" in capsys.readouterr().out


def test_a_dry_run_deletes_nothing(capsys: Any) -> None:
    orphan = stray()
    os.utime(stored_path(orphan), (1, 1))
    call_command("sweep", "--dry-run")
    assert "1 files that no document was read from: would be deleted" in capsys.readouterr().out
    call_command("sweep", "--dry-run", "--json")
    assert f'"{orphan}"' in capsys.readouterr().out
    assert stored_path(orphan).exists()
    call_command("sweep")
    assert not stored_path(orphan).exists()


def test_a_storage_that_is_away_ends_the_command_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_away() -> None:
        raise StorageUnavailable

    monkeypatch.setattr("privacy.management.commands.sweep.inspect_storage", is_away)
    with pytest.raises(CommandError, match=StorageUnavailable().message):
        call_command("sweep", "--dry-run")


@pytest.mark.parametrize(
    ("days", "site", "hold", "erased"),
    [
        (7, 0, "", True),
        (9, 0, "", False),
        (0, 7, "", False),
        (None, 7, "", True),
        (None, 0, "", False),
        (7, 7, "owner", False),
    ],
)
def test_questions_are_kept_as_long_as_the_plugin_or_the_site_says(
    plugin: Plugin, settings: Any, days: int | None, site: int, hold: str, erased: bool
) -> None:
    settings.KEEP_QUESTIONS_DAYS = site
    plugin.keep_questions_days, plugin.legal_hold = days, hold
    plugin.save()
    columns = {"plugin": plugin, "release_name": "cover@1.0.0", "outcome": "answered", "prompt_tokens": 5}
    old = Query.objects.create(question="old?", created_at=timezone.now() - timedelta(days=8), **columns)
    Query.objects.create(question="young?", **columns)
    assert tasks.erase_old_questions() == int(erased)
    old.refresh_from_db()
    assert (old.question, bool(old.erased_at), old.prompt_tokens) == ("" if erased else "old?", erased, 5)
    assert Query.objects.filter(question="young?").exists()


def test_an_erased_question_waits_in_no_inbox(plugin: Plugin) -> None:
    Query.objects.create(plugin=plugin, release_name="cover@draft", question="?", outcome="refused")
    since = timezone.now() - timedelta(days=1)
    assert Query.objects.needing_attention(since=since).count() == 1
    Query.objects.all().erase_content(now=timezone.now())
    assert Query.objects.needing_attention(since=since).count() == 0


@pytest.mark.parametrize(
    ("days", "hold", "kept"), [(3, "", False), (5, "", True), (0, "", True), (3, "operator", True)]
)
def test_a_removed_document_is_kept_as_long_as_the_plugin_says(
    plugin: Plugin, handbook: Document, days: int, hold: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prune, "FILE_GRACE", NOW)
    delete_document(handbook)
    plugin.keep_files_days, plugin.legal_hold = days, hold
    plugin.save()
    Revision.objects.update(created_at=timezone.now() - timedelta(days=4))
    prune_knowledge()
    assert Page.objects.exists() is kept


def test_both_tasks_are_on_the_timetable() -> None:
    names = {entry["task"] for entry in PERIODIC_TASKS.values()}
    app.loader.import_default_modules()
    assert {tasks.erase_old_questions.name, tasks.sweep_storage_task.name} <= names <= set(app.tasks)


def test_operators_read_no_title_of_a_private_document(alice: User) -> None:
    text = "The footings get 75 mm."
    added = add_text(knowledge_base=personal_knowledge_base(alice), title="Marrow", text=text, enqueue=False).document
    Document.objects.filter(pk=added.pk).update(updated_at=timezone.now() - timedelta(days=1))
    with pytest.raises(CheckFailed) as stuck:
        check_documents()
    assert "1 documents have not moved" in str(stuck.value)
    assert "Marrow" not in str(stuck.value)
    stored_path(added.sha256).unlink()
    [missing] = inspect_storage().missing_files
    assert missing.documents == ("a private document",)


def test_doctor_finds_out_that_the_files_are_elsewhere(handbook: Document, tmp_path: Path, settings: Any) -> None:
    """As where their disk is not mounted."""
    assert check_uploads() == "the files of the newest 1 documents are there"
    settings.LEXIC_FILES_DIR = tmp_path / "elsewhere"
    with pytest.raises(CheckFailed, match="1 of the 1 newest documents have no file"):
        check_uploads()


def test_doctor_finds_out_that_the_key_of_the_files_is_another_one(plugin: Plugin, settings: Any) -> None:
    settings.FILES_KEYS = ["the files of this site have a key of their own"]
    add_text(knowledge_base=plugin.knowledge_base, title="Footings", text="They get 75 mm.", enqueue=False)
    settings.FILES_KEYS = ["another key than the one that encrypted the files"]
    with pytest.raises(UnreadableFile):
        check_uploads()


def test_a_file_that_is_too_young_to_go_goes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    later: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks, "publish_task", lambda name, **given: later.append({"name": name, **given}))
    young = stray()
    tasks.delete_files(hashes=[young])
    assert stored_path(young).exists(), "somebody could be adding it this moment"
    [again] = later
    assert (again["name"], again["hashes"]) == ("marketplace.delete_files", [young])
    assert again["countdown"] < app.conf.broker_transport_options["visibility_timeout"]
    path = stored_path(young)
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - again["countdown"]))
    tasks.delete_files(hashes=again["hashes"])
    assert (path.exists(), len(later)) == (False, 1)
