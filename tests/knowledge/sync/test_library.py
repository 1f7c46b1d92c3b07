"""A repository with a library becomes documents: written by the real commands, and by hand."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from knowledge.models import Chunk, Document, KnowledgeBase, Source, SourceType
from knowledge.source_models import SourceKind
from knowledge.sync import library_files
from tests.knowledge.bases import CountingEmbedder
from tests.knowledge.sync.folders import note, synced, text_of
from tests.knowledge.sync.library_commands import lexi, lexictl, write_file
from tests.linear_time import grows_linearly

TOKENS = '''"""Refresh tokens are rotated at every use."""

LIFETIME = 3600


def rotate(token: str) -> str:
    return token[::-1]


class TokenStore:
    def refreshToken(self, name: str) -> str:
        return rotate(name)
'''
COMMIT = "a" * 40


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project with a library, a concept and a post, all written by the commands."""
    root = tmp_path / "shop"
    write_file(root, "src/auth/tokens.py", TOKENS)
    write_file(
        root, "src/auth/login.py", '"""People sign in."""\n\nfrom auth.tokens import rotate\n\nX = rotate("a")\n'
    )
    write_file(root, "src/auth/__init__.py", "")
    write_file(root, ".git/HEAD", COMMIT + "\n")
    lexictl(root, "init", "--defaults")
    lexi(root, "concept", "new", "Token Rotation", "--tag", "auth", "--alias", "rotation")
    lexi(root, "stack", "post", "--title", "Tokens expire early", "--tag", "auth", "--problem", "They expire at noon.")
    lexictl(root, "update")
    return root


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A library that somebody wrote by hand."""
    root = tmp_path / "written"
    write_file(root, "a.py", "def first() -> int:\n    return 1\n")
    write_design(root, "a.py")
    return root


def write_design(root: Path, source: str, *, meta: str = "", body: str = "", library_path: str = "") -> Path:
    meta = meta or f"source: {source}\nsource_hash: {_hash_of(root / source)}"
    text = f'---\ndescription: "What {source} does."\nupdated_by: agent\n---\n\n# {source}\n\n{body}\n'
    return write_file(
        root, f".lexibrary/{library_path or source + '.md'}", f"{text}\n<!-- lexibrarian:meta\n{meta}\n-->\n"
    )


def _hash_of(place: Path) -> str:
    return hashlib.sha256(place.read_bytes()).hexdigest() if place.is_file() else "0" * 64


# --- What the commands write -------------------------------------------------------------------------------------


def test_every_kind_of_file_becomes_a_document_of_its_type(base: KnowledgeBase, repository: Path) -> None:
    report = synced(base, repository)
    assert Source.objects.get().kind == SourceKind.LIBRARY
    assert report.commit == COMMIT
    assert not report.problems
    types = dict(Document.objects.present().values_list("file_name", "doc_type"))
    assert types["src/auth/tokens.py"] == "source"
    assert types[".lexibrary/src/auth/tokens.py.md"] == "design"
    assert types[".lexibrary/concepts/TokenRotation.md"] == "concept"
    assert types[".lexibrary/src/auth/.aindex"] == "directory"
    assert [types[path] for path in types if "/stack/ST-001" in path] == ["stack"]


def test_a_source_is_kept_line_for_line_and_cut_at_its_functions(base: KnowledgeBase, repository: Path) -> None:
    synced(base, repository)
    source = note(base, "src/auth/tokens.py")
    page = source.pages.get()
    assert source.source_type == SourceType.CODE
    assert page.text == TOKENS
    assert (page.repository_path, page.commit) == ("src/auth/tokens.py", COMMIT)
    assert page.source_sha256 == _hash_of(repository / "src/auth/tokens.py")
    cut = {tuple(chunk.section_path): chunk.content.split("\n")[0] for chunk in source.chunks.all()}
    assert cut[("rotate",)] == "def rotate(token: str) -> str:"
    assert cut[("TokenStore", "refreshToken")] == "class TokenStore:"  # a heading is never alone


def test_of_a_design_file_the_description_and_the_interface_are_searched_and_all_lines_are_kept(
    base: KnowledgeBase, repository: Path
) -> None:
    synced(base, repository)
    design = note(base, ".lexibrary/src/auth/login.py.md")
    assert text_of(design) == (repository / design.file_name).read_text()
    searched = "\n".join(design.chunks.values_list("content", flat=True))
    assert "People sign in." in searched
    assert not [word for word in ("lexibrarian:meta", "updated_by", "lexi lookup", "- src/auth") if word in searched]
    assert design.metadata["source"] == "src/auth/login.py"
    assert design.metadata["dependencies"] == ["src/auth/tokens.py"]


def test_what_no_site_would_import_again_is_left_out(base: KnowledgeBase, repository: Path) -> None:
    """A picture in SVG is refused where a bundle is read, as is a path that cannot be printed."""
    for source in ("src/logo.svg", "src/no\u00a0break.py"):
        write_file(repository, source, "<svg><title>Logo of the house</title></svg>\n")
        write_file(
            repository, f".lexibrary/{source}.md", f"# {source}\n\n<!-- lexibrarian:meta\nsource: {source}\n-->\n"
        )
    report = synced(base, repository)
    left_out = dict(report.left_out)
    assert "SVG" in left_out["src/logo.svg"]
    assert "printed" in left_out[".lexibrary/src/no\u00a0break.py.md"]
    assert not base.documents.filter(file_name="src/logo.svg").exists()


def test_nothing_between_a_description_and_the_text_is_searched(base: KnowledgeBase, repository: Path) -> None:
    concept = (
        "---\ntitle: Session\ndescription: What a session is.\nid: C-1\nstatus: active\n---\n\nIt lives for a month.\n"
    )
    write_file(repository, ".lexibrary/concepts/Session.md", concept)
    synced(base, repository)
    chunks = note(base, ".lexibrary/concepts/Session.md").chunks.order_by("start")
    assert [chunk.content for chunk in chunks] == ["What a session is.", "It lives for a month."]


def test_a_second_sync_embeds_nothing(base: KnowledgeBase, repository: Path, embedder: CountingEmbedder) -> None:
    first = synced(base, repository)
    embedder.texts.clear()
    second = synced(base, repository)
    assert embedder.texts == []
    assert (second.embedded, second.revision, second.unchanged) == (0, first.revision, len(first.added))


def test_a_change_embeds_what_changed_and_its_design_file_is_stale_until_the_next_update(
    base: KnowledgeBase, repository: Path, embedder: CountingEmbedder
) -> None:
    synced(base, repository)
    embedder.texts.clear()
    write_file(repository, "src/auth/tokens.py", TOKENS.replace("[::-1]", "[1:]"))
    report = synced(base, repository)
    assert (report.changed, report.described) == (("src/auth/tokens.py",), (".lexibrary/src/auth/tokens.py.md",))
    assert len(embedder.texts) == 1
    assert note(base, ".lexibrary/src/auth/tokens.py.md").doc_status == "stale"
    lexictl(repository, "update")
    synced(base, repository)
    assert note(base, ".lexibrary/src/auth/tokens.py.md").doc_status == ""


def test_front_matter_fills_the_columns(base: KnowledgeBase, repository: Path) -> None:
    synced(base, repository)
    concept = note(base, ".lexibrary/concepts/TokenRotation.md")
    assert (concept.title, concept.tags, concept.doc_status) == ("Token Rotation", ["auth"], "draft")
    assert concept.metadata["aliases"] == ["rotation"]
    post = Document.objects.get(doc_type="stack")
    assert (post.title, post.doc_status) == ("Tokens expire early", "open")
    assert post.doc_date is not None


def test_what_is_outdated_is_out_of_force_from_the_first_sync_that_sees_it(
    base: KnowledgeBase, repository: Path
) -> None:
    synced(base, repository)
    assert Document.objects.get(doc_type="stack").superseded_on is None
    lexi(repository, "stack", "mark-outdated", "ST-001")
    synced(base, repository)
    day = Document.objects.get(doc_type="stack").superseded_on
    assert day is not None
    Document.objects.filter(doc_type="stack").update(superseded_on="2020-01-02")
    assert not synced(base, repository).described
    assert str(Document.objects.get(doc_type="stack").superseded_on) == "2020-01-02"


def test_a_renamed_source_keeps_its_document(base: KnowledgeBase, repository: Path) -> None:
    synced(base, repository)
    before = note(base, "src/auth/tokens.py").pk
    (repository / "src/auth/tokens.py").rename(repository / "src/auth/signing.py")
    lexictl(repository, "update")
    report = synced(base, repository)
    assert ("src/auth/tokens.py", "src/auth/signing.py") in report.renamed
    moved = note(base, "src/auth/signing.py")
    assert (moved.pk, moved.title, moved.pages.get(removed_in=None).repository_path) == (
        before,
        "src/auth/signing.py",
        "src/auth/signing.py",
    )


def test_only_what_is_synced_as_public_is_public(base: KnowledgeBase, repository: Path) -> None:
    synced(base, repository)
    assert not Document.objects.filter(is_public=True).exists()
    synced(base, repository, is_public=True)
    assert not Document.objects.filter(is_public=False).exists()
    synced(base, repository)
    assert not Document.objects.filter(is_public=False).exists()
    assert synced(base, repository, is_public=False).closed
    assert not Document.objects.filter(is_public=True).exists()


# --- What somebody wrote ----------------------------------------------------------------------------------------


def test_both_shapes_of_footer_and_files_without_one_are_read(base: KnowledgeBase, written: Path) -> None:
    for name in ("b.py", "c.py"):
        write_file(written, name, f"NAME = '{name}'\n")
    hashed = _hash_of(written / "b.py")
    write_design(written, "b.py", meta=f'source="b.py" source_hash="{hashed}"')
    write_file(written, ".lexibrary/c.py.md", "# c.py\n\nWhat c is for.\n")
    synced(base, written)
    designs = Document.objects.filter(doc_type="design").order_by("title")
    assert [one.metadata["source"] for one in designs] == ["a.py", "b.py", "c.py"]
    assert {one.doc_status for one in designs} == {""}
    assert Document.objects.filter(doc_type="source").count() == 3


def test_a_placeholder_is_no_stale_hash_and_a_source_that_is_gone_is(base: KnowledgeBase, written: Path) -> None:
    write_design(written, "a.py", meta="source: a.py\nsource_hash: 0000000000000000")
    write_design(written, "gone.py", meta=f"source: gone.py\nsource_hash: {hashlib.sha256(b'x').hexdigest()}")
    synced(base, written)
    states = dict(Document.objects.filter(doc_type="design").values_list("metadata__source", "doc_status"))
    assert states == {"a.py": "", "gone.py": "stale"}


def test_a_windows_checkout_is_not_stale(base: KnowledgeBase, written: Path) -> None:
    place = written / "a.py"
    place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))
    synced(base, written)
    assert note(base, ".lexibrary/a.py.md").doc_status == ""
    page = note(base, "a.py").pages.get()
    assert (page.text, page.source_sha256) == ("def first() -> int:\n    return 1\n", _hash_of(place))


@pytest.mark.parametrize("path", ["../outside.py", "/etc/hostname", "link.py", "folder/inside.py", ".git/config"])
def test_no_source_outside_of_the_repository_is_read(base: KnowledgeBase, written: Path, path: str) -> None:
    outside = written.parent / "elsewhere"
    write_file(outside, "inside.py", "OUTSIDE = 1\n")
    write_file(written.parent, "outside.py", "OUTSIDE = 2\n")
    write_file(written, ".git/config", "[remote]\nOUTSIDE = 3\n")
    (written / "link.py").symlink_to(outside / "inside.py")
    (written / "folder").symlink_to(outside)
    write_design(written, path, library_path="hostile.md")
    report = synced(base, written)
    assert path in dict([*report.left_out, *report.skipped])
    assert not Chunk.objects.filter(content__contains="OUTSIDE").exists()
    assert [one.file_name for one in Document.objects.filter(doc_type="source")] == ["a.py"]


def test_a_library_that_is_a_link_is_none(base: KnowledgeBase, written: Path) -> None:
    (written / ".lexibrary").rename(written.parent / "moved")
    (written / ".lexibrary").symlink_to(written.parent / "moved")
    synced(base, written)
    assert Source.objects.get().kind != SourceKind.LIBRARY
    assert not Document.objects.exists()


def test_files_that_look_as_if_they_held_secrets_are_left_out_and_reported(
    base: KnowledgeBase, written: Path, embedder: CountingEmbedder
) -> None:
    key = "AKIA" + "Q7ZN4RW2PLKM3XCV"
    for name, text in {
        ".env": "NAME=value\n",
        "deploy.py": f"import x\n\nKEY = '{key}'\n",
        "notes.txt": "Fine.\n",
    }.items():
        write_file(written, name, text)
        write_design(written, name, body=f"Uses {key}." if name == "notes.txt" else "")
    report = synced(base, written)
    assert dict(report.left_out) == {
        ".env": "its name is that of a file with secrets",
        "deploy.py": "line 3 looks like a secret",
        ".lexibrary/notes.txt.md": "line 8 looks like a secret",
    }
    assert not any(key in text for text in [*embedder.texts, *Chunk.objects.values_list("content", flat=True)])
    assert synced(base, written).left_out == report.left_out


def test_a_secret_that_appears_takes_the_document_away(base: KnowledgeBase, written: Path) -> None:
    synced(base, written)
    write_file(written, "a.py", 'password = "n0body-knows-it"\n')
    assert synced(base, written).removed == ("a.py",)
    assert not Document.objects.present().filter(file_name="a.py").exists()


@pytest.mark.parametrize("data", [b"\x00\x01binary", b"x = 1\n" * 200_000, b""])
def test_what_is_no_text_or_too_large_is_not_stored(base: KnowledgeBase, written: Path, data: bytes) -> None:
    write_file(written, "b.bin", data)
    write_design(written, "b.bin")
    synced(base, written)
    assert not Document.objects.filter(file_name="b.bin").exists()
    assert Document.objects.filter(file_name=".lexibrary/b.bin.md").exists()


def test_broken_front_matter_is_a_problem_with_its_line(base: KnowledgeBase, written: Path) -> None:
    write_file(written, ".lexibrary/concepts/Bad.md", "---\ntitle: [a\n---\nText.\n")
    [problem] = synced(base, written).problems
    assert (problem.path, problem.line) == (".lexibrary/concepts/Bad.md", 2)


def test_a_source_in_a_folder_called_stack_has_a_design_file_there(base: KnowledgeBase, written: Path) -> None:
    write_file(written, "stack/heap.py", "HEAP = []\n")
    write_design(written, "stack/heap.py")
    synced(base, written)
    assert note(base, ".lexibrary/stack/heap.py.md").doc_type == "design"


# --- Hostile text ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", ["## a\n", "- a\n", "<!-- lexibrarian:meta ", 'a="b" ', "a: b\n", "# x\n"])
def test_reading_a_design_file_takes_linear_time(piece: str) -> None:
    assert grows_linearly(lambda text: library_files.parse_library_file("a.py.md", text), piece, scale=10)
