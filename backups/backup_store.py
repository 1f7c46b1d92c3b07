"""The backup store keeps backups as pieces, each under the hash of its content, so that unchanged content is stored
once.

Beside the pieces are a file that says how they are encrypted, and a manifest for each backup, which says that too. The
manifest is written last: a backup without a manifest does not exist.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import zlib
from collections.abc import Callable, Collection, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from django.conf import settings

from backups.backup_errors import DamagedBackup, NoBackup, NoTarget, NotEncrypted, WrongKey
from backups.encryption_header import MOST_BYTES, EncryptionHeader, without_header
from lexic.storage import Storage
from lexic.storage.folder import FolderStorage
from lexic.storage.s3 import connect_s3

FORMAT = 1
# The most bytes of a piece before it is packed: what is held in memory at once.
PIECE_BYTES = 8 * 1024 * 1024
_HEADER, _MANIFESTS, _PIECES = "lexic-backups.json", "manifests", "pieces"
_NONCE_BYTES = 12
# The newest manifests that are asked how the store is encrypted: one whose first line is whole is enough.
_MOST_ASKED = 10
# A piece that has been in writing for longer than this was abandoned.
_UNFINISHED_SECONDS = 24 * 3600.0
_PACKED, _PLAIN = b"z", b"p"
_UNPACK: dict[bytes, Callable[[bytes], bytes]] = {_PACKED: zlib.decompress, _PLAIN: bytes}


@dataclass(frozen=True)
class _Keys:
    """One names pieces, so that their names say nothing of what is in them; the other one encrypts."""

    naming: bytes
    encrypting: bytes

    @classmethod
    def derived(cls, key: str, *, salt: bytes) -> _Keys:
        both = Scrypt(salt=salt, length=64, n=2**15, r=8, p=1).derive(key.encode())
        return cls(both[:32], both[32:])

    def check(self) -> str:
        """Tells the right key from a wrong one."""
        return hmac.digest(self.naming, b"lexic-backups", "sha256").hex()


class BackupStore:
    """The backups of one site in a storage. Raises `WrongKey`, `NotEncrypted` and `DamagedBackup` when it is opened.

    Opening and reading write nothing. The first piece that is added makes the store one with this key or without; or
    it mends the file that says how the store is encrypted.
    """

    def __init__(self, storage: Storage, *, key: str = "") -> None:
        self._storage, self._key = storage, key
        self._header, self._keys, self._is_sound = self._read_header()
        self._known: set[str] | None = None

    def add(self, content: bytes) -> str:
        """Keep these bytes, unless they are kept already. Returns the name of the piece."""
        self._create_store()
        name = self._name(content)
        if not self.has([name]):
            packed = zlib.compress(content, 1)
            body = _PACKED + packed if len(packed) < len(content) else _PLAIN + content
            self._storage.save(self._sealed(body, name), _path(name))
            self._names().add(name)
        return name

    def has(self, names: Collection[str]) -> bool:
        """Whether all these pieces are there; not whether they are what they were."""
        return self._names().issuperset(names)

    def read(self, name: str) -> bytes:
        """What was added under this name. Raises `DamagedBackup` where it is not there, or not what it was."""
        try:
            body = self._unsealed(self._storage.read(_path(name)), name)
            content = _UNPACK[body[:1]](body[1:])
        except (FileNotFoundError, KeyError, zlib.error) as error:
            raise DamagedBackup(f"Piece {name} is missing or damaged.") from error
        if self._name(content) != name:
            raise DamagedBackup(f"Piece {name} is damaged.")
        return content

    def write_manifest(self, name: str, manifest: dict[str, Any]) -> None:
        """Writes the manifest of this name: with it the backup exists."""
        header = self._create_store()
        content = json.dumps(manifest, ensure_ascii=False, separators=(",", ":")).encode()
        body = hashlib.sha256(content).hexdigest().encode() + b"\n" + content
        self._storage.save(header.as_line() + b"\n" + self._sealed(body, name), f"{_MANIFESTS}/{name}")

    def read_manifest(self, name: str) -> dict[str, Any]:
        """Raises `NoBackup`, `DamagedBackup`."""
        try:
            body = self._unsealed(without_header(self._storage.read(f"{_MANIFESTS}/{name}")), name)
        except FileNotFoundError:
            raise NoBackup from None
        digest, _, content = body.partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() != digest:
            raise DamagedBackup(f"The manifest of backup {name} is damaged.")
        manifest: dict[str, Any] = json.loads(content)
        if manifest["format"] > FORMAT:
            raise NoBackup("This backup is in a format of a newer version of Lexic.")
        return manifest

    def backups(self) -> list[str]:
        """The names of the whole ones, the oldest first."""
        return _backup_names(self._storage)

    def delete_manifest(self, name: str) -> None:
        self._storage.delete(f"{_MANIFESTS}/{name}")

    def delete_piece(self, name: str) -> None:
        """The next backup that has this content writes it again."""
        self._storage.delete(_path(name))
        self._names().discard(name)

    def delete_other_pieces(self, needed: Set[str]) -> None:
        """Deletes all but these, and what was never written to its end."""
        for name in self._names() - needed:
            self.delete_piece(name)
        self._storage.delete_unfinished(older_than=_UNFINISHED_SECONDS)

    def _names(self) -> set[str]:
        if self._known is None:
            self._known = {found.name.rpartition("/")[2] for found in self._storage.files(f"{_PIECES}/")}
        return self._known

    def _read_header(self) -> tuple[EncryptionHeader | None, _Keys | None, bool]:
        """How the store is encrypted and its keys, from its file, or from a manifest where that is damaged or gone; and
        whether the file is sound. No header where there is no store yet."""
        stored = self._stored_header()
        own = EncryptionHeader.parse(stored)
        if own and own.as_line() == stored:
            return own, self._keys_of(own), True
        tried: set[EncryptionHeader] = set()
        for header in self._possible_headers(own):
            if header not in tried:
                tried.add(header)
                with suppress(WrongKey):
                    return header, self._keys_of(header), False
        if tried:
            raise WrongKey
        if self.backups():
            raise DamagedBackup(
                f"The file {_HEADER}, which says how these backups are encrypted, is damaged or missing.",
                hint="Copy it from another copy of these backups, or name another place for new ones.",
            )
        return None, None, False

    def _stored_header(self) -> bytes:
        try:
            return self._storage.read(_HEADER)
        except FileNotFoundError:
            return b""

    def _possible_headers(self, own: EncryptionHeader | None) -> Iterator[EncryptionHeader]:
        if own:
            yield own
        for name in self.backups()[: -_MOST_ASKED - 1 : -1]:
            with suppress(FileNotFoundError):
                beginning = self._storage.read_beginning(f"{_MANIFESTS}/{name}", MOST_BYTES)
                if header := EncryptionHeader.of_manifest(beginning):
                    yield header

    def _keys_of(self, header: EncryptionHeader) -> _Keys | None:
        if not header.salt:
            if self._key:
                raise NotEncrypted
            return None
        keys = _Keys.derived(self._key, salt=header.salt) if self._key else None
        if keys is None or not hmac.compare_digest(keys.check().encode(), header.check.encode()):
            raise WrongKey
        return keys

    def _create_store(self) -> EncryptionHeader:
        """Makes the store, or mends its file, unless it is sound. Whoever writes is alone: `create_backup` sees to
        that."""
        if not self._is_sound:
            self._header, self._keys, self._is_sound = self._read_header()  # another process may have made it
        header = self._header or self._new_header()
        if not self._is_sound:
            self._storage.save(header.as_line(), _HEADER)
            self._header, self._is_sound = header, True
        return header

    def _new_header(self) -> EncryptionHeader:
        salt = os.urandom(16) if self._key else b""
        self._keys = _Keys.derived(self._key, salt=salt) if self._key else None
        return EncryptionHeader(salt, self._keys.check() if self._keys else "")

    def _name(self, content: bytes) -> str:
        if self._keys:
            return hmac.digest(self._keys.naming, content, "sha256").hex()
        return hashlib.sha256(content).hexdigest()

    def _sealed(self, body: bytes, name: str) -> bytes:
        if not self._keys:
            return body
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + AESGCM(self._keys.encrypting).encrypt(nonce, body, name.encode())

    def _unsealed(self, stored: bytes, name: str) -> bytes:
        if not self._keys:
            return stored
        nonce, sealed = stored[:_NONCE_BYTES], stored[_NONCE_BYTES:]
        try:
            return AESGCM(self._keys.encrypting).decrypt(nonce, sealed, name.encode())
        except (InvalidTag, ValueError) as error:
            raise DamagedBackup(f"{name} is damaged.") from error


def open_backup_store(where: str = "") -> BackupStore:
    """The backups in this folder or bucket, by default those of the settings. Raises `NoTarget`, `WrongKey`,
    `NotEncrypted`, `DamagedBackup`, `StorageUnavailable`."""
    return BackupStore(_open_place(where), key=settings.BACKUPS["key"])


def backup_names(where: str = "") -> list[str]:
    """As `BackupStore.backups`, without a key. Raises `NoTarget`, `StorageUnavailable`."""
    return _backup_names(_open_place(where))


def _backup_names(storage: Storage) -> list[str]:
    return sorted(found.name.rpartition("/")[2] for found in storage.files(f"{_MANIFESTS}/"))


def _open_place(where: str) -> Storage:
    where = where or settings.BACKUPS["to"]
    if not where:
        raise NoTarget
    if where.startswith("s3://"):
        bucket, _, prefix = where.removeprefix("s3://").partition("/")
        if not bucket:
            raise NoTarget("This address names no bucket.")
        place = {"bucket": bucket, "prefix": prefix.strip("/"), **settings.BACKUPS["s3"]}
        is_among_uploads = _is_below_uploads(place)
        storage: Storage = connect_s3(**place)
    else:
        folder = Path(where).expanduser().resolve()
        is_among_uploads = not settings.S3["bucket"] and folder.is_relative_to(Path(settings.LEXIC_FILES_DIR).resolve())
        storage = FolderStorage(folder)
    if is_among_uploads:
        raise NoTarget("Backups cannot be kept among the uploads that they are made of.")
    return storage


def _is_below_uploads(place: dict[str, Any]) -> bool:
    uploads = settings.S3
    is_same_bucket = all(place[name] == uploads[name] for name in ("bucket", "endpoint_url"))
    return is_same_bucket and (not uploads["prefix"] or f"{place['prefix']}/".startswith(f"{uploads['prefix']}/"))


def pieces_of(stream: Any) -> Iterator[bytes]:
    """The content of an open file, cut into pieces."""
    while content := stream.read(PIECE_BYTES):
        yield content


def _path(name: str) -> str:
    return f"{_PIECES}/{name[:2]}/{name}"
