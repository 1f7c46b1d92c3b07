"""A folder and a knowledge base, kept in step."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge import lease
from knowledge.documents.lifecycle import delete_document, reingest_document
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase, Source
from knowledge.prune import pinned_revisions
from knowledge.sync import apply_plan as applying
from knowledge.sync import folder as disk
from knowledge.sync.folder import SourceNotFound
from knowledge.sync.runner import AlreadySyncing, EmptySource, get_or_create_source, preview_sync
from tests.knowledge.bases import CountingEmbedder, Crash, add_markdown, alive, check_sound, pin
from tests.knowledge.sync.folders import note, synced, text_of, write
from tests.shared_data import shared

pytestmark = pytest.mark.django_db


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    write(folder, "Dam.md", "The dam holds water.\n\n## Gates\n\nSee [[Pump]] and [[Diary|that day]].", public="true")
    write(folder, "Pump.md", "The pump lifts water.", title="Pump room", public="true", tags="[pumps, water]")
    write(folder, "Diary.md", "A hard day.", title="Quarrel", date="2024-03-01")
    return folder


def contents(base: KnowledgeBase) -> dict[str, bool]:
    rows = Document.objects.present().filter(knowledge_base=base)
    return dict(rows.order_by("file_name").values_list("file_name", "is_public"))


def test_pk_032_a_folder_becomes_documents_in_one_revision(base: KnowledgeBase, vault: Path) -> None:
    report = synced(base, vault)
    assert (report.added, report.problems, report.revision) == (("Dam.md", "Diary.md", "Pump.md"), (), 1)
    assert contents(base) == {"Dam.md": True, "Diary.md": False, "Pump.md": True}
    assert text_of(note(base, "Dam.md")) == "The dam holds water.\n\n## Gates\n\nSee Pump room and that day."
    pump, diary = note(base, "Pump.md"), note(base, "Diary.md")
    assert (pump.title, pump.tags, pump.source_type, pump.page_count) == (
        "Pump room",
        ["pumps", "water"],
        "markdown",
        None,
    )
    assert str(diary.doc_date) == "2024-03-01"
    check_sound(base)


def test_pk_028_the_second_time_nothing_is_done(base: KnowledgeBase, vault: Path, embedder: CountingEmbedder) -> None:
    synced(base, vault)
    embedder.texts.clear()
    report = synced(base, vault)
    assert (report.unchanged, report.embedded, report.revision, embedder.texts) == (3, 0, 1, [])
    assert report.counts == dict.fromkeys(report.counts, 0) | {"unchanged": 3}


def test_pk_028_only_what_changed_is_embedded(base: KnowledgeBase, vault: Path, embedder: CountingEmbedder) -> None:
    synced(base, vault)
    ids = {path: note(base, path).pk for path in ("Dam.md", "Pump.md")}
    embedder.texts.clear()
    write(vault, "Pump.md", "The pump lifts sand.", title="Pump room", public="true")
    report = synced(base, vault)
    assert (report.changed, report.unchanged, report.revision) == (("Pump.md",), 2, 2)
    assert embedder.texts == ["Pump room. The pump lifts sand."]
    assert {path: note(base, path).pk for path in ids} == ids
    assert "The pump lifts sand." in alive(base)
    check_sound(base)


def test_what_is_said_about_a_note_changes_without_reading_it(
    base: KnowledgeBase, vault: Path, embedder: CountingEmbedder
) -> None:
    synced(base, vault)
    embedder.texts.clear()
    write(vault, "Diary.md", "A hard day.", title="Quarrel", date="2024-03-02", status="done", mood="grim")
    report = synced(base, vault)
    diary = note(base, "Diary.md")
    assert (report.described, report.revision, embedder.texts) == (("Diary.md",), 1, [])
    assert (str(diary.doc_date), diary.doc_status, diary.metadata) == ("2024-03-02", "done", {"mood": "grim"})


def test_a_note_that_vanished_leaves_the_current_revision_and_releases_keep_it(
    base: KnowledgeBase, vault: Path
) -> None:
    synced(base, vault)
    pin(base)
    (vault / "Pump.md").unlink()
    report = synced(base, vault)
    assert report.removed == ("Pump.md",)
    assert "The pump lifts water." not in alive(base)
    [pinned] = pinned_revisions(base)
    gone = Document.objects.get(knowledge_base=base, file_name="Pump.md")
    assert [chunk.content for chunk in gone.chunks.alive_at(pinned)] == ["The pump lifts water."]


def test_a_note_that_moved_stays_itself(base: KnowledgeBase, vault: Path, embedder: CountingEmbedder) -> None:
    synced(base, vault)
    before = note(base, "Pump.md").pk
    embedder.texts.clear()
    (vault / "work").mkdir()
    (vault / "Pump.md").rename(vault / "work" / "Lifter.md")
    report = synced(base, vault)
    assert (report.renamed, report.added, report.removed) == ((("Pump.md", "work/Lifter.md"),), (), ())
    assert note(base, "work/Lifter.md").pk == before
    # It has a title of its own; only the note that linked to its old name reads differently now.
    assert (report.changed, len(embedder.texts)) == (("Dam.md",), 1)
    assert synced(base, vault).unchanged == 3


def test_a_note_that_becomes_private_is_closed_before_anything_else(
    base: KnowledgeBase, vault: Path, embedder: CountingEmbedder
) -> None:
    synced(base, vault)
    write(vault, "Pump.md", "The pump lifts water.", title="Pump room")
    write(vault, "New.md", "More text.")

    def crash() -> None:
        assert contents(base)["Pump.md"] is False
        raise Crash

    embedder.trouble = crash
    with pytest.raises(Crash):
        synced(base, vault)
    embedder.trouble = lambda: None
    report = synced(base, vault)
    assert contents(base)["Pump.md"] is False
    # Its title is no longer shown where it is linked to.
    assert report.changed == ("Dam.md",)
    assert "See Pump and that day." in text_of(note(base, "Dam.md"))


def test_with_public_only_other_notes_are_left_out(base: KnowledgeBase, vault: Path) -> None:
    synced(base, vault)
    report = synced(base, vault, public_only=True)
    assert (report.removed, report.left_out) == (("Diary.md",), (("Diary.md", "not public"),))
    assert synced(base, vault).left_out == (("Diary.md", "not public"),)
    assert contents(base) == {"Dam.md": True, "Pump.md": True}
    assert synced(base, vault, public_only=False).added == ("Diary.md",)


def test_a_broken_note_is_reported_and_closed_and_the_rest_goes_on(base: KnowledgeBase, vault: Path) -> None:
    synced(base, vault)
    (vault / "Pump.md").write_text("---\ntitle: [Pump\npublic: true\n---\nOther text.\n")
    write(vault, "Diary.md", "An easy day.")
    report = synced(base, vault)
    assert [(one.path, one.line) for one in report.problems] == [("Pump.md", 3)]
    assert (report.changed, report.closed) == (("Dam.md", "Diary.md"), ("Pump.md",))
    assert text_of(note(base, "Pump.md")) == "The pump lifts water."
    # It is said again until it is mended.
    assert [one.path for one in synced(base, vault).problems] == ["Pump.md"]
    write(vault, "Pump.md", "Other text.", public="true")
    assert (synced(base, vault).problems, contents(base)["Pump.md"]) == ((), True)


def test_copies_are_one_document_and_the_copy_takes_over(
    base: KnowledgeBase, vault: Path, embedder: CountingEmbedder
) -> None:
    write(vault, "copy/Pump.md", "The pump lifts water.", title="Pump room", public="true", tags="[pumps, water]")
    report = synced(base, vault)
    assert report.left_out == (("copy/Pump.md", "the same as Pump.md"),)
    embedder.texts.clear()
    (vault / "Pump.md").unlink()
    report = synced(base, vault)
    assert (report.removed, report.added, embedder.texts) == (("Pump.md",), ("copy/Pump.md",), [])
    check_sound(base)


def test_two_notes_may_change_places(base: KnowledgeBase, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "NOTES_PER_BATCH", 1)
    for name in ("A", "B"):
        write(vault, f"{name}.md", f"Text of {name}.", title="One title")
    synced(base, vault)
    (vault / "A.md").rename(vault / "C.tmp")
    (vault / "B.md").rename(vault / "A.md")
    (vault / "C.tmp").rename(vault / "B.md")
    assert synced(base, vault).changed == ("A.md", "B.md")
    assert (text_of(note(base, "A.md")), text_of(note(base, "B.md"))) == ("Text of B.", "Text of A.")
    assert synced(base, vault).unchanged == 5


def test_notes_without_text_are_left_out(base: KnowledgeBase, vault: Path) -> None:
    write(vault, "Empty.md", "%% nothing for others %%", public="true")
    assert synced(base, vault).left_out == (("Empty.md", "holds no text"),)
    write(vault, "Pump.md", "---", title="Pump room", public="true")
    assert synced(base, vault).removed == ("Pump.md",)


def test_what_was_added_by_hand_before_is_taken_over(base: KnowledgeBase, vault: Path) -> None:
    document = add_markdown(base, "Old text.", name="Pump.md")
    ingest(document.pk)
    report = synced(base, vault)
    assert (report.changed, note(base, "Pump.md").pk) == (("Pump.md",), document.pk)


def test_a_file_that_is_uploaded_under_the_name_of_a_public_note_is_a_document_of_its_own(
    base: KnowledgeBase, vault: Path
) -> None:
    synced(base, vault)
    public = note(base, "Pump.md")
    uploaded = add_markdown(base, "For our eyes only.", name="Pump.md")
    ingest(uploaded.pk)
    public.refresh_from_db()
    assert (uploaded.pk == public.pk, uploaded.is_public, public.is_public) == (False, False, True)
    assert synced(base, vault).counts["unchanged"] == 3
    assert Document.objects.present().filter(pk=uploaded.pk, is_public=False).exists()


def test_a_document_removed_or_changed_by_hand_is_as_in_the_folder_again(base: KnowledgeBase, vault: Path) -> None:
    synced(base, vault)
    delete_document(note(base, "Pump.md"))
    assert synced(base, vault).added == ("Pump.md",)
    assert synced(base, vault).unchanged == 3


def test_reading_a_document_again_by_itself_changes_nothing(base: KnowledgeBase, vault: Path) -> None:
    synced(base, vault)
    revision = base.revision
    for document in base.documents.all():
        reingest_document(document, enqueue=False)
        ingest(document.pk)
    base.refresh_from_db()
    assert base.revision == max(revision, 1)
    assert synced(base, vault).counts["unchanged"] == 3


def test_a_crash_between_batches_loses_nothing_and_repeats_nothing(
    base: KnowledgeBase, vault: Path, embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "NOTES_PER_BATCH", 1)
    calls = iter([None, None, Crash()])

    def trouble() -> None:
        if error := next(calls, None):
            raise error

    embedder.trouble = trouble
    with pytest.raises(Crash):
        synced(base, vault)
    check_sound(base)
    report = synced(base, vault)
    assert (len(report.added), report.unchanged, report.embedded) == (1, 2, 1)
    check_sound(base)


def test_a_dry_run_says_what_would_change_and_changes_nothing(base: KnowledgeBase, vault: Path) -> None:
    synced(base, vault)
    (vault / "Pump.md").unlink()
    write(vault, "New.md", "New.")
    report = preview_sync(Source.objects.get())
    assert (report.added, report.removed, report.embedded) == (("New.md",), ("Pump.md",), None)
    assert contents(base) == {"Dam.md": True, "Diary.md": False, "Pump.md": True}


def test_nothing_outside_of_the_folder_and_nothing_hidden_is_read(base: KnowledgeBase, vault: Path) -> None:
    secret = write(vault.parent, "secret.md", "Secret.")
    (vault / "link.md").symlink_to(secret)
    (vault / "out").symlink_to(vault.parent)
    write(vault, ".obsidian/config.md", "Hidden.")
    os.mkfifo(vault / "pipe.md")
    (vault / "picture.png").write_bytes(b"x")
    report = synced(base, vault)
    assert report.skipped == (
        (".obsidian", "hidden"),
        ("link.md", "a symbolic link"),
        ("out", "a symbolic link"),
        ("pipe.md", "not a file"),
    )
    assert (report.others, set(contents(base))) == (1, {"Dam.md", "Diary.md", "Pump.md"})


def test_a_folder_on_the_way_that_becomes_a_link_is_not_followed(vault: Path) -> None:
    write(vault.parent, "elsewhere/a.md", "Secret.")
    (vault / "sub").symlink_to(vault.parent / "elsewhere")
    with pytest.raises(Exception, match="cannot be opened"):
        disk.read_note_bytes(vault, "sub/a.md")


def test_an_empty_or_missing_folder_removes_nothing_by_accident(base: KnowledgeBase, vault: Path) -> None:
    synced(base, vault)
    for path in vault.iterdir():
        path.unlink()
    with pytest.raises(EmptySource):
        synced(base, vault)
    assert len(contents(base)) == 3
    assert len(synced(base, vault, allow_empty=True).removed) == 3
    source = Source.objects.get()
    vault.rmdir()
    with pytest.raises(SourceNotFound):
        preview_sync(source)
    with pytest.raises(SourceNotFound):
        get_or_create_source(base, vault)


def test_one_process_syncs_a_source_at_a_time(
    base: KnowledgeBase, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def taken(name: str) -> Any:
        yield False

    monkeypatch.setattr(lease, "try_lease", taken)
    with pytest.raises(AlreadySyncing):
        synced(base, vault)


def test_the_commit_of_a_checkout_is_kept(base: KnowledgeBase, vault: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    git = vault / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "packed-refs").write_text(f"# pack-refs\n{commit} refs/heads/main\n")
    assert synced(base, vault).commit == commit
    source = Source.objects.get()
    assert (source.kind, source.commit, source.report["added"]) == ("git", commit, 3)
    (git / "HEAD").write_text("ref: refs/../../secret\n")
    assert synced(base, vault).commit == ""


def test_two_sources_do_not_take_each_others_notes(base: KnowledgeBase, vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other, "Pump.md", "Another pump.")
    synced(base, vault)
    report = synced(base, other)
    assert (report.added, report.removed) == (("Pump.md",), ())
    assert synced(base, vault).unchanged == 3
    assert Document.objects.present().filter(file_name="Pump.md").count() == 2


NAMES = st.sampled_from(["a", "b", "c"])
TEXTS = st.sampled_from(["One [[a]].", "Two [[b|x]].", "%% gone %%", "Three [[c]] words."])
FOLDERS = st.dictionaries(NAMES, st.tuples(TEXTS, st.booleans(), st.booleans()), min_size=1)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FOLDERS, min_size=1, max_size=4))
def test_after_any_changes_the_base_is_as_after_a_first_sync(
    base: KnowledgeBase, tmp_path_factory: Any, states: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    fresh = KnowledgeBase.objects.create(owner=base.owner, name="fresh", embedder="counting")
    for state in states:
        for path in folder.glob("*.md"):
            path.unlink()
        for name, (text, is_public, is_template) in state.items():
            write(folder, f"{name}.md", text, public=is_public, template=is_template, title=f"Title {name}")
        synced(base, folder, allow_empty=True)
        check_sound(base)
    synced(fresh, folder)
    assert _held(base) == _held(fresh)
    synced(base, folder, allow_empty=True)
    assert _held(base) == _held(fresh)
    Document.objects.filter(knowledge_base=base).delete()
    Source.objects.all().delete()
    fresh.delete()


def _held(base: KnowledgeBase) -> set[Any]:
    rows = Document.objects.present().filter(knowledge_base=base)
    return {(row.file_name, row.title, row.is_public, row.is_template, text_of(row)) for row in rows}


def test_eighteen_f(base: KnowledgeBase, tmp_path: Path, embedder: CountingEmbedder) -> None:
    folder = tmp_path / "posts"
    folder.mkdir()
    names = sorted(path.name for path in (shared("18f-notes") / "documents").glob("*.md"))[:40]
    for name in names:
        (folder / name).write_bytes((shared("18f-notes") / "documents" / name).read_bytes())
    first = synced(base, folder)
    assert (len(first.added), first.problems) == (40, ())
    embedder.texts.clear()
    assert (synced(base, folder).unchanged, embedder.texts) == (40, [])
    for name in names[:3]:
        with (folder / name).open("a") as stream:
            stream.write("\n\nOne more paragraph.\n")
    (folder / names[3]).rename(folder / f"moved-{names[3]}")
    (folder / names[4]).unlink()
    report = synced(base, folder)
    assert (report.changed, report.removed) == (tuple(names[:3]), (names[4],))
    assert (report.renamed, report.added) == (((names[3], f"moved-{names[3]}"),), ())
    assert report.unchanged == 35
    check_sound(base)
