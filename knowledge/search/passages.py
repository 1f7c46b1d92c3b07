"""The results of a search."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from knowledge.chunking.title_path import title_path
from knowledge.code_location import FilePlace, lines_of_span
from knowledge.page_names import page_name
from language.cache_sizes import CACHED_PASSAGES
from language.code_lines import code_spans
from language.sentences import TextSpan, sentence_spans


@lru_cache(maxsize=CACHED_PASSAGES)
def content_spans(content: str, source_type: str) -> tuple[TextSpan, ...]:
    """`(start, end)` of each sentence; of code each line is one. Remembered, for an answer asks several times."""
    return tuple(code_spans(content) if source_type == "code" else sentence_spans(content))


def spans_of(stored: Any) -> tuple[TextSpan, ...]:
    """Spans out of JSON, that may be a text still; none for null."""
    values = json.loads(stored) if isinstance(stored, str) else stored
    return tuple((int(start), int(end)) for start, end in values or ())


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A chunk that was found. `content` is `page.text[start:end]`. `page_number` is None where the source has no pages,
    `cosine` where the question had no vector for the knowledge base. `lexical` is 0 to 1. `matches_clause` says that
    the passage holds a numbered clause that the question names, or stands under it. Of a file of a repository, `path`,
    `first_line`, `file_hash` and `commit` say which lines of which file it is (see `FilePlace`)."""

    chunk_id: int
    document_id: UUID
    document_title: str
    source_type: str
    page_id: int
    page_number: int | None
    section_path: tuple[str, ...]
    start: int
    end: int
    content: str
    cosine: float | None
    lexical: float
    score: float
    knowledge_base_id: int
    page_label: str = ""  # what people call its page, where that is not “page 3”
    is_ocr: bool = False  # its page was recognised on a picture, and nobody has corrected it
    unsure_spans: tuple[TextSpan, ...] = ()  # of numbers on its page that read differently a second time
    matches_clause: bool = False
    path: str = ""
    first_line: int = 0
    file_hash: str = ""
    commit: str = ""
    has_validity_dates: bool = True  # its document says from when on, or until when, it is valid
    is_verbatim: bool = True  # its content stands on its page word for word
    is_stale: bool = False  # of a design file that is older than the source that it describes

    @property
    def state(self) -> str:
        """What is to be known of it before one relies on it; empty where nothing is."""
        return "older than the file that it describes" if self.is_stale else ""

    @property
    def page_name(self) -> str:
        """What people call its page; empty where the source has no pages."""
        return page_name(self.page_number, self.page_label)

    @property
    def titles(self) -> str:
        """The headings that it stands under, in one line."""
        return title_path(self.document_title, self.section_path)

    @property
    def titled_content(self) -> str:
        """Its content behind its headings."""
        return f"{self.titles} {self.content}"

    def has_unsure_number(self, start: int, end: int) -> bool:
        """Whether the span from `start` to `end` of its page holds a number that read differently a second time."""
        return any(first < end and start < last for first, last in self.unsure_spans)

    def sentence_spans(self) -> tuple[TextSpan, ...]:
        """`(start, end)` of each sentence of its content; of code each line is one."""
        return content_spans(self.content, self.source_type)

    def file_place(self, *, start: int | None = None, end: int | None = None) -> FilePlace | None:
        """Where it stands in its file, or the span from `start` to `end` of its page; None where it is of no file."""
        if not self.path:
            return None
        within = (
            0 if start is None else start - self.start,
            len(self.content) if end is None else end - self.start,
        )
        first, last = lines_of_span(self.content, *within, first_line=self.first_line)
        return FilePlace(path=self.path, start_line=first, end_line=last, file_hash=self.file_hash, commit=self.commit)
