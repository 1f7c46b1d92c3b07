"""A real worker, killed in the middle of its work."""

from __future__ import annotations

import io
from typing import IO

import pytest

from knowledge.documents.lifecycle import add_file
from knowledge.models import Chunk, Document, KnowledgeBase
from tests.knowledge.bases import add_markdown, alive, check_sound, make_base, pdf, prose
from tests.worker_processes import empty_queue, kill, log, wait_for, worker

__all__ = ["empty_queue", "log"]

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def upload_manuals(base: KnowledgeBase) -> list[Document]:
    documents = []
    for number in range(6):
        pages = [
            "\n".join(prose(f"pump {number}.{page}", paragraphs=2).replace(". ", ".\n").splitlines())
            for page in range(12)
        ]
        stream = io.BytesIO(pdf(pages))
        added = add_file(knowledge_base=base, file_name=f"manual-{number}.pdf", stream=stream)
        documents.append(added.document)
    return documents


def statuses() -> list[str]:
    return list(Document.objects.values_list("status", flat=True))


def test_a_killed_worker_loses_nothing_and_doubles_nothing(log: IO[bytes]) -> None:
    base = make_base(embedder="local")
    documents = upload_manuals(base)
    with worker(log) as first:
        # Something is staged, nothing is finished: the middle of the work.
        wait_for(lambda: Chunk.objects.staged().exists(), log)
        kill(first)
    assert "queued" in statuses() or "embedding" in statuses()
    with worker(log):
        wait_for(lambda: set(statuses()) == {"ready"}, log)
        base.refresh_from_db()
        assert base.revision == len(documents)
        contents = alive(base)
        assert len(contents) == len(set(contents)) == Chunk.objects.count()
        check_sound(base)
    for document in Document.objects.all():
        assert (document.page_count, document.error) == (12, "")


def test_a_worker_that_is_killed_with_many_small_files_loses_none(log: IO[bytes]) -> None:
    base = make_base(embedder="local")
    texts = [f"# Pump {number}\n\n{prose(f'pump {number}', paragraphs=8)}" for number in range(20)]
    documents = [add_markdown(base, text, name=f"{number}.md", enqueue=True) for number, text in enumerate(texts)]
    with worker(log) as first:
        # They have been read, and nothing is written of them: the middle of the work.
        wait_for(lambda: statuses().count("embedding") > 1, log)
        kill(first)
    assert alive(base) == []
    with worker(log):
        wait_for(lambda: set(statuses()) == {"ready"}, log)
        contents = alive(base)
        assert len(contents) == len(set(contents)) == Chunk.objects.count()
        assert base.revision <= len(documents)
        check_sound(base)


def test_an_upload_is_read_by_a_running_worker(log: IO[bytes]) -> None:
    base = make_base(embedder="local")
    with worker(log):
        added = add_file(knowledge_base=base, file_name="a.md", stream=io.BytesIO(b"# A\n\nWear boots."))
        wait_for(lambda: statuses() == ["ready"], log)
    assert added.is_new
    check_sound(base)
