"""Files that claim to be plugins: each is refused in one sentence, and leaves nothing behind."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from accounts.models import User
from marketplace.bundle import BadBundle, import_plugin
from tests.security.world import everything

pytestmark = pytest.mark.django_db

TEXT = b"Safety boots are worn on every site."
SHA = hashlib.sha256(TEXT).hexdigest()
DOCUMENT = {"title": "Rules", "file_name": "rules.md", "sha256": SHA}
GOOD: dict[str, Any] = {
    "format": "lexic-plugin",
    "version": 1,
    "plugin": {"name": "Boots", "domain": "safety", "system_prompt": "Brief."},
    "knowledge": {},
    "documents": [DOCUMENT],
    "trees": [{"name": "Tree", "tree_data": {"nodes": {}}, "cases": []}],
    "golden_questions": [{"question": "Boots?"}],
}


def bundle(manifest: Any = GOOD, members: Mapping[str, bytes] | None = None, **how: Any) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", **how) as archive:
        if manifest is not None:
            text = manifest if isinstance(manifest, bytes | str) else json.dumps(manifest)
            archive.writestr("manifest.json", text)
        for name, content in ({f"documents/{SHA}": TEXT} if members is None else members).items():
            archive.writestr(name, content)
    return target.getvalue()


def without(*path: str | int) -> Any:
    manifest = json.loads(json.dumps(GOOD))
    inner = manifest
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return manifest


def having(value: Any, *path: str | int) -> Any:
    manifest = json.loads(json.dumps(GOOD))
    inner = manifest
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return manifest


def stored_files() -> set[str]:
    root = Path(settings.LEXIC_FILES_DIR)
    return {path.name for path in root.rglob("*") if path.is_file()} if root.exists() else set()


@pytest.fixture
def refused(alice: User, settings: Any, tmp_path: Path) -> Callable[[bytes], BadBundle]:
    settings.LEXIC_FILES_DIR = tmp_path

    def refuse(content: bytes) -> BadBundle:
        rows, kept = everything(), stored_files()
        with pytest.raises(BadBundle) as caught:
            import_plugin(io.BytesIO(content), owner=alice)
        assert everything() == rows
        assert stored_files() == kept
        assert caught.value.message.count("\n") == 0
        assert caught.value.hint.startswith("Nothing was imported.")
        return caught.value

    return refuse


def test_the_good_one_is_good(alice: User) -> None:
    """Otherwise the tests below would be passed by a door that is always shut."""
    assert import_plugin(io.BytesIO(bundle()), owner=alice).plugin.name == "Boots"
    deflated = bundle(compression=zipfile.ZIP_DEFLATED)
    assert import_plugin(io.BytesIO(deflated), owner=alice).plugin.slug == "boots-1"


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "documents/../../x",
        "documents/",
        f"documents/{SHA}/x",
        f"documents/{SHA.upper()}",
        "documents\\x",
        "manifest.json/x",
        "other.txt",
        f"documents/{SHA}\n",
    ],
)
def test_no_name_leads_anywhere_else(refused: Callable[[bytes], BadBundle], name: str) -> None:
    assert "no export contains" in refused(bundle(members={f"documents/{SHA}": TEXT, name: b"x"})).message


def test_a_small_file_that_unpacks_to_a_large_one(refused: Callable[[bytes], BadBundle], settings) -> None:
    settings.LEXIC_MAX_DOCUMENT_BYTES = 1024 * 1024
    big = b"0" * (2 * 1024 * 1024)
    content = bundle(members={f"documents/{SHA}": big}, compression=zipfile.ZIP_DEFLATED)
    assert len(content) < 10_000
    assert "is larger than 1 MB" in refused(content).message


def test_a_size_that_is_understated(refused: Callable[[bytes], BadBundle]) -> None:
    """The list says 36 bytes, the compressed data holds two million."""
    big = b"0" * (2 * 1024 * 1024)
    content = bundle(members={f"documents/{SHA}": big}, compression=zipfile.ZIP_DEFLATED)
    real, said = struct.pack("<L", len(big)), struct.pack("<L", len(TEXT))
    assert content.count(real) == 2  # before the data, and in the list
    assert refused(content.replace(real, said)).message


def test_all_of_it_together_is_too_large(refused: Callable[[bytes], BadBundle], monkeypatch) -> None:
    monkeypatch.setattr("marketplace.bundle.archive.MAX_BYTES", 100)
    assert "Its contents are larger" in refused(bundle()).message


def test_a_manifest_without_end(refused: Callable[[bytes], BadBundle], monkeypatch) -> None:
    monkeypatch.setattr("marketplace.bundle.archive.MAX_MANIFEST_BYTES", 100)
    assert "manifest.json is larger" in refused(bundle()).message


def test_too_many_members_are_refused_before_they_are_listed(
    refused: Callable[[bytes], BadBundle], monkeypatch
) -> None:
    monkeypatch.setattr("marketplace.bundle.archive.MAX_DOCUMENTS", 20)
    monkeypatch.setattr(zipfile, "ZipFile", zipfile.ZipFile)
    many = bundle(members={f"documents/{number:064x}": b"x" for number in range(150)})
    monkeypatch.setattr(zipfile, "ZipFile", _not_to_be_opened)
    assert "more than 20 documents" in refused(many).message
    # The same file that says it holds one: the list of its members is too long for that.
    end = many.rindex(b"PK\x05\x06")
    lying = many[: end + 8] + struct.pack("<2H", 1, 1) + many[end + 12 :]
    assert "more than 20 documents" in refused(lying).message


def _not_to_be_opened(*args: Any) -> None:
    raise AssertionError("the list of members was read")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(refused: Callable[[bytes], BadBundle]) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("manifest.json", json.dumps(GOOD))
        archive.writestr(f"documents/{SHA}", TEXT)
        archive.writestr(f"documents/{SHA}", b"another")
    assert "two files of the same name" in refused(target.getvalue()).message


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing(refused: Callable[[bytes], BadBundle], way: int) -> None:
    assert "not supported" in refused(bundle(compression=way)).message


def test_a_document_that_is_not_what_its_name_says(refused: Callable[[bytes], BadBundle]) -> None:
    assert "is not what was exported" in refused(bundle(members={f"documents/{SHA}": b"other"})).message


def test_a_document_that_nobody_reads(refused: Callable[[bytes], BadBundle]) -> None:
    program = b"MZ\x00\x01"
    sha = hashlib.sha256(program).hexdigest()
    manifest = having([{"title": "Program", "file_name": "a.exe", "sha256": sha}], "documents")
    assert "“Program” cannot be read here" in refused(bundle(manifest, {f"documents/{sha}": program})).message


@pytest.mark.parametrize(
    "manifest",
    [
        None,
        b"",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"version": 1e999}',
        b'{"format": NaN}',
        json.dumps(having("nul\x00", "plugin", "name")),
        json.dumps(having("half \ud800", "plugin", "name")),
        having("other", "format"),
        having(2, "version"),
        having("1", "version"),
        *(without(key) for key in GOOD),
        having(1, "surprise"),
        without("plugin", "name"),
        without("plugin", "domain"),
        having("", "plugin", "name"),
        having("x" * 121, "plugin", "name"),
        having(7, "plugin", "name"),
        having(None, "plugin", "name"),
        having("loud", "plugin", "citation_mode"),
        having("", "plugin", "citation_mode"),
        having(0, "plugin", "top_k"),
        having(True, "plugin", "top_k"),
        having("8", "plugin", "top_k"),
        having(10**400, "plugin", "top_k"),
        having(2.0, "plugin", "threshold"),
        having(10**400, "plugin", "threshold"),
        having(-(10**400), "plugin", "evidence_threshold"),
        having(10**400, "plugin", "golden_share"),
        having([["a"]], "plugin", "synonyms"),
        having({"a": "b"}, "plugin", "synonyms"),
        having([], "plugin", "calibration"),
        having("no slug!", "plugin", "slug"),
        having("6f1e2a34-6f1e-4a34-8f1e-6f1e2a346f1e", "plugin", "slug"),
        having(True, "plugin", "is_published"),
        having("x", "plugin", "owner"),
        having("x", "plugin", "id"),
        having([], "plugin"),
        having([], "knowledge"),
        having(3, "knowledge", "language"),
        having({}, "documents"),
        having([1], "documents"),
        having([], "documents"),
        having([DOCUMENT, DOCUMENT], "documents"),
        having([{**DOCUMENT, "sha256": "0" * 64}], "documents"),
        having([{**DOCUMENT, "sha256": "../x"}], "documents"),
        having([{**DOCUMENT, "sha256": ["x"]}], "documents"),
        having([{**DOCUMENT, "url": "https://example.org/"}], "documents"),
        having([DOCUMENT, {"title": "Web", "url": "file:///etc/passwd"}], "documents"),
        having([{**DOCUMENT, "title": ""}], "documents"),
        having([{**DOCUMENT, "doc_date": "yesterday"}], "documents"),
        having([{**DOCUMENT, "tags": "a"}], "documents"),
        having([{**DOCUMENT, "tags": [["a"]]}], "documents"),
        having([{**DOCUMENT, "metadata": []}], "documents"),
        having([{**DOCUMENT, "is_public": 1}], "documents"),
        having([{**DOCUMENT, "status": "ready"}], "documents"),
        having([{}], "trees"),
        having([{"name": "T", "tree_data": [], "cases": []}], "trees"),
        having([{"name": "T", "tree_data": {}, "cases": {}}], "trees"),
        having([{"name": "T", "tree_data": {}, "cases": [{"facts": []}]}], "trees"),
        having([{"name": "", "tree_data": {}, "cases": []}], "trees"),
        having([{"name": "T", "tree_data": {}, "cases": []}] * 201, "trees"),
        having([{}], "golden_questions"),
        having([{"question": "Q?", "must_cite": [["a"]]}], "golden_questions"),
        having([{"question": "Q?", "must_cite": [["a", "1"]]}], "golden_questions"),
        having([{"question": "Q?", "facts": []}], "golden_questions"),
        having([{"question": "Q?", "expectation": "shout"}], "golden_questions"),
        having([{"question": "Q?", "must_contain": "boots"}], "golden_questions"),
        having([{"question": "Q?", "plugin": 1}], "golden_questions"),
    ],
    ids=str,
)
def test_a_manifest_that_is_not_one(refused: Callable[[bytes], BadBundle], manifest: Any) -> None:
    refused(bundle(manifest))


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06", b"PK\x05\x06" + b"\x00" * 18, b"x" * 100_000])
def test_what_is_no_zip(refused: Callable[[bytes], BadBundle], content: bytes) -> None:
    refused(content)


@limits(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_is_more_than_a_refusal(alice: User, data: st.DataObject) -> None:
    content = bytearray(bundle(compression=data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    with suppress(BadBundle):
        import_plugin(io.BytesIO(bytes(content[:cut] if data.draw(st.booleans()) else content)), owner=alice)
