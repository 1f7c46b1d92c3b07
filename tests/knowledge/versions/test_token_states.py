"""Token states are kept with the vectors, come with copies, and are added to what was embedded without."""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from knowledge import tasks
from knowledge.embedders import LocalEmbedder, get_embedder
from knowledge.embedders.packed_states import unpack
from knowledge.ingest import ingest
from knowledge.models import Embedding, KnowledgeBase
from knowledge.search.token_states import states_of_chunks
from knowledge.versions import embeddings, reembed
from knowledge.versions.token_states import add_missing_states, copy_states, count_missing_states
from tests.knowledge.bases import CountingEmbedder, Crash, add_markdown, make_base, prose, registered

pytestmark = pytest.mark.django_db


def base_of(text: str, *, embedder: str = "local", name: str = "handbook") -> KnowledgeBase:
    base = make_base(embedder=embedder, name=name)
    ingest(add_markdown(base, text).pk)
    base.refresh_from_db()
    return base


@pytest.fixture
def without(settings: Any) -> KnowledgeBase:
    """A base that was read while no states were kept; now they are."""
    settings.LEXIC_TOKEN_STATES_MAX_CHUNKS = 0
    base = base_of(prose("oil", paragraphs=12))
    settings.LEXIC_TOKEN_STATES_MAX_CHUNKS = 1000
    return base


def states_of(base: KnowledgeBase) -> list[bytes | None]:
    rows = Embedding.objects.filter(knowledge_base=base).order_by("chunk__index", "window")
    return [states and bytes(states) for states in rows.values_list("token_states", flat=True)]


def test_what_is_read_keeps_its_token_states() -> None:
    base = base_of(prose("oil", paragraphs=12))
    assert all(states_of(base))
    chunks = base.chunks.live().order_by("index")
    found = states_of_chunks([chunk.pk for chunk in chunks])
    for chunk in chunks:
        places = get_embedder("local").tokenizer.tokens(chunk.content).offsets  # type: ignore[attr-defined]
        spoken = [place for place in places if chunk.content[slice(*place)].isalnum()]
        assert [tuple(place) for place in found[chunk.pk].places] == spoken
        assert len(spoken) < len(places)


def test_a_text_that_comes_again_gets_the_states_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    base = base_of("Oil is drained warm.")
    monkeypatch.setattr(LocalEmbedder, "embed_chunks", None)
    ingest(add_markdown(base, "Oil is drained warm.\n", name="notes.md", title="notes").pk)
    assert all(states_of(base))


def test_they_are_not_kept_where_the_setting_says_so(without: KnowledgeBase) -> None:
    assert not any(states_of(without))


def test_an_embedder_without_token_states_keeps_none() -> None:
    with registered(CountingEmbedder("counting", dimensions=16)):
        base = base_of("Oil is drained warm.", embedder="counting")
        assert states_of(base) == [None]
        assert add_missing_states(base) == 0


def test_missing_states_are_those_that_would_have_been_kept(without: KnowledgeBase) -> None:
    assert count_missing_states(without) > 1
    assert add_missing_states(without) == 0
    assert states_of(without) == states_of(base_of(prose("oil", paragraphs=12), name="another"))
    assert count_missing_states(without) == 0


