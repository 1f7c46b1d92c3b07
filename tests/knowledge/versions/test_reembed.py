"""A knowledge base moves to another embedder while it answers, while documents come and go, and across crashes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from knowledge import prune
from knowledge.embedders import clear_embedders
from knowledge.embedders.base import EmbedderRejected
from knowledge.ingest import ingest
from knowledge.models import Document, Embedding, EmbeddingSpace, KnowledgeBase, Lease
from knowledge.search.hybrid import BaseRevision, search
from knowledge.search.passages import Passage
from knowledge.search.vector_index import drop_index, ensure_index, index_name
from knowledge.versions import embeddings, publish_version, reembed
from tests.knowledge.bases import (
    CountingEmbedder,
    Crash,
    add_markdown,
    alive,
    check_sound,
    make_base,
    pin,
    prose,
    registered,
)
from tests.openai_stub import OpenAIStub

pytestmark = pytest.mark.django_db

NOTES = {"oil.md": "Oil is drained warm.", "gas.md": "Gas is checked for leaks.", "wax.md": "Wax goes on last."}


@pytest.fixture
def old() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder("old", dimensions=16)
    with registered(embedder):
        yield embedder


@pytest.fixture
def new(old: CountingEmbedder) -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder("new", dimensions=24)
    with registered(embedder):
        yield embedder


@pytest.fixture
def base(new: CountingEmbedder, old: CountingEmbedder) -> KnowledgeBase:
    base = make_base(embedder="old")
    for name, text in NOTES.items():
        _read(add_markdown(base, text, name=name), old)
    base.refresh_from_db()
    return base


def _read(document: Document, embedder: CountingEmbedder) -> None:
    ingest(document.pk, embedder=embedder)
    document.refresh_from_db()
    assert document.status == "ready", document.error


def found(base: KnowledgeBase, embedder: CountingEmbedder, text: str, *, revision: int | None = None) -> Passage:
    """The nearest passage to the very words of a chunk, which has a cosine of 1 in the space of that embedder."""
    at = BaseRevision(knowledge_base_id=base.pk, revision=revision or base.revision, embedder=embedder.name)
    vector = embedder.embed(embedder.windows(title_path=_title(text), text=text))[0]
    (best, *_) = search(knowledge_bases=[at], text="", embedding={embedder.name: vector}, limit=3)
    return best


def _title(text: str) -> str:
    return next(name.removesuffix(".md") for name, held in NOTES.items() if held == text)


def test_a_base_is_searched_by_its_new_embedder(base: KnowledgeBase, new: CountingEmbedder) -> None:
    moved = reembed.reembed_base(base, embedder=new)
    assert (moved.embedder, moved.dimensions, moved.chunks, moved.embedded) == ("new", 24, 3, 3)
    assert (base.embedder, base.dimensions, base.revision) == ("new", 24, moved.revision)
    for text in NOTES.values():
        best = found(base, new, text)
        assert (best.content, round(best.cosine or 0, 2)) == (text, 1.0)
    check_sound(base)


def test_a_release_goes_on_with_the_vectors_it_was_made_with(
    base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder
) -> None:
    before = pin(base).knowledge[0]["revision"]
    reembed.reembed_base(base, embedder=new)
    best = found(base, old, "Gas is checked for leaks.", revision=before)
    assert (best.content, round(best.cosine or 0, 2)) == ("Gas is checked for leaks.", 1.0)


def test_asking_again_embeds_nothing_and_makes_no_revision(base: KnowledgeBase, new: CountingEmbedder) -> None:
    first = reembed.reembed_base(base, embedder=new)
    new.texts.clear()
    again = reembed.reembed_base(base, embedder=new)
    assert (again.revision, again.embedded, new.texts) == (first.revision, 0, [])


def test_a_base_can_move_there_and_back(base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder) -> None:
    reembed.reembed_base(base, embedder=new)
    reembed.reembed_base(base, embedder=old)
    assert (base.embedder, base.dimensions, base.space) == ("old", 16, 2)
    assert found(base, old, "Wax goes on last.").content == "Wax goes on last."


def test_an_empty_base_can_move(new: CountingEmbedder) -> None:
    base = make_base(embedder="old", name="empty")
    assert reembed.reembed_base(base, embedder=new).chunks == 0
    document = add_markdown(base, "Oil is drained warm.", name="oil.md")
    _read(document, new)
    base.refresh_from_db()
    assert found(base, new, "Oil is drained warm.").content == "Oil is drained warm."


def test_until_the_last_moment_the_old_vectors_answer(
    base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder
) -> None:
    seen: list[str] = []

    def look() -> None:
        base.refresh_from_db()
        seen.append(base.embedder)
        assert found(base, old, "Oil is drained warm.").content == "Oil is drained warm."

    new.trouble = look
    reembed.reembed_base(base, embedder=new)
    assert set(seen) == {"old"}


def test_a_crash_costs_no_more_than_a_batch(
    base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "CHUNKS_PER_BATCH", 1)
    crash_after(new, batches=2)
    with pytest.raises(Crash):
        reembed.reembed_base(base, embedder=new)
    base.refresh_from_db()
    assert (base.embedder, found(base, old, "Wax goes on last.").content) == ("old", "Wax goes on last.")

    new.trouble = lambda: None
    new.texts.clear()
    assert reembed.count_missing(base, embedder=new) == 2
    assert reembed.reembed_base(base, embedder=new).embedded == 2
    assert len(new.texts) == 1 + 2  # the first is the question whether it answers
    check_sound(base)


def crash_after(embedder: CountingEmbedder, *, batches: int) -> None:
    left = iter(range(batches))

    def trouble() -> None:
        if next(left, None) is None:
            raise Crash

    embedder.trouble = trouble


def test_what_was_made_for_a_third_embedder_is_dropped(
    base: KnowledgeBase, new: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "CHUNKS_PER_BATCH", 1)
    third = CountingEmbedder("third", dimensions=8)
    crash_after(third, batches=2)
    with pytest.raises(Crash):
        reembed.reembed_base(base, embedder=third)
    assert set(Embedding.objects.values_list("space", flat=True)) == {0, 1}
    reembed.reembed_base(base, embedder=new)
    assert set(Embedding.objects.values_list("space", flat=True)) == {0, base.space}
    assert list(base.spaces.values_list("embedder", flat=True)) == ["old", "new"]


def test_documents_that_come_and_go_meanwhile_are_where_they_belong(
    base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder
) -> None:
    def work() -> None:
        new.trouble = lambda: None  # once
        _read(add_markdown(base, "Ash is kept dry.", name="ash.md"), old)
        publish_version.remove_document(Document.objects.get(file_name="gas.md"))

    calls = iter([lambda: None, work])
    new.trouble = lambda: next(calls, lambda: None)()
    moved = reembed.reembed_base(base, embedder=new)
    assert sorted(alive(base)) == ["Ash is kept dry.", "Oil is drained warm.", "Wax goes on last."]
    assert moved.chunks == 3
    check_sound(base)


def test_a_document_that_is_read_across_the_move_is_embedded_again(
    base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder
) -> None:
    document = add_markdown(base, "Ash is kept dry.", name="ash.md")

    def move() -> None:
        old.trouble = lambda: None
        reembed.reembed_base(KnowledgeBase.objects.get(pk=base.pk), embedder=new)

    old.trouble = move
    ingest(document.pk)
    document.refresh_from_db()
    base.refresh_from_db()
    assert (document.status, base.embedder) == ("ready", "new")
    spaces = Embedding.objects.filter(document=document, space=base.space)
    assert [len(row.vector) for row in spaces] == [24]
    check_sound(base)


def test_an_embedder_that_refuses_changes_nothing(base: KnowledgeBase, new: CountingEmbedder) -> None:
    def refuse() -> None:
        raise EmbedderRejected

    new.trouble = refuse
    with pytest.raises(EmbedderRejected):
        reembed.reembed_base(base, embedder=new)
    base.refresh_from_db()
    assert (base.embedder, EmbeddingSpace.objects.count()) == ("old", 0)


def test_a_vector_of_a_wrong_length_is_an_error_at_once(base: KnowledgeBase, new: CountingEmbedder) -> None:
    new._vector = lambda text: np.ones(23)  # type: ignore[method-assign]
    with pytest.raises(EmbedderRejected, match="of 24 dimensions, and returned 23"):
        reembed.reembed_base(base, embedder=new)
    assert set(Embedding.objects.values_list("space", flat=True)) == {0}


def test_only_one_may_move_a_base(base: KnowledgeBase, new: CountingEmbedder) -> None:
    assert Lease.objects.take(f"reembed:{base.pk}", holder="elsewhere/1/1/a", seconds=60, from_dead="")
    with pytest.raises(reembed.AlreadyReembedding):
        reembed.reembed_base(base, embedder=new)


def test_equal_texts_are_embedded_once(base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder) -> None:
    terms = prose("terms", paragraphs=2)
    for name in ("oak", "elm"):
        text = f"# Lease\n\n## Terms\n\n{terms}\n\n## Place\n\n{prose(name, paragraphs=2)}"
        _read(add_markdown(base, text, name=f"{name}/lease.md"), old)
    reembed.reembed_base(base, embedder=new)
    hashes = list(base.chunks.values_list("content_hash", flat=True))
    assert len(hashes) > len(set(map(bytes, hashes)))
    assert len(new.texts) == len(set(new.texts))
    check_sound(base)


# --- What is left of the old one ------------------------------------------------------------------------------


def _pruned(base: KnowledgeBase) -> set[int]:
    prune.prune_knowledge_base(base, older_than=prune.timedelta(0))
    return set(Embedding.objects.filter(knowledge_base=base).values_list("space", flat=True))


def test_old_vectors_go_when_no_release_reads_them(base: KnowledgeBase, new: CountingEmbedder) -> None:
    reembed.reembed_base(base, embedder=new)
    assert _pruned(base) == {base.space}
    assert found(base, new, "Oil is drained warm.").content == "Oil is drained warm."


def test_old_vectors_stay_as_long_as_a_release_reads_them(base: KnowledgeBase, new: CountingEmbedder) -> None:
    release = pin(base)
    reembed.reembed_base(base, embedder=new)
    assert _pruned(base) == {0, base.space}
    release.delete()
    assert _pruned(base) == {base.space}


@pytest.mark.django_db(transaction=True)
def test_each_space_has_an_index_of_its_own(base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder) -> None:
    ensure_index(base, indexed_from=2)
    before = base.revision
    reembed.reembed_base(base, embedder=new)
    assert ensure_index(base, indexed_from=2) == "built"
    for space in (0, base.space):
        assert _has_index(index_name(base.pk, space))
    assert found(base, new, "Oil is drained warm.").content == "Oil is drained warm."
    assert found(base, old, "Oil is drained warm.", revision=before).content == "Oil is drained warm."
    prune.prune_knowledge_base(base, older_than=prune.timedelta(0))
    ensure_index(base, indexed_from=2)
    assert not _has_index(index_name(base.pk, 0))
    drop_index(base.pk)
    assert not _has_index(index_name(base.pk, base.space))


def _has_index(name: str) -> bool:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [name])
        return bool(cursor.fetchone()[0])


# --- At the command line --------------------------------------------------------------------------------------


def run(*arguments: Any) -> str:
    out = StringIO()
    call_command("reembed", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)  # an index cannot be built inside one
def test_the_command_says_what_it_would_do_and_does_it(base: KnowledgeBase) -> None:
    assert base.plugin is not None
    assert json.loads(run(base.plugin.slug, "new", "--dry-run", "--json"))["wouldEmbed"] == 3
    assert not EmbeddingSpace.objects.exists()
    report = json.loads(run(base.plugin.slug, "new", "--json"))
    assert (report["embedder"], report["dimensions"], report["embedded"]) == ("new", 24, 3)
    assert "from revision" in run("--base", base.pk, "new")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody", "new"), "There is no plugin called 'nobody'"),
        (("--base", "999999", "new"), "There is no knowledge base 999999"),
        (("new",), "Name either a plugin or"),
        (("handbook", "word2vec"), "There is no embedder named 'word2vec'"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(base: KnowledgeBase, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run(*arguments)


# --- Sizes other than the default -----------------------------------------------------------------------------


@pytest.mark.parametrize("dimensions", [768, 1024, 1536])
def test_pk_030_vectors_of_any_size_are_searched_and_those_of_another_refused(dimensions: int, settings: Any) -> None:
    """Over the real protocol: the size is asked for, and what does not have it is an error at once."""
    settings.OPENAI_API_KEY = "sk-test"
    name = f"openai:qwen3-embedding:{dimensions}"
    with OpenAIStub() as stub:
        settings.OPENAI_BASE_URL = stub.base_url
        base = make_base(embedder=name)
        _ingested(add_markdown(base, "Oil is drained warm.", name="oil.md"))
        base.refresh_from_db()
        assert (base.dimensions, stub.bodies[0]["dimensions"]) == (dimensions, dimensions)
        (kept,) = Embedding.objects.filter(knowledge_base=base)
        assert len(kept.vector) == dimensions

        stub.knows_dimensions, stub.dimensions = False, 4096  # PK-031: a model that has one length of its own
        clear_embedders()
        failed = add_markdown(base, "Gas is checked for leaks.", name="gas.md")
        ingest(failed.pk)
        failed.refresh_from_db()
        assert (failed.status, failed.error_code) == ("failed", "embedder_rejected")
        assert f"of {dimensions} dimensions, and returned 4096" in failed.error
    clear_embedders()


def _ingested(document: Document) -> None:
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "ready", document.error


def test_bases_of_two_embedders_answer_one_question_together(
    base: KnowledgeBase, old: CountingEmbedder, new: CountingEmbedder
) -> None:
    other = make_base(embedder="new", name="second")
    _read(add_markdown(other, "Tar is kept hot.", name="tar.md"), new)
    other.refresh_from_db()
    bases = [
        BaseRevision(knowledge_base_id=one.pk, revision=one.revision, embedder=one.embedder) for one in (base, other)
    ]
    text = "Tar is kept hot."
    embedding = {one.name: one.embed(one.windows(title_path="tar", text=text))[0] for one in (old, new)}
    best, *rest = search(knowledge_bases=bases, text="", embedding=embedding, limit=4)
    assert (best.content, len(rest)) == (text, 3)
