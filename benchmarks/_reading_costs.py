"""What reading small documents costs: together, one by one, and the model alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.peers.measure import ProcessorClock
from benchmarks.query import random_document

if TYPE_CHECKING:
    from knowledge.models import Document, KnowledgeBase

SECTIONS = 2


def reading_costs(*, documents: int, server: int) -> dict[str, float]:
    """In processor time, the database server's included. The texts of the two bases differ, and are of one kind."""
    from knowledge.embedders import get_embedder
    from knowledge.ingest import ingest
    from knowledge.tasks import ingest_document

    embedder, dice, clock = get_embedder("local"), random.Random(9), ProcessorClock(server)
    ingest(_add(dice, "warm", 1)[0].pk)
    alone, beside = _add(dice, "alone", documents), _add(dice, "beside", documents)
    one_by_one = _spent(clock, [partial(ingest, one.pk) for one in alone])
    messages = [partial(ingest_document.apply, kwargs={"document_id": str(one.pk)}, throw=True) for one in beside]
    together = _spent(clock, messages)
    model = _spent(clock, [partial(embedder.embed, _windows(beside))])
    names = ("a small document by itself, ms", "a small document with others, ms", "its model, ms")
    costs = [1000 * spent / documents for spent in (one_by_one, together, model)]
    ratios = {"small documents together to one by one": together / one_by_one}
    return dict(zip(names, costs, strict=True)) | ratios | {"small documents together to their model": together / model}


def _spent(clock: ProcessorClock, steps: Sequence[Callable[[], object]]) -> float:
    begun = clock.seconds()
    for step in steps:
        step()
    return clock.seconds() - begun


def _add(dice: random.Random, name: str, count: int) -> list[Document]:
    from accounts.models import User
    from knowledge.documents.lifecycle import add_text
    from knowledge.models import KnowledgeBase

    owner, _ = User.objects.get_or_create(email="reading@example.org")
    base: KnowledgeBase = KnowledgeBase.objects.create(owner=owner, name=name, embedder="local")
    texts = [random_document(dice, sections=SECTIONS)[0] for _ in range(count)]
    added = [
        add_text(knowledge_base=base, title=f"Part {number}", text=text, enqueue=False)
        for number, text in enumerate(texts)
    ]
    return [one.document for one in added]


def _windows(documents: Sequence[Document]) -> list[str]:
    from knowledge.chunking.title_path import title_path
    from knowledge.embedders import get_embedder
    from knowledge.models import Chunk

    embedder = get_embedder("local")
    chunks = Chunk.objects.live().filter(document__in=[one.pk for one in documents])
    return [
        window
        for chunk in chunks
        for window in embedder.windows(
            title_path=title_path(chunk.document_title, chunk.section_path), text=chunk.content
        )
    ]
