"""Files that claim to be shared releases: whatever they say of pages, passages and vectors is checked, and a refused
one leaves nothing behind."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from accounts.models import User
from knowledge.models import Chunk
from marketplace.bundle import BadBundle
from marketplace.bundle.archive import BundleArchive
from marketplace.sharing.installs import import_plugin_file
from tests.security.world import everything

pytestmark = pytest.mark.django_db

TEXT = "Safety boots are worn on every site."
BYTES = TEXT.encode()
SHA = hashlib.sha256(BYTES).hexdigest()
PAGE = [1, TEXT, None, SHA]
COMMIT = "c0ffee00" * 5
CHUNK = [1, 0, len(TEXT), ["Rules"], 1]
VECTOR = np.eye(1, 384, dtype="<f2").tobytes()


def joined(pages: list[Any], chunks: list[Any]) -> bytes:
    rows = [json.dumps(one) for one in pages]
    return "\n".join([*rows, "", *(json.dumps(one) for one in chunks), ""]).encode()


def made(*, pages: Any = (PAGE,), chunks: Any = (CHUNK,), vectors: bytes = VECTOR, read: bytes | None = None) -> bytes:
    lines = joined(list(pages), list(chunks)) if read is None else read
    return packed(manifest(lines, vectors), {"read/0.jsonl": lines, "vectors/0.f16": vectors})


def manifest(lines: bytes, vectors: bytes = VECTOR, **more: Any) -> dict[str, Any]:
    return {
        "format": "lexic-plugin",
        "version": 2,
        "made_from": {"name": "Boots", "author": "Alice", "version": "1.0.0"},
        "plugin": {"name": "Boots", "domain": "safety", "system_prompt": "Brief."},
        "knowledge": [{"embedder": "local", "language": "english", "dimensions": 384}],
        "documents": [
            {
                "title": "Rules",
                "file_name": "rules.md",
                "sha256": SHA,
                "base": 0,
                "source_type": "markdown",
                "is_paged": False,
                "read": hashlib.sha256(lines).hexdigest(),
                "vectors": hashlib.sha256(vectors).hexdigest(),
            }
        ],
        "trees": [],
        "golden_questions": [],
        **more,
    }


def packed(said: Any, members: dict[str, bytes], **how: Any) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", **how) as archive:
        archive.writestr("manifest.json", json.dumps(said))
        for name, content in ({f"documents/{SHA}": BYTES} | members).items():
            archive.writestr(name, content)
    return target.getvalue()


def stored_files() -> set[str]:
    root = Path(settings.LEXIC_FILES_DIR)
    return {path.name for path in root.rglob("*") if path.is_file()} if root.exists() else set()


@pytest.fixture
def refused(alice: User, settings: Any, tmp_path: Path) -> Callable[[bytes], str]:
    settings.LEXIC_FILES_DIR = tmp_path

    def refuse(content: bytes) -> str:
        rows = everything()
        with pytest.raises(BadBundle) as caught:
            import_plugin_file(io.BytesIO(content), owner=alice)
        assert everything() == rows
        assert caught.value.message.count("\n") == 0
        return caught.value.message

    return refuse


def test_the_good_one_is_good(alice: User) -> None:
    """Otherwise the tests below would be passed by a door that is always shut."""
    imported = import_plugin_file(io.BytesIO(made()), owner=alice)
    assert (imported.plugin.name, imported.unfinished) == ("Boots", 1)
    assert Chunk.objects.get(document__knowledge_base__plugin=imported.plugin).content == TEXT


@pytest.mark.parametrize(
    "page",
    [
        [],
        {},
        "x",
        PAGE[:3],
        [0, *PAGE[1:]],
        [-1, *PAGE[1:]],
        [True, *PAGE[1:]],
        [1.0, *PAGE[1:]],
        [2**31, *PAGE[1:]],
        [1, 7, None, SHA],
        [1, "nul\x00", None, SHA],
        [1, "half \ud800", None, SHA],
        [1, TEXT, None, "0" * 64],
        [1, TEXT, None, "../../etc/passwd"],
        [1, TEXT, None, [SHA]],
        [1, TEXT, {}, SHA],
        [1, TEXT, [[0, 1]], SHA],
        [1, TEXT, [[0, 10**6, 0, 0, 1, 1]], SHA],
        [1, TEXT, [[5, 1, 0, 0, 1, 1]], SHA],
        [1, TEXT, [[-1, 1, 0, 0, 1, 1]], SHA],
        [1, TEXT, [[0, 1, 1e99, 0, 1, 1]], SHA],
        [1, TEXT, [[0, 1, "0", 0, 1, 1]], SHA],
        [1, TEXT, [[0, True, 0, 0, 1, 1]], SHA],
        [*PAGE, ""],
        [*PAGE, 7],
        [*PAGE, "slide\n2"],
        [*PAGE, "slide " * 20],
        [*PAGE, "half \ud800"],
        [*PAGE, {"label": "", "ocr": {"confidence": 1.5, "unsure": [], "leftOut": 0}}],
        [*PAGE, {"label": "", "ocr": {"confidence": 10**400, "unsure": [], "leftOut": 0}}],
        [*PAGE, {"label": "", "ocr": {"confidence": 1, "unsure": [[0, 10**400]], "leftOut": 0}}],
        [*PAGE, "", COMMIT],
        [*PAGE, 7, COMMIT],
        [*PAGE, "a" * 2001, COMMIT],
        [*PAGE, "a\n.py", COMMIT],
        [*PAGE, "half \ud800", COMMIT],
        [*PAGE, "/etc/passwd", COMMIT],
        [*PAGE, "src/../../etc/passwd", COMMIT],
        [*PAGE, "a.py", 7],
        [*PAGE, "a.py", "main"],
        [*PAGE, "a.py", COMMIT * 2],
    ],
    ids=str,
)
def test_a_page_that_is_not_one(refused: Callable[[bytes], str], page: Any) -> None:
    refused(made(pages=[page]))


@pytest.mark.parametrize("pages", [[], [PAGE, PAGE], [[2, *PAGE[1:]], PAGE]], ids=["none", "twice", "backwards"])
def test_pages_that_are_in_no_order(refused: Callable[[bytes], str], pages: Any) -> None:
    refused(made(pages=pages))


@pytest.mark.parametrize(
    "chunk",
    [
        [],
        "x",
        CHUNK[:4],
        [2, *CHUNK[1:]],
        [True, *CHUNK[1:]],
        [[1], *CHUNK[1:]],
        [1, 5, 5, [], 1],
        [1, 6, 5, [], 1],
        [1, -1, 5, [], 1],
        [1, 0, len(TEXT) + 1, [], 1],
        [1, 0, 2**63, [], 1],
        [1, 0, 5.0, [], 1],
        [1, 0, 5, "Rules", 1],
        [1, 0, 5, [7], 1],
        [1, 0, 5, ["x" * 201], 1],
        [1, 0, 5, ["x"] * 41, 1],
        [1, 0, 5, [], -1],
        [1, 0, 5, [], 10**6],
        [1, 0, 5, [], 2],
        [1, 0, 5, [], 0],
        [1, 0, 5, [], True],
    ],
    ids=str,
)
def test_a_chunk_that_is_no_span_of_its_page(refused: Callable[[bytes], str], chunk: Any) -> None:
    refused(made(chunks=[chunk]))


def test_a_document_without_chunks(refused: Callable[[bytes], str]) -> None:
    refused(made(chunks=[], vectors=b""))


def vector(*numbers: float) -> bytes:
    return np.array([*numbers, *[0.0] * (384 - len(numbers))], dtype="<f2").tobytes()


@pytest.mark.parametrize(
    "vectors",
    [
        b"",
        VECTOR[:-1],
        VECTOR[:-2],
        VECTOR + b"\x00",
        VECTOR * 2,
        vector(0.0),
        vector(2.0),
        vector(0.5),
        vector(float("nan")),
        vector(float("inf")),
        vector(1.0, float("nan")),
    ],
    ids=range(11),
)
def test_vectors_that_are_none(refused: Callable[[bytes], str], vectors: bytes) -> None:
    assert "vectors/0.f16" in refused(made(vectors=vectors))


@pytest.mark.parametrize("name", ["read/0.jsonl", "vectors/0.f16", f"documents/{SHA}"])
def test_what_is_not_what_its_hash_says(refused: Callable[[bytes], str], name: str) -> None:
    lines = joined([PAGE], [CHUNK])
    other = {"read/0.jsonl": joined([PAGE], [[1, 0, 5, [], 1]]), "vectors/0.f16": vector(0.0, 1.0)}
    members = {"read/0.jsonl": lines, "vectors/0.f16": VECTOR} | {name: other.get(name, b"Other.")}
    assert "is not what was exported" in refused(packed(manifest(lines), members))


@pytest.mark.parametrize("read", [b"", b"\n", b"{", b"[" * 100_000, b"\xff\xfe", b"\n\n", joined([PAGE], [CHUNK])[:-1]])
def test_lines_that_cannot_be_read(refused: Callable[[bytes], str], read: bytes) -> None:
    refused(made(read=read))


def test_a_line_without_end(refused: Callable[[bytes], str], monkeypatch) -> None:
    monkeypatch.setattr("marketplace.bundle.archive.MAX_LINE_BYTES", 10)
    assert "a line that is too long" in refused(made(read=json.dumps(PAGE).encode()))


def test_a_small_file_that_unpacks_to_a_large_one(refused: Callable[[bytes], str], monkeypatch) -> None:
    monkeypatch.setattr("marketplace.bundle.archive.MAX_INGEST_FILE_BYTES", 1024 * 1024)
    lines = joined([[1, "0" * (2 * 1024 * 1024), None, SHA]], [CHUNK])
    members = {"read/0.jsonl": lines, "vectors/0.f16": VECTOR}
    content = packed(manifest(lines), members, compression=zipfile.ZIP_DEFLATED)
    assert len(content) < 10_000
    assert "is larger than 1 MB" in refused(content)


def test_one_text_in_many_passages_is_not_gone_through_again_and_again(refused: Callable[[bytes], str]) -> None:
    assert "too many chunks" in refused(made(chunks=[[1, 0, len(TEXT), [], 0]] * 5, vectors=b""))


def test_a_line_is_not_read_that_would_become_many_times_as_large(
    refused: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    boxed = [1, TEXT, [[0, 1, 0, 0, 1, 1]] * 4, SHA]
    monkeypatch.setattr("marketplace.bundle.document_content.MAX_WORDS", 3)
    assert "more than 3 words" in refused(made(pages=[boxed]))
    monkeypatch.setattr("marketplace.bundle.document_content.MAX_LISTS_PER_LINE", 5)
    assert "holds too much" in refused(made(pages=[boxed]))
    monkeypatch.setattr("marketplace.bundle.document_content.MAX_LISTS_PER_LINE", 6)
    monkeypatch.setattr("marketplace.bundle.document_content.MAX_VALUES_PER_LINE", 20)
    assert "holds too much" in refused(made(pages=[boxed]))


def test_bytes_of_many_documents_are_compared_once(alice: User, settings: Any, monkeypatch: Any) -> None:
    lines, count = joined([PAGE], [CHUNK]), 5
    said = manifest(lines, knowledge=GOOD["knowledge"] * count)
    said["documents"] = [{**said["documents"][0], "base": number} for number in range(count)]
    members = {f"read/{number}.jsonl": lines for number in range(count)}
    members |= {f"vectors/{number}.f16": VECTOR for number in range(count)}
    compared: list[str] = []
    check = BundleArchive.check_document
    monkeypatch.setattr(BundleArchive, "check_document", lambda self, name: compared.append(name) or check(self, name))
    assert import_plugin_file(io.BytesIO(packed(said, members)), owner=alice).documents == count
    assert compared == [SHA]


@pytest.mark.parametrize(
    "name", ["read/1.jsonl", "read/00.jsonl", "read/x.jsonl", "vectors/../0.f16", "read/0.jsonl/x"]
)
def test_members_that_belong_to_no_document(refused: Callable[[bytes], str], name: str) -> None:
    lines = joined([PAGE], [CHUNK])
    refused(packed(manifest(lines), {"read/0.jsonl": lines, "vectors/0.f16": VECTOR, name: b"x"}))


@pytest.mark.parametrize("missing", ["read/0.jsonl", "vectors/0.f16", f"documents/{SHA}"])
def test_members_that_are_missing(refused: Callable[[bytes], str], missing: str) -> None:
    lines = joined([PAGE], [CHUNK])
    target, members = io.BytesIO(), {f"documents/{SHA}": BYTES, "read/0.jsonl": lines, "vectors/0.f16": VECTOR}
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest(lines)))
        for name in members.keys() - {missing}:
            archive.writestr(name, members[name])
    refused(target.getvalue())


GOOD = manifest(joined([PAGE], [CHUNK]))


def document(**more: Any) -> dict[str, Any]:
    return {"documents": [{**GOOD["documents"][0], **more}]}


def base(**more: Any) -> dict[str, Any]:
    return {"knowledge": [{**GOOD["knowledge"][0], **more}]}


@pytest.mark.parametrize(
    "change",
    [
        {"version": 3},
        {"version": 2.0},
        {"version": True},
        {"made_from": None},
        {"made_from": {}},
        {"made_from": {"name": "x" * 121, "author": "", "version": ""}},
        {"made_from": {"name": 1, "author": "", "version": ""}},
        {"made_from": {**GOOD["made_from"], "original": "x"}},
        {"knowledge": {}},
        {"knowledge": []},
        {"knowledge": [1]},
        {"knowledge": [{"embedder": "local"}]},
        {"knowledge": GOOD["knowledge"] * 51},
        base(dimensions="384"),
        base(dimensions=True),
        base(owner=1),
        base(embedder=""),
        {"documents": GOOD["documents"] * 2},
        {"documents": []},
        document(base=1),
        document(base=-1),
        document(base=True),
        document(base="0"),
        document(is_paged=1),
        document(source_type="exe"),
        document(source_type="pdf"),
        document(source_type="url"),
        document(source_type=["markdown"]),
        document(url="file:///etc/passwd"),
        document(url="file:///etc/passwd", source_type="url"),
        document(title=""),
        document(sha256="0" * 64),
        document(sha256="../x"),
        document(sha256=["x"]),
        document(read=""),
        document(read=None),
        document(vectors="x" * 64),
        document(status="ready"),
        document(added_in=1),
        document(surprise=1),
        {"plugin": {**GOOD["plugin"], "is_shared": True}},
        {"plugin": {**GOOD["plugin"], "owner": "x"}},
        {"plugin": {"name": "Boots"}},
        {"golden_questions": [{"question": "Q?", "plugin": 1}]},
        {"trees": [{"name": "T", "tree_data": [], "cases": []}]},
    ],
    ids=str,
)
def test_a_manifest_that_is_not_one(refused: Callable[[bytes], str], change: dict[str, Any]) -> None:
    lines = joined([PAGE], [CHUNK])
    refused(packed({**GOOD, **change}, {"read/0.jsonl": lines, "vectors/0.f16": VECTOR}))


def test_a_draft_holds_nothing_that_was_made(refused: Callable[[bytes], str]) -> None:
    said = {**GOOD, "version": 1, "knowledge": {}, "documents": []}
    del said["made_from"]
    refused(packed(said, {"read/0.jsonl": b"x"}))


@limits(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_is_more_than_a_refusal(alice: User, data: st.DataObject) -> None:
    lines = joined([PAGE], [CHUNK])
    members = {"read/0.jsonl": lines, "vectors/0.f16": VECTOR}
    how = data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    content = bytearray(packed(manifest(lines), members, compression=how))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BadBundle):
        import_plugin_file(io.BytesIO(bytes(content)), owner=alice)
