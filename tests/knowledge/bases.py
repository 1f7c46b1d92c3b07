"""Knowledge bases, documents and embedders for tests of ingestion."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from accounts.models import User
from knowledge.documents.lifecycle import add_file
from knowledge.embedders import EMBEDDERS, Embedder, clear_embedders
from knowledge.models import Chunk, ChunkTerms, Consent, Document, Embedding, KnowledgeBase, KnowledgeGrant
from plugins.models import Plugin, Release


class Crash(BaseException):
    """Ends the work without a chance to tidy up, as a kill would."""


class CountingEmbedder(Embedder):
    """Vectors from hashes, and a list of every text that was embedded. `trouble` may raise before a batch."""

    is_offline = True

    def __init__(self, name: str = "counting", *, dimensions: int = 384) -> None:
        super().__init__(name=name, dimensions=dimensions)
        self.texts: list[str] = []
        self.trouble: Any = lambda: None

    def embed_batch(self, texts: Sequence[str]) -> Any:
        self.trouble()
        self.texts += texts
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Any:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions)


@contextmanager
def registered(embedder: Embedder) -> Iterator[None]:
    """`get_embedder(embedder.name)` gives this one inside the block."""
    clear_embedders()
    EMBEDDERS[embedder.name] = lambda _name: embedder
    try:
        yield
    finally:
        del EMBEDDERS[embedder.name]
        clear_embedders()


def make_base(*, embedder: str = "counting", name: str = "handbook", **plugin_fields: Any) -> KnowledgeBase:
    owner, _ = User.objects.get_or_create(email="alice@example.org", defaults={"is_staff": True})
    plugin = Plugin.objects.create(
        owner=owner, name=name, domain="testing", system_prompt="You answer.", **plugin_fields
    )
    return KnowledgeBase.objects.create(owner=owner, plugin=plugin, name=name, embedder=embedder)


def attach(base: KnowledgeBase, plugin: Plugin, consent: str = Consent.SHARED) -> KnowledgeGrant:
    """The owner of the base grants it to the plugin, whose draft reads it."""
    return KnowledgeGrant.objects.attach(base, plugin, by=base.owner, consent=consent)


def add_markdown(base: KnowledgeBase, text: str, *, name: str = "notes.md", **options: Any) -> Document:
    options = {"enqueue": False, **options}
    return add_file(knowledge_base=base, file_name=name, stream=io.BytesIO(text.encode()), **options).document


def add_pdf(base: KnowledgeBase, pages: Sequence[str], *, name: str = "manual.pdf") -> Document:
    stream = io.BytesIO(pdf(pages))
    return add_file(knowledge_base=base, file_name=name, stream=stream, enqueue=False).document


def pdf(pages: Sequence[str]) -> bytes:
    """A PDF of these pages, one line of text per line."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=True)
    for page in pages:
        text = canvas.beginText(72, 760)
        for line in page.splitlines():
            text.textLine(line)
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def prose(topic: str, *, paragraphs: int) -> str:
    """Paragraphs of some 600 characters, each unlike any other."""
    sentences = (
        f"The {topic} procedure number {number} begins when the inspector of section {number * 7} has signed. "
        f"Valve {number * 13} is opened first, and the {topic} gauge has to show {number * 3} bar before anybody "
        f"walks on. Whoever finds a different value writes it into ledger {number * 11}, calls the foreman, and "
        f"waits at gate {number * 5} until the {topic} line has been flushed twice with clean water. Only then may "
        f"step {number + 1} of the {topic} plan be started, and never by one person alone in the pump house."
        for number in range(1, paragraphs + 1)
    )
    return "\n\n".join(sentences)


def pin(base: KnowledgeBase, version: str = "1.0.0") -> Release:
    """A release that reads the base as it is now."""
    base.refresh_from_db()
    assert base.plugin is not None
    return Release.objects.create(
        plugin=base.plugin,
        version=version,
        system_prompt="You answer.",
        knowledge=[{"knowledge_base": base.pk, "revision": base.revision}],
    )


def alive(base: KnowledgeBase) -> list[str]:
    """The contents of the chunks that answer now, in order."""
    base.refresh_from_db()
    rows = Chunk.objects.filter(knowledge_base=base).alive_at(base.revision)
    return list(rows.order_by("document__created_at", "index").values_list("content", flat=True))


def check_sound(base: KnowledgeBase) -> None:
    """What has to be true after any ingestion: chunks follow on without gap or double, with words and vectors, and
    are spans of their pages."""
    base.refresh_from_db()
    for document in base.documents.filter(status="ready", removed_in=None):
        chunks = list(document.chunks.alive_at(base.revision).select_related("page").order_by("index"))
        assert [chunk.index for chunk in chunks] == list(range(document.chunks_total or 0))
        assert all(chunk.page.text[chunk.start : chunk.end] == chunk.content for chunk in chunks)
        ids = {chunk.pk for chunk in chunks}
        for model in (Embedding, ChunkTerms):
            rows = model.objects.filter(document=document).alive_at(base.revision)
            assert set(rows.values_list("chunk_id", flat=True)) == ids
        pages = document.pages.alive_at(base.revision).order_by("number").values_list("number", flat=True)
        assert list(pages) == list(range(1, (document.pages_total or 0) + 1))
        for rows in (document.pages, document.chunks):
            assert not rows.staged().exists()
