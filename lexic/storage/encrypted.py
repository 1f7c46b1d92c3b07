"""Files that are encrypted before another storage keeps them, so that a stolen disk or bucket shows nothing but sizes.

An encrypted file is called as before with `.enc` at the end: 8 bytes that say which key it is under, 32 random bytes
from which, with that key and the file's name, the file's own key is derived, and pieces of 64 KiB under AES-256-GCM.
The nonce of a piece is its number, with a mark on the last one, so neither files nor pieces can be exchanged or cut off
unnoticed. Names stay readable: they are hashes and folders that the program makes. Files that were kept before there
was a key are read as they are.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from lexic import atomic_files
from lexic.infrastructure_errors import StorageUnavailable
from lexic.storage.base import Storage, StoredObject

SUFFIX = ".enc"
PIECE_BYTES = 64 * 1024
_KEY_ID_BYTES, _SALT_BYTES, _TAG_BYTES = 8, 32, 16
_HEADER_BYTES = _KEY_ID_BYTES + _SALT_BYTES
_SEALED_PIECE_BYTES = PIECE_BYTES + _TAG_BYTES


class UnreadableFile(StorageUnavailable):
    """A stored file is damaged."""

    hint = "Bring the file back from a backup."


class UnknownFilesKey(UnreadableFile):
    """A stored file is encrypted under a key that is not known."""

    hint = "Name its key in LEXIC_FILES_KEY_FALLBACKS, or bring the file back from a backup."


class EncryptedStorage(Storage):
    """`keys`: the first encrypts what is kept from now on; all of them decrypt."""

    def __init__(self, inner: Storage, *, keys: Sequence[str]) -> None:
        self._inner = inner
        self._keys = {_key_id(key): key.encode() for key in reversed(keys)}
        self._current = _key_id(keys[0])

    def new_file(self, folder: str = "") -> AbstractContextManager[IO[bytes]]:
        """A new file in this machine's folder for temporary files, not yet encrypted."""
        return atomic_files.temporary_file(Path(tempfile.gettempdir()))

    def keep(self, file: IO[bytes], name: str) -> None:
        file.flush()
        with Path(file.name).open("rb") as plain, self._inner.new_file(name.rpartition("/")[0]) as sealed:
            self._encrypt(plain, sealed, name)
            self._inner.keep(sealed, name + SUFFIX)
        self._inner.delete(name)

    def keep_and_open(self, file: IO[bytes], name: str) -> IO[bytes]:
        """As `keep`; what the other storage gives back is not fetched again."""
        file.flush()
        with Path(file.name).open("rb") as plain, self._inner.new_file(name.rpartition("/")[0]) as sealed:
            self._encrypt(plain, sealed, name)
            kept = self._inner.keep_and_open(sealed, name + SUFFIX)
        self._inner.delete(name)
        return self._decrypted(kept, name)

    def open(self, name: str) -> IO[bytes]:
        try:
            sealed = self._inner.open(name + SUFFIX)
        except FileNotFoundError:
            return self._inner.open(name)
        return self._decrypted(sealed, name)

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        with self.open(name) as file, self.new_file() as copy:
            while piece := file.read(PIECE_BYTES):
                copy.write(piece)
            copy.flush()
            yield Path(copy.name)

    def find(self, name: str) -> StoredObject | None:
        found = self._inner.find(name + SUFFIX)
        return _as_plain(found) if found else self._inner.find(name)

    def find_many(self, names: Collection[str]) -> Iterator[StoredObject]:
        left = set(names)
        for found in self._inner.find_many([name + SUFFIX for name in names]):
            left.discard(found.name.removesuffix(SUFFIX))
            yield _as_plain(found)
        yield from self._inner.find_many(left)

    def touch(self, name: str) -> bool:
        return self._inner.touch(name + SUFFIX) or self._inner.touch(name)

    def delete(self, name: str) -> None:
        self._inner.delete(name + SUFFIX)
        self._inner.delete(name)

    def delete_folder(self, folder: str) -> None:
        self._inner.delete_folder(folder)

    def files(self, beginning: str = "") -> Iterator[StoredObject]:
        for found in self._inner.files(beginning):
            yield _as_plain(found) if found.name.endswith(SUFFIX) else found

    def delete_unfinished(self, *, older_than: float) -> int:
        return self._inner.delete_unfinished(older_than=older_than)

    def check(self) -> str:
        return f"{self._inner.check()}, encrypted"

    def encrypt_anew(self, name: str) -> bool:
        """Whether the file was not yet encrypted under the present key, and now is. Raises `FileNotFoundError`."""
        if self._is_current(name):
            return False
        with self.open(name) as file, self.new_file() as copy:
            while piece := file.read(PIECE_BYTES):
                copy.write(piece)
            self.keep(copy, name)
        return True

    def _is_current(self, name: str) -> bool:
        try:
            with self._inner.open(name + SUFFIX) as sealed:
                return sealed.read(_KEY_ID_BYTES) == self._current
        except FileNotFoundError:
            return False

    def _decrypted(self, sealed: IO[bytes], name: str) -> IO[bytes]:
        try:
            return cast("IO[bytes]", io.BufferedReader(_DecryptedFile(sealed, self._keys, name), PIECE_BYTES))
        except BaseException:
            sealed.close()
            raise

    def _encrypt(self, plain: IO[bytes], sealed: IO[bytes], name: str) -> None:
        salt = os.urandom(_SALT_BYTES)
        cipher = _file_cipher(self._keys[self._current], salt, name)
        sealed.write(self._current + salt)
        number, piece = 0, plain.read(PIECE_BYTES)
        while True:
            following = plain.read(PIECE_BYTES)
            sealed.write(cipher.encrypt(_nonce(number, is_last=not following), piece, None))
            if not following:
                return
            number, piece = number + 1, following


