"""The section that a passage stands in: all of it, as far as it was cut into several chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from uuid import UUID, uuid4

from django.db import models

from knowledge.models import Chunk, Page
from knowledge.search.candidates import Candidate
from knowledge.search.hybrid import load_passages
from knowledge.search.passages import Passage
from lexic.compiled_query import CompiledRows

# So many chunks before and behind the passage are looked at.
_REACH = 8


def read_section(passage: Passage, *, revision: int) -> list[Passage]:
    """One passage for each page that the section stands on, in reading order, with the scores of this one. `revision`
    is that of its knowledge base. Empty where the section does not stand on its pages word for word."""
    ids = _neighbouring_chunks(passage, revision=revision)
    if ids == [passage.chunk_id]:
        return [passage] if passage.is_verbatim else []
    found = {one.chunk_id: one for one in load_passages([_as_candidate(passage, chunk_id) for chunk_id in ids])}
    chunks = [found[chunk_id] for chunk_id in ids if chunk_id in found]
    if not all(chunk.is_verbatim for chunk in chunks):
        return []
    texts = dict(Page.objects.filter(pk__in={chunk.page_id for chunk in chunks}).values_list("pk", "text"))
    pages = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.page_id)]
    return [_joined(group, texts[group[0].page_id], like=passage) for group in pages]


def _neighbouring_chunks(passage: Passage, *, revision: int) -> list[int]:
    """The chunks around it, one after another under the same headings."""
    rows = _chunks_around.rows(
        chunk=passage.chunk_id,
        document=passage.document_id,
        knowledge_base=passage.knowledge_base_id,
        revision=revision,
    )
    for same_path, group in groupby(rows, key=lambda row: tuple(row[1]) == passage.section_path):
        ids = [pk for pk, _ in group]
        if same_path and passage.chunk_id in ids:
            return ids
    return []


def _chunks_around_one(
    *, chunk: int, document: UUID, knowledge_base: int, revision: int
) -> models.QuerySet[Chunk, tuple[int, list[str]]]:
    place = models.Subquery(Chunk.objects.filter(pk=chunk).order_by().values("index"))
    around = Chunk.objects.filter(document=document, knowledge_base=knowledge_base)
    around = around.filter(index__range=(place - _REACH, place + _REACH)).alive_at(revision)
    return around.order_by("index").values_list("pk", "section_path")


_chunks_around = CompiledRows(_chunks_around_one, chunk=-1, document=uuid4(), knowledge_base=-2, revision=1_000_003)


def _as_candidate(passage: Passage, chunk_id: int) -> Candidate:
    return Candidate(
        chunk_id=chunk_id,
        knowledge_base_id=passage.knowledge_base_id,
        cosine=passage.cosine,
        lexical=passage.lexical,
        matches_clause=passage.matches_clause,
    )


def _joined(chunks: Sequence[Passage], text: str, *, like: Passage) -> Passage:
    """One passage of these chunks of a page, with the score of `like` and with what is known of its document, such as
    that it is out of force."""
    start, end = min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)
    first = chunks[0]
    return replace(
        like,
        chunk_id=first.chunk_id,
        page_id=first.page_id,
        page_number=first.page_number,
        page_label=first.page_label,
        is_ocr=first.is_ocr,
        unsure_spans=first.unsure_spans,
        section_path=first.section_path,
        first_line=first.first_line,
        start=start,
        end=end,
        content=text[start:end],
    )
