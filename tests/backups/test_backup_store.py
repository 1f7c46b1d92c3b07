"""Pieces under the hash of what they hold, encrypted or not, and manifests that are whole or not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from backups.backup_errors import DamagedBackup, NoBackup, NoTarget, NotEncrypted, WrongKey
from backups.backup_store import BackupStore, open_backup_store
from lexic.storage.folder import FolderStorage
from tests.backups.conftest import KEY
from tests.full_disk import full_disk

__all__ = ["full_disk"]

WORDS = b"The nominal cover of a beam is 45 mm. " * 100
Keyed = Callable[[str], BackupStore]


def files(where: str) -> dict[str, bytes]:
    return {str(path.relative_to(where)): path.read_bytes() for path in Path(where).rglob("*") if path.is_file()}


def flip(path: Path, *, at: int = -1) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("key", ["", KEY])
def test_what_is_added_is_read(keyed: Keyed, key: str) -> None:
    name = keyed(key).add(WORDS)
    assert keyed(key).read(name) == WORDS


@pytest.mark.parametrize("key", ["", KEY])
def test_the_same_bytes_are_kept_once(keyed: Keyed, where: str, key: str) -> None:
    first = keyed(key).add(WORDS)
    before = files(where)
    assert keyed(key).add(WORDS) == first
    assert files(where) == before


def test_encrypted_ones_tell_nothing(keyed: Keyed, where: str) -> None:
    store = keyed(KEY)
    store.add(WORDS)
    store.add(b"secret " * 3)
    store.write_manifest("2026", {"format": 1, "files": ["handbook.pdf"]})
    everything = b"".join(files(where).values()) + " ".join(files(where)).encode()
    assert b"beam" not in everything
    assert b"secret" not in everything
    assert b"handbook" not in everything
    import hashlib

    assert hashlib.sha256(WORDS).hexdigest().encode() not in everything


@pytest.mark.parametrize(("first", "second"), [(KEY, "another passphrase"), (KEY, ""), ("", KEY)])
def test_wrong_key(keyed: Keyed, first: str, second: str) -> None:
    keyed(first).add(WORDS)
    with pytest.raises(NotEncrypted if not first else WrongKey):
        keyed(second)


@pytest.mark.parametrize("key", ["", KEY])
@pytest.mark.parametrize("at", [0, 5, 20, -1])
def test_flipped_byte_is_found(keyed: Keyed, where: str, key: str, at: int) -> None:
    store = keyed(key)
    for content in (WORDS, b"short"):
        name = store.add(content)
        path = next(Path(where).rglob(name))
        if at < path.stat().st_size:
            flip(path, at=at)
            with pytest.raises(DamagedBackup, match=name):
                keyed(key).read(name)


def test_lost_and_cut_pieces_are_found(store: BackupStore, where: str) -> None:
    name = store.add(WORDS)
    path = next(Path(where).rglob(name))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(DamagedBackup):
        store.read(name)
    path.unlink()
    with pytest.raises(DamagedBackup):
        store.read(name)


@pytest.mark.parametrize("key", ["", KEY])
def test_manifests(keyed: Keyed, where: str, key: str) -> None:
    store = keyed(key)
    assert store.backups() == []
    store.write_manifest("b", {"format": 1, "of": "b"})
    store.write_manifest("a", {"format": 1, "of": "a"})
    assert store.backups() == ["a", "b"]
    assert store.read_manifest("a") == {"format": 1, "of": "a"}
    with pytest.raises(NoBackup):
        store.read_manifest("c")
    flip(Path(where) / "manifests" / "a", at=-3)
    with pytest.raises(DamagedBackup):
        store.read_manifest("a")
    store.write_manifest("d", {"format": 99})
    with pytest.raises(NoBackup, match="newer"):
        store.read_manifest("d")


def test_a_manifest_under_another_name_is_not_believed(keyed: Keyed, where: str) -> None:
    keyed(KEY).write_manifest("a", {"format": 1})
    (Path(where) / "manifests" / "a").rename(Path(where) / "manifests" / "z")
    with pytest.raises(DamagedBackup):
        keyed(KEY).read_manifest("z")


def test_no_target(settings: Any) -> None:
    settings.BACKUPS = {**settings.BACKUPS, "to": ""}
    with pytest.raises(NoTarget, match="names no bucket"):
        open_backup_store("s3://")
    with pytest.raises(NoTarget):
        open_backup_store()


def test_looking_writes_nothing(keyed: Keyed, where: str) -> None:
    assert keyed(KEY).backups() == []
    with pytest.raises(NoBackup):
        keyed("").read_manifest("a")
    assert not Path(where).exists()


def test_two_that_begin_at_once_have_one_key(keyed: Keyed) -> None:
    first, second = keyed(KEY), keyed(KEY)
    name = first.add(WORDS)
    second.add(b"short")
    assert keyed(KEY).read(name) == WORDS


def test_a_lost_piece_is_written_again(store: BackupStore, where: str) -> None:
    name = store.add(WORDS)
    assert store.has([name])
    next(Path(where).rglob(name)).unlink()
    again = BackupStore(FolderStorage(Path(where)))
    assert not again.has([name])
    again.add(WORDS)
    assert again.read(name) == WORDS


def test_what_was_never_written_to_its_end_is_no_piece_and_goes(store: BackupStore, where: str) -> None:
    name = store.add(WORDS)
    left = Path(where) / "manifests" / ".incoming-abc"
    left.parent.mkdir()
    left.write_bytes(b"half")
    assert store.backups() == []
    os.utime(left, (0, 0))
    store.delete_other_pieces({name})
    assert not left.exists()
    assert store.read(name) == WORDS


HEADER = "lexic-backups.json"
DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "in the salt": lambda whole: whole.replace(whole[24:26], b"00" if whole[24:26] != b"00" else b"11", 1),
    "in the check": lambda whole: whole.replace(b'"check": "', b'"check": "0', 1),
    "in a name": lambda whole: whole.replace(b'"salt"', b'"sald"'),
    "no text": lambda whole: b"\xff" + whole[1:],
    "other JSON": lambda whole: b"[1]",
    "cut off": lambda whole: whole[:30],
    "empty": lambda whole: b"",
    "gone": lambda whole: None,
}


def damage_header(where: str, damage: str) -> None:
    path = Path(where) / HEADER
    if (content := DAMAGES[damage](path.read_bytes())) is None:
        path.unlink()
    else:
        path.write_bytes(content)


@pytest.mark.parametrize("key", ["", KEY])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_header_is_found_in_a_manifest_and_mended(keyed: Keyed, where: str, key: str, damage: str) -> None:
    store = keyed(key)
    name = store.add(WORDS)
    for moment in ("a", "b"):
        store.write_manifest(moment, {"format": 1, "of": moment})
    whole = (Path(where) / HEADER).read_bytes()
    damage_header(where, damage)
    (Path(where) / "manifests" / "b").write_bytes(b"junk")
    with pytest.raises(WrongKey if key else NotEncrypted):
        keyed("another passphrase")
    store = keyed(key)
    assert store.read(name) == WORDS
    assert store.read_manifest("a") == {"format": 1, "of": "a"}
    assert store.add(WORDS) == name
    assert (Path(where) / HEADER).read_bytes() == whole


def test_a_wrong_key_reads_little_of_few_manifests(keyed: Keyed, where: str) -> None:
    for number in range(10, 25):
        keyed(KEY).write_manifest(str(number), {"format": 1, "files": ["handbook.pdf"] * 1000})
    damage_header(where, "gone")
    asked: list[str] = []

    def read_beginning(storage: FolderStorage, name: str, size: int) -> bytes:
        asked.append(name)
        with storage.open(name) as file:
            return file.read(size)

    with (
        mock.patch.object(FolderStorage, "read_beginning", read_beginning),
        mock.patch.object(FolderStorage, "read", side_effect=FileNotFoundError),
        pytest.raises(WrongKey),
    ):
        keyed("another key")
    assert asked == [f"manifests/{number}" for number in range(24, 14, -1)]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_header_of_nothing_is_made_anew(keyed: Keyed, where: str, damage: str) -> None:
    keyed(KEY).add(WORDS)
    damage_header(where, damage)
    name = keyed(KEY).add(b"short")
    assert keyed(KEY).read(name) == b"short"


# As they were written when only the file of the store said how it is encrypted: all that lies there, by passphrase.
EARLIER_NAME = "2026-11-23T02-00-00-000000Z"
EARLIER = {
    KEY: {
        HEADER: b'{"format": 1, "salt": "eca98c34d8622c0b5830fb17a660ac0d", '
        b'"check": "6787e7a7d34b6dcfd75a13d4ec992b79e226db54933a1818e52ac1c8bcb741da"}',
        f"manifests/{EARLIER_NAME}": bytes.fromhex(
            "89377142f67b93d7df79291cca1b484019d3683481f81e597e723524621730814bf556eaec42dd614513b3ff78a40bdb32cd6e4f1a"
            "a22770c313f565f45b3836471adc64a3b1afcd602a679ebdec6f9cd2f2f91487e2eeecdf4ca5047d288f25e2b719cfaa6f0223832c"
            "347906bef8cf311e3793abd12db91f494cc7907e"
        ),
        "pieces/61/613c0b73b89afe4cd6a525bf80955a14b560fe67078edc136cebb9587dce6974": bytes.fromhex(
            "6eda5fdc09838e3bc8e3d4b4e022fe21430c68dbc43758eff1d80b82246a224a7fb9"
        ),
    },
    "": {
        HEADER: b'{"format": 1, "salt": "", "check": ""}',
        f"manifests/{EARLIER_NAME}": b"462df1750f532acea595fc06b89f026a5e4f35e0db9867c858d0dcdf1e4daa74\n"
        b'{"format":1,"files":["cover.md"]}',
        "pieces/fa/fa8d84566676ee2ee6627116304e7eef7c9b06875d230435a4b23264fcc34f98": b"pCover",
    },
}


@pytest.fixture
def earlier(where: str) -> Callable[[str], str]:
    """Lays out the backup of an earlier version under this passphrase. Gives the name of its piece."""

    def lay_out(key: str) -> str:
        for name, content in EARLIER[key].items():
            path = Path(where) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return max(EARLIER[key]).rpartition("/")[2]

    return lay_out


@pytest.mark.parametrize("key", ["", KEY])
def test_backups_of_earlier_versions_are_read_and_gone_on_with(
    keyed: Keyed, where: str, earlier: Callable[[str], str], key: str
) -> None:
    piece = earlier(key)
    store = keyed(key)
    assert store.read_manifest(EARLIER_NAME) == {"format": 1, "files": ["cover.md"]}
    assert store.read(piece) == b"Cover"
    assert files(where) == EARLIER[key]
    assert store.add(b"Cover") == piece
    store.write_manifest("2026-11-24", {"format": 1})
    # From now on the file of the store can be lost, also for the earlier backup.
    (Path(where) / HEADER).unlink()
    assert keyed(key).read_manifest(EARLIER_NAME) == {"format": 1, "files": ["cover.md"]}


@pytest.mark.parametrize("damage", ["cut off", "empty", "gone"])
def test_a_lost_header_of_earlier_versions_is_named(
    keyed: Keyed, where: str, earlier: Callable[[str], str], damage: str
) -> None:
    earlier(KEY)
    damage_header(where, damage)
    left = files(where)
    with pytest.raises(DamagedBackup, match=HEADER):
        keyed(KEY)
    assert files(where) == left


def test_full_disk(full_disk: Path) -> None:
    from lexic.infrastructure_errors import DiskFull

    with pytest.raises(DiskFull):
        BackupStore(FolderStorage(full_disk / "store")).add(WORDS)


def test_not_among_the_uploads(settings: Any, tmp_path: Path) -> None:
    settings.LEXIC_FILES_DIR = tmp_path / "files"
    with pytest.raises(NoTarget, match="among the uploads"):
        open_backup_store(str(tmp_path / "files" / "backups"))
    settings.S3 = {**settings.S3, "bucket": "ours", "prefix": "site"}
    for where in ("s3://ours/site", "s3://ours/site/backups"):
        with pytest.raises(NoTarget, match="among the uploads"):
            open_backup_store(where)
