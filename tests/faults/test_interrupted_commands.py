"""Long commands that are killed, paused or run out of room in the middle: sync, re-embedding, import, export, restore.

Nothing is lost or there twice, the site goes on with what it had, and the next run of the same command ends the work.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts import key_secrets
from accounts.models import ApiKey, User
from backups.backup_store import BackupStore
from backups.create_backup import create_backup
from backups.restore import restore_backup
from knowledge.embedders import clear_embedders, get_embedder
from knowledge.models import Document, EmbeddingSpace, KnowledgeBase, Lease
from knowledge.versions.reembed import reembed_base
from lexic.infrastructure_errors import DiskFull
from plugins.models import Plugin
from tests.backups.conftest import elsewhere, move, store, where
from tests.faults.held_command import held_command, let_go_on
from tests.full_disk import full_disk
from tests.knowledge.bases import alive, check_sound, make_base
from tests.knowledge.sync.folders import synced, write
from tests.openai_stub import OpenAIStub
from tests.worker_processes import kill

__all__ = ["elsewhere", "full_disk", "move", "store", "where"]
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
TWO_NOTES = {"knowledge.sync.apply_plan:NOTES_PER_BATCH": 2}
NOTES = 6
COMPARED = ("answer", "citations", "decisionPath", "confidence", "outcome", "reason")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for number in range(NOTES):
        write(tmp_path / "notes", f"{number}.md", f"Valve {number} is opened at {number * 3} bar.", title=f"V{number}")
    return tmp_path / "notes"


def as_if_silent_for_long() -> None:
    """What is true of every lease whose holder has not renewed it, once its time is over."""
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def texts(base: KnowledgeBase) -> list[str]:
    return sorted(alive(base))


def test_a_killed_sync_is_ended_by_the_next(notes: Path) -> None:
    base = make_base(embedder="local")
    assert base.plugin
    with held_command(
        "sync", base.plugin.slug, notes, at="knowledge.sync.apply_plan:_write_batch", call=2, constants=TWO_NOTES
    ) as process:
        kill(process)
    assert Document.objects.present().count() == 2, "the first batch is whole, the second is not there"
    report = synced(base, notes)  # at once: the lease of a dead process counts for nothing
    assert (len(report.added), report.unchanged, report.problems) == (NOTES - 2, 2, ())
    assert len(texts(base)) == len(set(texts(base))) == NOTES
    check_sound(base)


def test_a_paused_sync_writes_nothing_once_another_has_taken_over(notes: Path) -> None:
    base = make_base(embedder="local")
    assert base.plugin
    with held_command(
        "sync", base.plugin.slug, notes, at="knowledge.sync.apply_plan:_write_batch", call=2, constants=TWO_NOTES
    ) as process:
        as_if_silent_for_long()
        synced(base, notes)
        base.refresh_from_db()
        before = (base.revision, texts(base))
        assert let_go_on(process) != 0, "it says that it has lost its turn"
    base.refresh_from_db()
    assert (base.revision, texts(base)) == before
    check_sound(base)


def test_a_killed_reembedding_goes_on_behind_what_it_has_done(published: Plugin, settings: Any) -> None:
    base, asked = published.knowledge_base, answer("What are spacers made of?")
    assert asked["outcome"] == "answered"
    with OpenAIStub() as stub:
        server = {"OPENAI_BASE_URL": stub.base_url, "OPENAI_API_KEY": "sk-test"}
        with held_command(
            *("reembed", "--base", base.pk, "openai"),
            at="knowledge.versions.embeddings:_embed_batch",
            call=3,
            constants={"knowledge.versions.embeddings:CHUNKS_PER_BATCH": 1},
            **server,
        ) as process:
            kill(process)
        assert EmbeddingSpace.objects.get(knowledge_base=base, since=None).embedder == "openai"
        assert answer("What are spacers made of?") == asked, "it is searched by the old vectors"
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = stub.base_url, "sk-test"
        clear_embedders()
        ended = reembed_base(base, embedder=get_embedder("openai"))
    clear_embedders()
    assert (ended.embedder, ended.embedded) == ("openai", ended.chunks - 2)
    base.refresh_from_db()
    check_sound(base)


def test_a_killed_import_leaves_nothing_and_can_be_made_again(handbook: Document, alice: User, tmp_path: Path) -> None:
    file = tmp_path / "cover.zip"
    call_command("export_plugin", "cover", output=file, stdout=io.StringIO())
    arguments = ("import_plugin", file, "--owner", alice.email, "--slug", "copy")
    with held_command(*arguments, at="marketplace.bundle.plugin_import:create_trees") as process:
        kill(process)
    assert [plugin.slug for plugin in Plugin.objects.all()] == ["cover"]
    assert KnowledgeBase.objects.count() == 1
    call_command(*map(str, arguments), stdout=io.StringIO())
    copy = Plugin.objects.get(slug="copy")
    assert [one.title for one in Document.objects.filter(knowledge_base__plugin=copy)] == [handbook.title]


def test_a_killed_export_leaves_the_earlier_file_as_it_was(handbook: Document, tmp_path: Path) -> None:
    file = tmp_path / "cover.zip"
    call_command("export_plugin", "cover", output=file, stdout=io.StringIO())
    earlier = file.read_bytes()
    with held_command("export_plugin", "cover", "-o", file, at="shutil:copyfileobj", call=2) as process:
        kill(process)
    assert file.read_bytes() == earlier
    call_command("export_plugin", "cover", output=file, stdout=io.StringIO())
    assert file.read_bytes() == earlier, "one plugin gives one sequence of bytes"


def test_an_export_onto_a_full_disk_says_so_and_leaves_no_half_file(handbook: Document, full_disk: Path) -> None:
    before = sorted(full_disk.iterdir())
    with pytest.raises((CommandError, DiskFull), match="no room left"):
        call_command("export_plugin", "cover", output=full_disk / "cover.zip", stdout=io.StringIO())
    assert sorted(full_disk.iterdir()) == before


def test_a_killed_restore_can_be_begun_again(
    published: Plugin, store: BackupStore, where: str, move: Callable[[], None]
) -> None:
    asked, made = answer("What cover do footings need?"), create_backup(store)
    move()
    with held_command("restore", where, at="backups.restore:_load_table", call=12) as process:
        kill(process)
    assert not Plugin.objects.exists(), "tables are filled in one transaction"
    restore_backup(store, made)
    assert answer("What cover do footings need?") == asked


def test_a_restore_onto_a_full_disk_says_so_and_can_be_begun_again(
    published: Plugin,
    store: BackupStore,
    where: str,
    full_disk: Path,
    move: Callable[[], None],
    tmp_path: Path,
    settings: Any,
) -> None:
    made = create_backup(store)
    move()
    settings.LEXIC_FILES_DIR = full_disk / "files"
    with pytest.raises(DiskFull):
        restore_backup(store, made)
    assert not Plugin.objects.exists()
    settings.LEXIC_FILES_DIR = tmp_path / "files on a larger disk"
    restore_backup(store, made)
    assert Plugin.objects.get().slug == "cover"


def answer(text: str) -> dict[str, Any]:
    """By the real pipeline, without what is new each time."""
    call_command("ask", "cover", text, json=True, stdout=(out := io.StringIO()))
    return {name: value for name, value in json.loads(out.getvalue()).items() if name in COMPARED}


def test_a_killed_rotation_of_keys_is_ended_by_the_next(alice: User, settings: Any) -> None:
    keys = dict(ApiKey.objects.issue(owner=alice, name=f"agent {number}") for number in range(3))
    new = {"ENCRYPTION_KEY": "another key of this site", "ENCRYPTION_KEY_FALLBACKS": settings.ENCRYPTION_KEY}
    with held_command("rotate_keys", at="accounts.key_secrets:encrypt", call=3, **new) as process:
        kill(process)
    settings.ENCRYPTION_KEY, settings.ENCRYPTION_KEY_FALLBACKS = new["ENCRYPTION_KEY"], [settings.ENCRYPTION_KEY]
    before = [key_secrets.is_current(key.key_encrypted) for key in ApiKey.objects.all()]
    assert sorted(before) == [False, True, True], "two were sealed anew, and stand so in the database"
    assert all(ApiKey.objects.get(pk=key.pk).reveal() == secret for key, secret in keys.items())
    call_command("rotate_keys")
    settings.ENCRYPTION_KEY_FALLBACKS = []
    assert all(ApiKey.objects.get(pk=key.pk).reveal() == secret for key, secret in keys.items())