def test_a_run_that_was_interrupted_is_continued(without: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = count_missing_states(without)
    monkeypatch.setattr("knowledge.versions.token_states.CHUNKS_PER_BATCH", 1)

    def crash(done: int, total: int) -> None:
        raise Crash

    with pytest.raises(Crash):
        add_missing_states(without, on_progress=crash)
    assert count_missing_states(without) == missing - 1
    assert add_missing_states(without) == 0
    assert count_missing_states(without) == 0


def test_a_run_ends_when_its_time_is_up(without: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge.versions.token_states.CHUNKS_PER_BATCH", 1)
    missing = count_missing_states(without)
    assert add_missing_states(without, seconds=-1) == count_missing_states(without) == missing


def test_none_are_added_where_the_setting_keeps_none(without: KnowledgeBase, settings: Any) -> None:
    settings.LEXIC_TOKEN_STATES_MAX_CHUNKS = 0
    missing = count_missing_states(without)
    assert add_missing_states(without) == 0
    assert count_missing_states(without) == missing
    copy_states([base_of(prose("oil", paragraphs=12), name="another")], [without])
    assert count_missing_states(without) == missing


def test_a_note_whose_chunks_keep_no_title_is_read_with_that_of_its_document(without: KnowledgeBase) -> None:
    before = states_of(base_of(prose("oil", paragraphs=12), name="another"))
    without.chunks.update(document_title="")
    add_missing_states(without)
    assert states_of(without) == before


def test_a_chunk_that_would_be_cut_otherwise_today_is_tried_once(without: KnowledgeBase) -> None:
    chunk = without.chunks.live().earliest("index")
    one = Embedding.objects.filter(chunk=chunk).first()
    Embedding.objects.create(
        chunk=chunk,
        knowledge_base=without,
        document=chunk.document,
        window=9,
        vector=one.vector,
        added_in=one.added_in,
    )
    add_missing_states(without)
    assert count_missing_states(without) == 0
    assert chunk.pk not in states_of_chunks([chunk.pk])
    assert states_of_chunks(list(without.chunks.live().values_list("pk", flat=True)))


@pytest.mark.django_db(transaction=True)
def test_the_task_for_a_changed_base_adds_them(without: KnowledgeBase) -> None:
    tasks.index_vectors.apply(kwargs={"knowledge_base_id": without.pk}, throw=True)
    assert all(states_of(without))


def test_states_are_copied_to_the_same_texts_of_another_base(
    without: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = base_of(prose("oil", paragraphs=12), name="another")
    monkeypatch.setattr(LocalEmbedder, "embed_chunks", None)
    copy_states([source], [without])
    assert states_of(without) == states_of(source)


def test_a_base_that_moved_to_another_embedder_is_still_weighed_by_them() -> None:
    base = base_of("Oil is drained warm.")
    chunk = base.chunks.live().get()
    with registered(CountingEmbedder("new", dimensions=16)):
        reembed.reembed_base(base, embedder=get_embedder("new"))
        assert len(states_of_chunks([chunk.pk])[chunk.pk]) == 4


def test_a_chunk_of_which_a_window_has_none_is_left_out(without: KnowledgeBase) -> None:
    add_missing_states(without)
    row = Embedding.objects.filter(knowledge_base=without, window=1).first()
    assert row is not None
    Embedding.objects.filter(pk=row.pk).update(token_states=None)
    assert states_of_chunks([row.chunk_id]) == {}


def test_no_states_are_copied_to_a_chunk_with_other_windows(without: KnowledgeBase) -> None:
    """As one that another embedder has embedded whole."""
    source = base_of(prose("oil", paragraphs=12), name="another")
    Embedding.objects.filter(knowledge_base=without, window__gt=0).delete()
    copy_states([source], [without])
    cut = set(Embedding.objects.filter(knowledge_base=source, window=1).values_list("chunk__index", flat=True))
    assert cut
    given = Embedding.objects.filter(knowledge_base=without, token_states__isnull=False)
    assert not cut & set(given.values_list("chunk__index", flat=True))


def test_states_that_cannot_be_read_are_left_out() -> None:
    base = base_of("Oil is drained warm.")
    chunk = base.chunks.live().get()
    Embedding.objects.filter(chunk=chunk).update(token_states=b"\x00other")
    assert states_of_chunks([chunk.pk]) == {}


def test_the_command_says_what_it_did(without: KnowledgeBase) -> None:
    missing = count_missing_states(without)
    assert f"{missing} passages have none." in _command("--dry-run", "--base", str(without.pk))
    assert count_missing_states(without) == missing
    assert f"{missing} passages got theirs, 0 have none." in _command()
    with pytest.raises(CommandError, match="There is no knowledge base 0"):
        _command("--base", "0")


def test_a_base_with_more_chunks_than_the_setting_says_keeps_none_of_what_comes(settings: Any) -> None:
    settings.LEXIC_TOKEN_STATES_MAX_CHUNKS = 2
    base = base_of(prose("oil", paragraphs=12))
    there = len(states_of(base))
    assert there > 2
    assert all(states_of(base))
    ingest(add_markdown(base, "Wax goes on last.", name="wax.md").pk)
    assert Embedding.objects.filter(knowledge_base=base, token_states=None).count() == 1
    assert embeddings.keeps_states(make_base(embedder="local", name="new").pk, added=2)
    assert not embeddings.keeps_states(make_base(embedder="local", name="bulk").pk, added=3)


def _command(*arguments: str) -> str:
    out = StringIO()
    call_command("add_token_states", *arguments, stdout=out)
    return out.getvalue()


def as_older_version(states: bytes, length: int) -> bytes:
    """The states as an earlier Lexic kept them, with those of a full stop at the end of the text."""
    found = unpack([states])
    assert found is not None
    rows = np.empty(len(found) + 1, [("start", "<u2"), ("end", "<u2"), ("factor", "<f2"), ("codes", "u1", (96,))])
    rows["start"], rows["end"] = np.vstack([found.places, (length - 1, length)]).T
    rows["factor"] = np.append(found.factors, 1)
    rows["codes"] = np.vstack([found.codes, np.zeros((1, 96), np.uint8)])
    return b"\x01" + length.to_bytes(2, "little") + rows.tobytes()


def test_a_window_of_damaged_states_is_named_and_the_others_are_packed() -> None:
    base = base_of(prose("oil", paragraphs=12))
    damaged, *sound = Embedding.objects.select_related("chunk").filter(knowledge_base=base).order_by("pk")
    for row in (damaged, *sound):
        row.token_states = as_older_version(bytes(row.token_states or b""), len(row.chunk.content))
        row.save()
    Embedding.objects.filter(pk=damaged.pk).update(token_states=bytes(damaged.token_states or b"")[:-7])
    assert states_of_chunks([damaged.chunk_id]) == {}  # as where there are none
    out, errors = StringIO(), StringIO()
    with pytest.raises(CommandError, match="1 row cannot be read"):
        call_command("repack", stdout=out, stderr=errors)
    assert f"window {damaged.pk} of chunk {damaged.chunk_id}" in errors.getvalue()
    assert f"windows packed: {len(sound)}, left: 1" in out.getvalue()


def test_states_of_an_earlier_version_are_read_and_packed_anew() -> None:
    base = base_of("Oil is drained warm.")
    row, written = Embedding.objects.select_related("chunk").get(knowledge_base=base), states_of(base)
    content = row.chunk.content
    assert content.endswith(".")
    row.token_states = as_older_version(bytes(row.token_states or b""), len(content))
    row.save()
    assert len(states_of_chunks([row.chunk_id])[row.chunk_id]) == len(content.split()) + 1
    out = StringIO()
    for arguments in (["--dry-run"], [], []):
        call_command("repack", *arguments, stdout=out)
    said = [line for line in out.getvalue().splitlines() if line.startswith("windows")]
    assert said == ["windows left: 1", "windows packed: 1, left: 0", "windows packed: 0, left: 0"]
    assert states_of(base) == written
