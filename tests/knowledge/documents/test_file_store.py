from __future__ import annotations

import hashlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.documents import file_store
from knowledge.documents.file_store import FileTooLarge, store_file, stored_name
from lexic.errors import InvalidInput
from tests.stored_files import stored_path


@pytest.fixture(autouse=True)
def folder(tmp_path, settings):
    settings.LEXIC_FILES_DIR = tmp_path / "files"
    return settings.LEXIC_FILES_DIR


def everything_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_is_named_by_its_content(folder):
    digest = hashlib.sha256(b"hello").hexdigest()
    stored = store_file(io.BytesIO(b"hello"), max_bytes=5)
    assert (stored.sha256, stored.size) == (digest, 5)
    assert everything_in(folder) == [f"{digest[:2]}/{digest}"]
    with file_store.open_stored(digest) as file:
        assert file.read() == b"hello"


def test_the_same_bytes_are_kept_once(folder):
    assert store_file(io.BytesIO(b"hello"), max_bytes=9) == store_file(io.BytesIO(b"hello"), max_bytes=9)
    assert len(everything_in(folder)) == 1


def test_a_file_over_the_limit_leaves_nothing_behind(folder):
    with pytest.raises(FileTooLarge) as caught:
        store_file(io.BytesIO(b"hello"), max_bytes=4)
    assert (caught.value.status, everything_in(folder)) == (413, [])


def test_reading_stops_at_the_limit():
    class Endless:
        given = 0

        def read(self, size: int) -> bytes:
            self.given += size
            return b"x" * size

    endless = Endless()
    with pytest.raises(FileTooLarge):
        store_file(endless, max_bytes=3 * file_store._BLOCK_BYTES)
    assert endless.given == 4 * file_store._BLOCK_BYTES


def test_a_broken_upload_leaves_nothing_behind(folder):
    class Broken:
        def read(self, size: int) -> bytes:
            raise OSError("connection lost")

    with pytest.raises(OSError, match="connection lost"):
        store_file(Broken(), max_bytes=100)
    assert everything_in(folder) == []


def test_files_are_readable_by_nobody_else():
    stored = store_file(io.BytesIO(b"x"), max_bytes=1)
    assert stored_path(stored.sha256).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../../etc/passwd",
        "/etc/passwd",
        "a" * 63,
        "a" * 65,
        "A" * 64,
        "a" * 64 + "\n",
        "a" * 63 + "\0",
        "．" * 64,
    ],
)
def test_f1_nothing_but_a_hash_is_a_name(name):
    with pytest.raises(InvalidInput):
        stored_name(name)


@given(st.text())
def test_f1_no_text_leads_out_of_the_store(name):
    with pytest.raises(InvalidInput):
        stored_name(name)