class _DecryptedFile(io.RawIOBase):
    """Reads an encrypted file piece by piece, from anywhere. Raises `UnreadableFile`, `UnknownFilesKey`."""

    def __init__(self, sealed: IO[bytes], keys: dict[bytes, bytes], name: str) -> None:
        self._sealed = sealed
        header = sealed.read(_HEADER_BYTES)
        key = keys.get(header[:_KEY_ID_BYTES])
        if len(header) < _HEADER_BYTES:
            raise UnreadableFile
        if key is None:
            raise UnknownFilesKey
        self._cipher = _file_cipher(key, header[_KEY_ID_BYTES:], name)
        self._size = _plain_size(sealed.seek(0, os.SEEK_END))
        self._last = max(0, -(-self._size // PIECE_BYTES) - 1)
        self._position, self._piece_number, self._piece = 0, -1, b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, start + offset)
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        number, within = divmod(self._position, PIECE_BYTES)
        if self._position >= self._size:
            self._read_piece(self._last)  # also of an empty file: it proves that nothing was cut off
            return 0
        part = self._read_piece(number)[within : within + len(buffer)]
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

    def close(self) -> None:
        self._sealed.close()
        super().close()

    def _read_piece(self, number: int) -> bytes:
        if number != self._piece_number:
            self._sealed.seek(_HEADER_BYTES + number * _SEALED_PIECE_BYTES)
            sealed = self._sealed.read(_SEALED_PIECE_BYTES)
            try:
                self._piece = self._cipher.decrypt(_nonce(number, is_last=number == self._last), sealed, None)
            except InvalidTag:
                raise UnreadableFile from None
            self._piece_number = number
        return self._piece


def _key_id(key: str) -> bytes:
    return hashlib.sha256(b"lexic files key id" + key.encode()).digest()[:_KEY_ID_BYTES]


def _file_cipher(key: bytes, salt: bytes, name: str) -> AESGCM:
    info = b"lexic file " + name.encode()
    return AESGCM(HKDF(algorithm=hashes.SHA256(), length=32, salt=salt, info=info).derive(key))


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + (b"\x01" if is_last else b"\x00")


def _plain_size(sealed_size: int) -> int:
    """What a file of this size holds; an empty one has a piece too."""
    pieces = max(1, -(-(sealed_size - _HEADER_BYTES) // _SEALED_PIECE_BYTES))
    return max(0, sealed_size - _HEADER_BYTES - pieces * _TAG_BYTES)


def _as_plain(found: StoredObject) -> StoredObject:
    name = found.name.removesuffix(SUFFIX)
    return StoredObject(name=name, size=_plain_size(found.size), modified=found.modified)
