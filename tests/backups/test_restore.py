"""A backup that is made while the site is written to, and brought back elsewhere, is the site as it was."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection
from django.db.migrations.executor import MigrationExecutor

from accounts.models import ApiKey, User
from audit.chain import verify_chain
from audit.models import AuditEntry
from backups.backup_errors import BackupRuns, DamagedBackup, NewerBackup, NotEmpty, OtherSite
from backups.backup_store import BackupStore, open_backup_store
from backups.create_backup import create_backup, only_backup
from backups.manifest import Manifest, TableCopy
from backups.restore import _load_table, restore_backup
from evaluation.golden import golden_runs
from evaluation.models import GoldenQuestion
from knowledge.documents import file_store
from knowledge.documents.lifecycle import add_text, delete_document
from knowledge.models import Document
from lexic.infrastructure_errors import DiskFull, StorageUnavailable
from lexic.storage import site_storage
from lexic.storage.encrypted import UnknownFilesKey
from lexic.storage.folder import FolderStorage
from lexic.storage.s3 import S3Storage
from plugins.models import Plugin
from querying import releases
from tests.backups.conftest import KEY
from tests.cover import handbook, plugin, published
from tests.full_disk import full_disk
from tests.s3_server import bucket

__all__ = ["bucket", "full_disk", "handbook", "plugin", "published"]
NOW = datetime(2026, 11, 1, 2, tzinfo=UTC)
pytestmark = pytest.mark.django_db(transaction=True)
QUESTIONS = (
    "What is the nominal cover of a beam in severe exposure?",
    "What cover do footings need?",
    "How far apart do spacers stand?",
    "What are spacers made of?",
    "What does the site manager earn?",
    "Which cover has a beam exposed to weather?",
)
COMPARED = ("answer", "citations", "decisionPath", "confidence", "outcome", "reason")


def rows() -> dict[str, int]:
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        cursor.execute(" UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables))
        return dict(cursor.fetchall())


def answers() -> list[dict[str, Any]]:
    """By the real pipeline, without what is new each time."""
    found = []
    for text in QUESTIONS:
        call_command("ask", "cover", text, json=True, stdout=(out := io.StringIO()))
        found.append({name: value for name, value in json.loads(out.getvalue()).items() if name in COMPARED})
    return found


def documents_and_files() -> tuple[set[str], set[str]]:
    """The hashes that rows name, and those of files that are there and hold what they are called by."""
    named = set(Document.objects.filter(removed_in=None).exclude(sha256="").values_list("sha256", flat=True))
    stored = set()
    for one in file_store.stored_files():
        with file_store.open_stored(one.sha256) as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == one.sha256:
                stored.add(one.sha256)
    return named, stored


def test_the_same_site_with_the_same_answers(
    published: Plugin, alice: User, store: BackupStore, move: Callable[[], None]
) -> None:
    _, secret = ApiKey.objects.issue(owner=alice, name="agent")
    asked, head = answers(), verify_chain().head
    made = create_backup(store)
    before = rows()
    move()
    restore_backup(store, made)
    assert rows() == before
    assert answers() == asked
    assert {one["outcome"] for one in asked} == {"answered", "refused"}
    assert ApiKey.objects.for_secret(secret).reveal() == secret  # type: ignore[union-attr]  # ENCRYPTION_KEY is the same
    named, stored = documents_and_files()
    assert named
    assert named <= stored
    # The audit log is chained as it was, goes on from there, and is guarded again.
    assert verify_chain(known=head).head
    Plugin.objects.create(owner=User.objects.get(), name="Next", system_prompt="x", domain="d")
    verify_chain(known=head)
    with pytest.raises(ProgrammingError, match="only added to"), connection.cursor() as cursor:
        cursor.execute("DELETE FROM audit_auditentry")


def test_encrypted(plugin: Plugin, keyed: Callable[[str], BackupStore], move: Callable[[], None]) -> None:
    made = create_backup(keyed(KEY))
    move()
    store = keyed(KEY)
    restore_backup(store, Manifest.read(store, made.name))
    assert Plugin.objects.get().slug == "cover"


def test_what_has_not_changed_is_not_copied_again(plugin: Plugin, store: BackupStore, where: str) -> None:
    def pieces() -> set[Path]:
        return {path for path in Path(where).rglob("*") if path.is_file() and "pieces" in path.parts}

    create_backup(store)
    first = pieces()
    second = create_backup(store)
    assert pieces() == first
    plugin.tagline = "Cover for everybody"
    plugin.save()
    create_backup(store)
    assert len(pieces() - first) <= 3  # the table of plugins, and what follows from it
    assert len(store.backups()) == 3
    assert second.files


def test_older_ones_are_deleted(plugin: Plugin, store: BackupStore, where: str, move: Callable[[], None]) -> None:
    create_backup(store)
    plugin.tagline = "Cover for everybody"
    plugin.save()
    kept = create_backup(store, keep=1)
    assert store.backups() == [kept.name]
    named = {piece for piece, _ in kept.pieces()}
    assert {path.name for path in (Path(where) / "pieces").rglob("*") if path.is_file()} == named
    move()
    restore_backup(store, kept)
    assert Plugin.objects.get().tagline == "Cover for everybody"


def become_another_site() -> None:
    """As one whose tables were made later."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_migrations SET applied = applied + interval '1 day'")


