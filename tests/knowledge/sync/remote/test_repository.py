"""The files of a Git repository become documents, over Git's own protocol."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from knowledge.models import Document, KnowledgeBase, Source
from knowledge.sync.remote import git_client
from knowledge.sync.remote.source_errors import InvalidSource, SourceRefused, SourceUnavailable
from knowledge.sync.remote.source_settings import change_source, create_source
from knowledge.sync.runner import run_sync
from lexic.egress import EgressPolicy
from tests.knowledge.bases import alive
from tests.knowledge.sync.remote.servers import Site, git, git_server

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(shutil.which("git") is None, reason="Git is not installed")]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A checkout of the repository that is served."""
    folder = tmp_path / "served" / "handbook.git"
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "uploadpack.allowFilter", "true")
    (folder / "docs").mkdir()
    (folder / "docs" / "boots.md").write_text("# Boots\n\nWear boots.\n")
    (folder / "docs" / "gloves.md").write_text("# Gloves\n\nWear gloves.\n")
    (folder / "README.md").write_text("Not in the folder.\n")
    (folder / "docs" / "logo.png").write_bytes(b"\x89PNG\r\n")
    (folder / "docs" / "passwd.md").symlink_to("/etc/passwd")
    commit(folder)
    return folder


def commit(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def served(work: Path) -> Iterator[str]:
    with git_server(work.parent) as url:
        yield f"{url}/handbook.git"


def repository(base: KnowledgeBase, served: str, **options: str) -> Source:
    return create_source(base, kind="repo", location=served, options={"folder": "docs", **options})


def test_its_files_are_synced_commit_by_commit(base: KnowledgeBase, served: str, work: Path) -> None:
    source = repository(base, served)
    report = run_sync(source)
    assert report.added == ("docs/boots.md", "docs/gloves.md")
    assert report.left_out == (("docs/passwd.md", "a symbolic link"),)
    assert report.commit == git(work, "rev-parse", "HEAD")
    assert sorted(alive(base)) == ["# Boots\n\nWear boots.", "# Gloves\n\nWear gloves."]
    assert sorted(Document.objects.values_list("title", flat=True)) == ["Boots", "Gloves"]
    assert run_sync(source).unchanged == 2

    (work / "docs" / "boots.md").write_text("# Boots\n\nWear high boots.\n")
    (work / "docs" / "gloves.md").rename(work / "docs" / "hands.md")
    (work / "docs" / "hats.md").write_text("# Hats\n\nWear a hat.\n")
    commit(work)
    report = run_sync(source)
    assert (report.added, report.changed, report.removed) == (("docs/hats.md",), ("docs/boots.md",), ())
    assert report.renamed == (("docs/gloves.md", "docs/hands.md"),)

    (work / "docs" / "hats.md").unlink()
    commit(work)
    assert run_sync(source).removed == ("docs/hats.md",)
    assert sorted(alive(base)) == ["# Boots\n\nWear high boots.", "# Gloves\n\nWear gloves."]


def test_a_server_without_filters_sends_all_files(base: KnowledgeBase, served: str, work: Path) -> None:
    git(work, "config", "uploadpack.allowFilter", "false")
    assert run_sync(repository(base, served)).added == ("docs/boots.md", "docs/gloves.md")


def test_a_folder_that_is_named_during_a_sync_is_read_by_the_next_one(
    base: KnowledgeBase, served: str, work: Path
) -> None:
    (work / "rules").mkdir()
    (work / "rules" / "hats.md").write_text("# Hats\n\nWear a hat.\n")
    commit(work)

    def name_folder(done: int, total: int) -> None:
        change_source(Source.objects.get(), options={"folder": "rules"})

    run_sync(repository(base, served), on_progress=name_folder)
    assert Source.objects.get().commit == ""
    assert run_sync(Source.objects.get()).added == ("rules/hats.md",)


def test_what_cannot_be_read_changes_nothing_and_says_why(
    base: KnowledgeBase, served: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = repository(base, served)
    run_sync(source)
    shutil.rmtree(work / "docs")
    commit(work)
    with pytest.raises(SourceUnavailable, match="gives nothing"):
        run_sync(source)
    with pytest.raises(SourceUnavailable, match="no branch 'gone'"):
        run_sync(change_source(source, options={"branch": "gone"}))
    change_source(source, options={"folder": "docs"})
    monkeypatch.setattr(git_client, "MAX_PACK_BYTES", 100)
    with pytest.raises(SourceUnavailable, match="sends more than"):
        run_sync(source)
    assert len(alive(base)) == 2


def test_credentials_go_to_its_own_server_alone_and_are_sealed(base: KnowledgeBase, site: Site) -> None:
    location = f"{site.url}/team/handbook.git"
    source = create_source(base, kind="repo", location=location, credentials={"password": "token-of-alice"})
    assert "token-of-alice" not in source.credentials_encrypted
    site.answer("/team/handbook.git/info/refs?service=git-upload-pack", 401)
    with pytest.raises(SourceRefused):
        run_sync(source)
    sent = base64.b64encode(b"git:token-of-alice").decode()
    assert site.asked[0][1]["Authorization"] == f"Basic {sent}"
    site.asked.clear()
    elsewhere = site.url.replace("127.0.0.1", "127.0.0.2") + "/stolen"
    site.answer("/team/handbook.git/info/refs?service=git-upload-pack", 302, Location=elsewhere)
    with pytest.raises(SourceUnavailable):
        run_sync(source)
    assert all("Authorization" not in headers for path, headers in site.asked if path == "/stolen")


def test_a_hostile_pack_is_a_reason_and_no_crash(base: KnowledgeBase, site: Site) -> None:
    def line(data: bytes) -> bytes:
        return f"{len(data) + 4:04x}".encode() + data

    head = "1" * 40
    refs = (
        line(b"# service=git-upload-pack\n")
        + b"0000"
        + line(f"{head} HEAD\0shallow side-band-64k\n".encode())
        + b"0000"
    )
    kind = "application/x-git-upload-pack-advertisement"
    site.answer("/x.git/info/refs?service=git-upload-pack", 200, refs, Content_Type=kind)
    source = create_source(base, kind="repo", location=f"{site.url}/x.git")
    with pytest.raises(SourceUnavailable):
        run_sync(source)
    source.refresh_from_db()
    assert source.error


def test_addresses_that_no_repository_may_have_are_refused(base: KnowledgeBase, settings: Any) -> None:
    settings.SOURCES_EGRESS = EgressPolicy()
    refused = ["http://example.org/x.git", "https://10.0.0.1/x.git", "https://alice:pw@example.org/x.git"]
    for address in [*refused, "file:///etc", "ssh://git@example.org/x", "https://example.org/", "ext::sh -c id"]:
        with pytest.raises(InvalidSource):
            create_source(base, kind="repo", location=address)
