"""Stored files that are encrypted: what lies on the disk, what is read back, from where, and under which key."""

from __future__ import annotations

import io
import os
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from environs import Env, ValidationError

from lexic.conf.storage import read_files_keys
from lexic.storage import site_storage
from lexic.storage.encrypted import PIECE_BYTES, EncryptedStorage, UnknownFilesKey, UnreadableFile
from lexic.storage.folder import FolderStorage

KEY, EARLIER = "the present key, of many characters", "the earlier key, of many characters"
SIZES = [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES, 3 * PIECE_BYTES + 7]


@pytest.fixture
def plain(tmp_path: Path) -> FolderStorage:
    return FolderStorage(tmp_path / "files")


@pytest.fixture
def storage(plain: FolderStorage) -> EncryptedStorage:
    return EncryptedStorage(plain, keys=[KEY])


def only_file(root: Path) -> Path:
    (found,) = [path for path in root.rglob("*") if path.is_file()]
    return found


@pytest.mark.parametrize("size", SIZES)
def test_every_size_is_read_back_and_told(storage: EncryptedStorage, tmp_path: Path, size: int) -> None:
    content = os.urandom(size)
    storage.save(content, "ab/one")
    assert storage.read("ab/one") == content
    found = storage.find("ab/one")
    assert found is not None
    assert found.size == size
    assert [(one.name, one.size) for one in storage.files()] == [("ab/one", size)]
    assert only_file(tmp_path / "files").name == "one.enc"


def test_nothing_of_the_content_lies_on_the_disk(storage: EncryptedStorage, tmp_path: Path) -> None:
    storage.save(b"quillfeather " * 20_000, "ab/one")
    first = only_file(tmp_path / "files").read_bytes()
    assert b"quillfeather" not in first
    storage.save(b"quillfeather " * 20_000, "ab/one")
    assert only_file(tmp_path / "files").read_bytes()[8:] != first[8:]  # under a key of its own each time


def test_a_file_is_read_from_anywhere(storage: EncryptedStorage) -> None:
    content = random.Random(7).randbytes(5 * PIECE_BYTES + 99)
    storage.save(content, "one")
    places = random.Random(8)
    with storage.open("one") as file:
        for _ in range(200):
            start, length = places.randrange(len(content) + 10), places.randrange(2 * PIECE_BYTES)
            file.seek(start)
            assert file.read(length) == content[start : start + length]
        assert file.seek(-10, os.SEEK_END) == len(content) - 10
        assert file.read() == content[-10:]


def test_programs_that_jump_about_can_read_it(storage: EncryptedStorage) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside.txt", "words " * 50_000)
    storage.save(packed.getvalue(), "one.zip")
    with storage.open("one.zip") as file, zipfile.ZipFile(file) as archive:
        assert archive.read("inside.txt").decode() == "words " * 50_000


@pytest.mark.parametrize("damage", ["bit", "cut", "exchanged", "header"])
def test_what_was_tampered_with_is_refused(storage: EncryptedStorage, tmp_path: Path, damage: str) -> None:
    storage.save(b"".join(bytes([number]) * PIECE_BYTES for number in range(3)), "one")
    path, piece = only_file(tmp_path / "files"), PIECE_BYTES + 16
    sealed = bytearray(path.read_bytes())
    if damage == "bit":
        sealed[5000] ^= 1
    elif damage == "cut":
        del sealed[40 + 2 * piece :]
    elif damage == "exchanged":
        sealed[40 : 40 + 2 * piece] = sealed[40 + piece : 40 + 2 * piece] + sealed[40 : 40 + piece]
    else:
        sealed[20] ^= 1
    path.write_bytes(sealed)
    with pytest.raises(UnreadableFile):
        storage.read("one")


@pytest.mark.parametrize("left", [1, 2])
def test_a_range_behind_what_was_cut_off_is_no_end_of_the_file(
    storage: EncryptedStorage, tmp_path: Path, left: int
) -> None:
    storage.save(b"x" * 3 * PIECE_BYTES, "one")
    path = only_file(tmp_path / "files")
    path.write_bytes(path.read_bytes()[: 40 + left * (PIECE_BYTES + 16)])
    with storage.open("one") as file:
        file.seek(left * PIECE_BYTES)
        with pytest.raises(UnreadableFile):
            file.read(10)


def test_one_file_does_not_pass_for_another(storage: EncryptedStorage, tmp_path: Path) -> None:
    storage.save(b"the dose is 5 mg", "ab/one")
    storage.save(b"the dose is 50 mg", "ab/two")
    (tmp_path / "files/ab/two.enc").replace(tmp_path / "files/ab/one.enc")
    with pytest.raises(UnreadableFile):
        storage.read("ab/one")


def test_files_from_before_are_read_and_replaced(plain: FolderStorage, storage: EncryptedStorage) -> None:
    plain.save(b"from before", "ab/one")
    assert storage.read("ab/one") == b"from before"
    assert storage.exists("ab/one")
    storage.save(b"from now", "ab/one")
    assert storage.read("ab/one") == b"from now"
    assert [found.name for found in plain.files()] == ["ab/one.enc"]
    storage.delete("ab/one")
    assert not storage.exists("ab/one")


def test_the_command_encrypts_what_is_not_and_what_is_under_an_earlier_key(
    plain: FolderStorage, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.LEXIC_FILES_DIR = str(tmp_path / "files")
    with pytest.raises(CommandError, match="Set LEXIC_FILES_KEY"):
        call_command("encrypt_files")
    plain.save(b"plain", "ab/plain")
    EncryptedStorage(plain, keys=[EARLIER]).save(b"earlier", "ab/earlier")
    EncryptedStorage(plain, keys=[KEY]).save(b"present", "ab/present")
    settings.FILES_KEYS = [KEY, EARLIER]
    call_command("encrypt_files")
    assert capsys.readouterr().out == "2 files were encrypted, 1 were already.\n"
    call_command("encrypt_files")
    assert capsys.readouterr().out == "0 files were encrypted, 3 were already.\n"
    settings.FILES_KEYS = [KEY]
    assert {name: site_storage().read(f"ab/{name}") for name in ("plain", "earlier", "present")} == {
        "plain": b"plain", "earlier": b"earlier", "present": b"present",
    }  # fmt: skip
    assert {found.name for found in plain.files()} == {"ab/plain.enc", "ab/earlier.enc", "ab/present.enc"}


def test_without_its_key_a_file_says_so(storage: EncryptedStorage, plain: FolderStorage) -> None:
    storage.save(b"x", "one")
    with pytest.raises(UnknownFilesKey, match="a key that is not known"):
        EncryptedStorage(plain, keys=[EARLIER]).read("one")


@pytest.mark.parametrize(
    ("variables", "said"),
    [({"LEXIC_FILES_KEY": "short"}, "at least 32"), ({"LEXIC_FILES_KEY_FALLBACKS": EARLIER}, "not set")],
)
def test_keys_that_make_no_sense_stop_the_start(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], said: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError, match=said):
        read_files_keys(Env())