def test_where_another_site_keeps_its_backups_none_is_made(
    plugin: Plugin, store: BackupStore, where: str, move: Callable[[], None]
) -> None:
    first = create_backup(store)
    move()
    become_another_site()
    other = open_backup_store(where)
    with pytest.raises(OtherSite):
        create_backup(other, keep=1)
    assert (other.backups(), first.check_pieces(other) > 0) == ([first.name], True)
    restore_backup(store, first)
    create_backup(open_backup_store(where), keep=1)  # a restored site goes on where it was backed up
    assert len(store.backups()) == 1


def test_where_two_sites_have_written_already_nothing_is_deleted(
    plugin: Plugin, store: BackupStore, move: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    first = create_backup(store, now=NOW)
    move()
    become_another_site()
    with mock.patch("backups.create_backup.refuse_place_of_other_site"):
        create_backup(store, now=NOW + timedelta(days=1))
    create_backup(store, keep=1, now=NOW + timedelta(days=2))
    assert (len(store.backups()), first.check_pieces(store) > 0) == (3, True)
    assert f"older backups stay: {first.name} is of another site" in caplog.text


def test_while_somebody_writes(plugin: Plugin, store: BackupStore, move: Callable[[], None]) -> None:
    """Every document that came along has its file, and every row what it refers to."""
    base, has_begun, ends = plugin.knowledge_base, Event(), Event()

    def write() -> int:
        number = 0
        try:
            while not ends.is_set():
                number += 1
                add_text(knowledge_base=base, title=f"Note {number}", text=f"Note {number}. " * 50, enqueue=False)
                if number % 3 == 0:
                    delete_document(Document.objects.filter(title=f"Note {number - 1}").get())
                if number == 5:
                    has_begun.set()
            return number
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        assert has_begun.wait(60)
        made = create_backup(store)
        ends.set()
        written = writing.result(60)
    assert made.missing == []
    move()
    restore_backup(store, made)
    named, stored = documents_and_files()
    assert named <= stored
    notes = {f"document:{pk}" for pk in Document.objects.filter(title__startswith="Note").values_list("pk", flat=True)}
    assert 4 <= len(notes) <= written
    added, deleted = (
        set(AuditEntry.objects.filter(action=f"document.{what}").values_list("object", flat=True))
        for what in ("added", "deleted")
    )
    assert notes == added - deleted - {f"document:{Document.objects.get(title='Cover handbook').pk}"}
    verify_chain()


def test_a_damaged_piece_is_written_again_by_the_next_backup(plugin: Plugin, store: BackupStore, where: str) -> None:
    made = create_backup(store)
    pieces = {part: piece for piece, part in made.pieces()}
    lost = next(piece for part, piece in pieces.items() if part.startswith("file "))
    for name, damage in ((pieces["table plugins_plugin"], b"junk"), (lost, None)):
        path = next(Path(where).rglob(name))
        path.write_bytes(damage) if damage else path.unlink()
    with pytest.raises(DamagedBackup, match="2 of"):
        made.check_pieces(BackupStore(FolderStorage(Path(where))))
    create_backup(BackupStore(FolderStorage(Path(where))))
    # Also the earlier one is whole again.
    assert made.check_pieces(BackupStore(FolderStorage(Path(where)))) == len(pieces)


def test_a_damaged_manifest_stops_no_backup(plugin: Plugin, store: BackupStore, where: str) -> None:
    broken, kept = create_backup(store), create_backup(store)
    for name in (broken.name, kept.name):
        (Path(where) / "manifests" / name).write_bytes(b"junk")
    # Nothing is deleted while nobody knows what the other needs.
    made = create_backup(store, keep=2)
    assert store.backups() == [broken.name, kept.name, made.name]
    create_backup(store, keep=2)
    assert len(store.backups()) == 2
    made.check_pieces(store)


def test_files_that_only_releases_cite_are_missed(published: Plugin, store: BackupStore) -> None:
    """The document has been replaced by another file, and the release has pages of the former one."""
    former, present = Document.objects.get().sha256, "0" * 64
    Document.objects.filter(sha256=former).update(sha256=present, ready_sha256=present)
    site_storage().delete(file_store.stored_name(former))
    assert create_backup(store).missing == sorted(map(file_store.stored_name, (former, present)))


def test_rows_only(published: Plugin, store: BackupStore, move: Callable[[], None]) -> None:
    asked, made = answers(), create_backup(store)
    move()
    restore_backup(store, made, rows_only=True)
    assert answers() == asked
    assert not list(site_storage().files())


def test_one_at_a_time(plugin: Plugin, store: BackupStore) -> None:
    with only_backup(), pytest.raises(BackupRuns):
        create_backup(store)
    create_backup(store)


HANGS = """
import sys, time, django
django.setup()
from pathlib import Path
from backups.create_backup import create_backup, only_backup
from backups.backup_store import BackupStore, open_backup_store
from lexic.storage.folder import FolderStorage
from lexic.storage.s3 import S3Storage

class Slow(BackupStore):
    added = 0
    def add(self, content):
        Slow.added += 1
        if Slow.added == 5:
            print("in the middle", flush=True)
            time.sleep(600)
        return super().add(content)

create_backup(Slow(FolderStorage(Path(sys.argv[1]))))
"""


def test_killed_in_the_middle(plugin: Plugin, store: BackupStore, where: str, move: Callable[[], None]) -> None:
    earlier = create_backup(store)
    plugin.tagline = "Cover for everybody"
    plugin.save()
    Plugin.objects.create(owner=plugin.owner, name="Other", system_prompt="x", domain="d")
    environment = os.environ | {
        "LEXIC_TEST_DATABASE": str(connection.settings_dict["NAME"]),
        "LEXIC_FILES_DIR": str(settings.LEXIC_FILES_DIR),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    program = [sys.executable, "-c", HANGS, where]
    with subprocess.Popen(program, env=environment, cwd=settings.BASE_DIR, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"in the middle\n"
        process.send_signal(signal.SIGKILL)
    assert store.backups() == [earlier.name]
    # The server lets go of what the dead process held; then the next backup is whole.
    for _ in range(600):
        try:
            made = create_backup(BackupStore(FolderStorage(Path(where))))
            break
        except BackupRuns:
            time.sleep(0.1)
    move()
    restore_backup(store, made)
    assert Plugin.objects.count() == 2


def test_flipped_byte_is_named(plugin: Plugin, store: BackupStore, where: str, move: Callable[[], None]) -> None:
    made = create_backup(store)
    file = next(one for one in made.files)
    path = next(Path(where).rglob(file.pieces[0]))
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(DamagedBackup, match=f"file {file.name} is not whole"):
        made.check_pieces(store)
    move()
    with pytest.raises(DamagedBackup):
        restore_backup(store, made)
    assert not Plugin.objects.exists()


def test_file_that_is_missing_is_named(handbook: Document, store: BackupStore) -> None:
    file_store.delete_stored(handbook.sha256)
    assert create_backup(store).missing == [file_store.stored_name(handbook.sha256)]


def test_a_lost_file_stays_in_later_backups_and_comes_back(
    handbook: Document, store: BackupStore, move: Callable[[], None]
) -> None:
    """Where the disk of the files is not mounted, every file is lost, and backups go on."""
    avatar, storage = f"{'0' * 32}.webp", site_storage()
    User.objects.update(avatar=avatar)
    storage.save(b"a picture", f"avatars/{avatar}")
    create_backup(store, now=NOW)
    lost = [file_store.stored_name(handbook.sha256), f"avatars/{avatar}"]
    for name in lost:
        storage.delete(name)
    for day in (1, 2):
        made = create_backup(store, keep=1, now=NOW + timedelta(days=day))
    assert store.backups() == [made.name]
    assert made.missing == sorted(lost)
    move()
    restore_backup(store, made)
    assert all(map(site_storage().exists, lost))


def test_what_was_erased_on_purpose_does_not_come_back(handbook: Document, store: BackupStore) -> None:
    """Nor does a picture that its owner has taken away."""
    avatar = f"{'0' * 32}.webp"
    User.objects.update(avatar=avatar)
    site_storage().save(b"a picture", f"avatars/{avatar}")
    before = create_backup(store, now=NOW)
    Document.objects.all().delete()
    User.objects.update(avatar="")
    erased = {file_store.stored_name(handbook.sha256), f"avatars/{avatar}"}
    for name in erased:
        site_storage().delete(name)
    made = create_backup(store, now=NOW + timedelta(days=1))
    # Files that other tests left are in both.
    assert {file.name for file in before.files} - {file.name for file in made.files} == erased
    assert made.missing == []


def test_a_backup_is_the_newest_also_after_one_of_a_clock_that_was_ahead(store: BackupStore) -> None:
    ahead = create_backup(store, now=NOW + timedelta(days=3000))
    later = create_backup(store, keep=1, now=NOW)
    assert later.name > ahead.name
    assert store.backups() == [later.name]


@pytest.mark.parametrize("left", [0, 20, 45, -1])
def test_a_damaged_file_is_named_and_the_rest_is_backed_up(
    plugin: Plugin, store: BackupStore, settings: Any, move: Callable[[], None], left: int
) -> None:
    """Also one that no row of a document names, such as the picture of a person."""
    settings.FILES_KEYS = ["the files of this site have a key of their own"]
    base, storage = plugin.knowledge_base, site_storage()
    whole = add_text(knowledge_base=base, title="Whole", text="Whole. " * 50, enqueue=False).document
    broken = add_text(knowledge_base=base, title="Broken", text="Broken. " * 50, enqueue=False).document
    storage.save(b"a picture" * 10, "avatars/alice")
    damaged = ["avatars/alice", file_store.stored_name(broken.sha256)]
    for name in damaged:
        path = Path(settings.LEXIC_FILES_DIR) / f"{name}.enc"
        path.write_bytes(path.read_bytes()[:left])
    made = create_backup(store)
    assert made.missing == sorted(damaged)
    move()
    restore_backup(store, made)
    assert file_store.is_stored(whole.sha256)
    assert not file_store.is_stored(broken.sha256)


def test_as_long_as_a_file_is_damaged_no_earlier_backup_is_deleted(
    plugin: Plugin, store: BackupStore, settings: Any, tmp_path: Path
) -> None:
    settings.FILES_KEYS = ["the files of this site have a key of their own"]
    settings.LEXIC_FILES_DIR = tmp_path / "files of their own"
    first = create_backup(store, now=NOW)
    site_storage().save(b"a picture" * 10, "avatars/alice")
    picture = Path(settings.LEXIC_FILES_DIR) / "avatars/alice.enc"
    picture.write_bytes(picture.read_bytes()[:20])
    create_backup(store, keep=1, now=NOW + timedelta(days=1))
    assert store.backups()[0] == first.name
    picture.unlink()
    create_backup(store, keep=1, now=NOW + timedelta(days=2))
    assert len(store.backups()) == 1


def test_without_the_key_of_the_files_there_is_no_backup(
    plugin: Plugin, store: BackupStore, settings: Any, tmp_path: Path
) -> None:
    settings.FILES_KEYS, settings.LEXIC_FILES_DIR = ["the first key of the files"], tmp_path / "files of their own"
    site_storage().save(b"a picture" * 10, "avatars/alice")
    settings.FILES_KEYS = ["a later key of the files"]
    with pytest.raises(UnknownFilesKey):
        create_backup(store)
    assert store.backups() == []


def test_a_storage_that_is_away_fails(plugin: Plugin, store: BackupStore) -> None:
    with mock.patch.object(FolderStorage, "open", side_effect=StorageUnavailable), pytest.raises(StorageUnavailable):
        create_backup(store)
    assert store.backups() == []


def test_full_disk_leaves_no_backup(plugin: Plugin, full_disk: Path) -> None:
    with pytest.raises(DiskFull):
        create_backup(BackupStore(FolderStorage(full_disk / "store")))


def test_an_error_of_the_database_is_one_of_django(store: BackupStore) -> None:
    """So that a sentence is said of it, as where its disk is full."""
    connection.ensure_connection()
    with pytest.raises(ProgrammingError, match="nonsense"):
        _load_table(store, TableCopy(name="accounts_user", columns=["nonsense"], rows=0, pieces=[]))


def test_not_into_one_that_is_in_use(plugin: Plugin, store: BackupStore) -> None:
    made = create_backup(store)
    with pytest.raises(NotEmpty):
        restore_backup(store, made)
    assert Plugin.objects.count() == 1


def test_not_among_the_tables_of_something_else(plugin: Plugin, store: BackupStore, move: Callable[[], None]) -> None:
    made = create_backup(store)
    move()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE payroll (id int)")
    with pytest.raises(NotEmpty, match="payroll"):
        restore_backup(store, made)


def test_not_a_newer_one(plugin: Plugin, store: BackupStore, move: Callable[[], None]) -> None:
    made = create_backup(store)
    newer = replace(made, migrations=[*made.migrations, "plugins.9999_what_comes_next"])
    move()
    with pytest.raises(NewerBackup, match=r"plugins\.9999_what_comes_next"):
        restore_backup(store, newer)


@pytest.mark.long
def test_into_the_next_version(published: Plugin, store: BackupStore, move: Callable[[], None]) -> None:
    """The backup is of a site that lacks the last migrations of this version."""
    made, asked = create_backup(store), answers()
    move()
    restore_backup(store, made)
    MigrationExecutor(connection).migrate([("knowledge", "0015_revision_pins")])
    older = create_backup(store)
    assert "knowledge.0016_files_of_repositories" not in older.migrations
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    restore_backup(store, older)
    assert answers() == asked
    assert not MigrationExecutor(connection).migration_plan(MigrationExecutor(connection).loader.graph.leaf_nodes())


@pytest.mark.long
def test_verified_by_command(published: Plugin, store: BackupStore, where: str) -> None:
    GoldenQuestion.objects.create(plugin=published, question=QUESTIONS[0], must_contain=["45 mm"])
    golden_runs.run_golden(releases.snapshot(published))
    create_backup(store)
    call_command("backup", "verify", where, json=True, stdout=(out := io.StringIO()))
    found = json.loads(out.getvalue())
    assert (found["asked"], found["compared"]) == (1, 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_database WHERE datname LIKE 'lexic_verify_%'")
        assert cursor.fetchone()[0] == 0


def test_by_command(plugin: Plugin, where: str) -> None:
    call_command("backup", "create", where, keep=2, stdout=(out := io.StringIO()))
    assert " rows, " in out.getvalue()
    call_command("backup", "list", where, json=True, stdout=(out := io.StringIO()))
    assert json.loads(out.getvalue())["files"] >= 1
    with pytest.raises(CommandError, match="in use"):
        call_command("restore", where)
    with pytest.raises(CommandError, match="no such backup"):
        call_command("restore", where, at="2020")


def test_the_list_marks_those_that_cannot_be_read(plugin: Plugin, store: BackupStore, where: str) -> None:
    broken, whole = create_backup(store), create_backup(store)
    (Path(where) / "manifests" / broken.name).write_bytes(b"junk")
    store.write_manifest("9999-01-01T00-00-00-000000Z", {"format": 99})
    call_command("backup", "list", where, stdout=(out := io.StringIO()))
    first, second, third = out.getvalue().splitlines()
    assert first == f"{broken.name}  cannot be read: The manifest of backup {broken.name} is damaged."
    assert second.startswith(f"{whole.name}  version ")
    assert "newer version" in third
    call_command("backup", "list", where, json=True, stdout=(out := io.StringIO()))
    said = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [one.get("code") for one in said] == ["backup_damaged", None, "no_backup"]
    assert [one["name"] for one in said] == store.backups()


def test_bucket_to_bucket(
    plugin: Plugin, bucket: S3Storage, settings: Any, keyed: Callable[[str], BackupStore], move: Callable[[], None]
) -> None:
    """The files of the site lie in a bucket, and its backups in another place of it."""
    added = add_text(knowledge_base=plugin.knowledge_base, title="In the bucket", text="Words.", enqueue=False)
    connection_settings = {name: value for name, value in settings.S3.items() if name not in ("bucket", "prefix")}
    settings.BACKUPS = {**settings.BACKUPS, "key": KEY, "s3": connection_settings}
    store = open_backup_store(f"s3://{settings.S3['bucket']}/backups")
    made = create_backup(store)
    name = file_store.stored_name(added.document.sha256)
    assert name in {file.name for file in made.files}
    move()
    settings.S3 = {**settings.S3, "prefix": "elsewhere"}
    restore_backup(store, Manifest.read(store, made.name))
    assert file_store.is_stored(added.document.sha256)
    made.check_pieces(store)
