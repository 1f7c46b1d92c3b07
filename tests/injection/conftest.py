"""Each kind of handbook is read once, by the real readers in their child process, and cut into chunks."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from knowledge.chunking.chunker import chunk_pages
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import PageText
from knowledge.search.passages import Passage
from tests.injection.corpus import BUILDERS, injections

Handbooks = Mapping[str, Sequence[Passage]]


@pytest.fixture(scope="session")
def handbooks(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The passages of the handbook in one kind of file, by source type."""
    folder = tmp_path_factory.mktemp("handbooks")

    @cache
    def passages_of(source_type: str) -> tuple[Passage, ...]:
        path = folder / source_type
        path.write_bytes(BUILDERS[source_type](injections()))
        return tuple(_passages(path, source_type))

    return passages_of


def _passages(path: Path, source_type: str) -> list[Passage]:
    pages = [event for event in read_pages(path, source_type=source_type) if isinstance(event, PageText)]
    headings = [heading for page in pages for heading in page.headings]
    texts = {page.number: page.text for page in pages}
    return [
        Passage(
            chunk_id=number,
            document_id=uuid.uuid5(uuid.NAMESPACE_URL, source_type),
            document_title="Handbook of members",
            source_type=source_type,
            page_id=span.page_number,
            page_number=span.page_number if source_type == "pdf" else None,
            section_path=span.section_path,
            start=span.start,
            end=span.end,
            content=texts[span.page_number][span.start : span.end],
            cosine=0.7,
            lexical=0.7,
            score=0.7,
            knowledge_base_id=1,
        )
        for number, span in enumerate(chunk_pages(pages, headings, size=400, overlap=0), start=1)
    ]
