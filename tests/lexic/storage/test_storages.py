"""What a folder and a bucket have in common, encrypted or not: the same tests for all."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from lexic.storage import Storage, prune
from lexic.storage.base import StoredObject
from lexic.storage.encrypted import EncryptedStorage
from lexic.storage.folder import FolderStorage
from lexic.storage.s3 import S3Storage, connect_s3
from tests.s3_server import bucket_settings

KEY = "a key of at least thirty-two characters"


@pytest.fixture(params=["folder", "bucket", "encrypted folder", "encrypted bucket"])
def storage(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Storage:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kind = request.param.rpartition(" ")[2]
    plain: Storage = FolderStorage(tmp_path / "files") if kind == "folder" else connect_s3(**bucket_settings())
    return plain if request.param == kind else EncryptedStorage(plain, keys=[KEY])


def names(storage: Storage, beginning: str = "") -> set[str]:
    return {found.name for found in storage.files(beginning)}


def test_what_is_saved_is_read(storage: Storage) -> None:
    storage.save(b"first", "ab/one")
    storage.save(b"second", "ab/one")
    assert storage.read("ab/one") == b"second"
    assert storage.read_beginning("ab/one", 3) == b"sec"
    with storage.local_copy("ab/one") as path:
        assert path.read_bytes() == b"second"
    found = storage.find("ab/one")
    assert found is not None
    assert (found.name, found.size) == ("ab/one", 6)


def test_a_file_that_is_not_there(storage: Storage) -> None:
    with pytest.raises(FileNotFoundError):
        storage.open("ab/none")
    with pytest.raises(FileNotFoundError), storage.local_copy("ab/none"):
        pass
    assert (storage.find("ab/none"), storage.touch("ab/none"), storage.exists("ab/none")) == (None, False, False)
    storage.delete("ab/none")
    storage.delete_folder("ab")


def test_a_file_that_nobody_keeps_is_gone(storage: Storage, tmp_path: Path) -> None:
    with storage.new_file("ab") as file:
        file.write(b"x")
    assert names(storage) == set()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_copies_leave_nothing_behind(storage: Storage, tmp_path: Path) -> None:
    storage.save(b"x" * 9_000_000, "large")
    before = sorted(tmp_path.rglob("*"))
    with storage.open("large") as file, storage.local_copy("large") as path:
        assert (len(file.read()), path.stat().st_size) == (9_000_000, 9_000_000)
    assert sorted(tmp_path.rglob("*")) == before


def test_files_are_listed_by_how_their_names_begin(storage: Storage) -> None:
    for name in ("ab/one", "ab/other", "abc/one", "b"):
        storage.save(b"x", name)
    assert names(storage) == {"ab/one", "ab/other", "abc/one", "b"}
    assert names(storage, "ab/") == {"ab/one", "ab/other"}
    assert names(storage, "ab/on") == {"ab/one"}
    storage.delete("ab/one")
    storage.delete_folder("abc")
    assert names(storage) == {"ab/other", "b"}


def test_many_are_found_at_once(storage: Storage) -> None:
    for number in range(20):
        storage.save(b"x" * number, f"n/{number}")
    wanted = [f"n/{number}" for number in range(25)]
    assert {found.name: found.size for found in storage.find_many(wanted)} == {f"n/{n}": n for n in range(20)}


def test_those_that_nobody_has_wanted_for_longest_make_way(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("k/a", "k/b", "k/c"):
        storage.save(b"12345", name)
    listed = sorted(storage.files("k/"), key=lambda one: one.name)
    aged = [type(one)(name=one.name, size=one.size, modified=at) for one, at in zip(listed, (2, 1, 3), strict=True)]
    monkeypatch.setattr(storage, "files", lambda beginning: iter(aged))
    assert prune(storage, "k", most_bytes=15) == 0
    assert prune(storage, "k", most_bytes=6, but="k/b") == 2
    assert [name for name in ("k/a", "k/b", "k/c") if storage.exists(name)] == ["k/b"]


def test_to_touch_a_file_makes_it_new(storage: Storage) -> None:
    storage.save(b"12345", "a")
    before = storage.find("a")
    assert storage.touch("a")
    after = storage.find("a")
    assert before is not None
    assert after is not None
    assert after.modified >= before.modified
    assert storage.read("a") == b"12345"


def test_what_was_kept_just_now_is_read_without_asking_for_it_again(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(S3Storage, "_download", None)
    with storage.new_file("ab") as file:
        file.write(b"12345")
        kept = storage.keep_and_open(file, "ab/one")
    with kept:
        assert kept.read() == b"12345"
    assert names(storage) == {"ab/one"}


def test_a_use_is_noted_once_in_an_hour(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    touched: list[str] = []
    monkeypatch.setattr(storage, "touch", touched.append)
    now = time.time()
    storage.note_use(StoredObject(name="new", size=1, modified=now - 60))
    assert touched == []
    storage.note_use(StoredObject(name="old", size=1, modified=now - 3700))
    assert touched == ["old"]


def test_it_says_where_files_are_kept(storage: Storage) -> None:
    assert storage.check().startswith("uploads can be kept in ")


def test_the_client_of_buckets_is_loaded_when_a_bucket_is_asked_and_not_before(tmp_path: Path) -> None:
    program = "import django, sys; django.setup(); from lexic.storage import site_storage; site_storage()"
    program += "; print('boto3' in sys.modules, 'botocore' in sys.modules)"
    variables = {"DJANGO_SETTINGS_MODULE": "lexic.settings", "LEXIC_VAR_DIR": str(tmp_path), "LEXIC_S3_BUCKET": "files"}
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False\n"
