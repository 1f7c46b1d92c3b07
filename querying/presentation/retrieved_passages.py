"""The passages that a logged question was answered from, as far as the viewer may read their pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from knowledge.citation_url import source_path
from knowledge.models import Chunk, Page
from knowledge.page_names import section_below_title, shown_page_name
from querying.json_format import cited_page_id
from querying.models import Query
from querying.presentation.quoted_rows import has_rows, without_bars

MAX_NEAREST = 3
_COLUMNS = (
    "start",
    "end",
    "section_path",
    "document_title",
    "is_paged",
    "document__title",
    "page__number",
    "page__label",
)


# A nearest sentence that is longer is not shown.
_MAX_EXCERPT_CHARACTERS = 600


@dataclass(frozen=True, kw_only=True)
class PassagePlace:
    """Where a passage stands and how well it scored. `url` is empty where the viewer may not open it, and `is_cited`
    says that the answer cites words of it. `excerpt` is its sentence that came nearest to a question that was refused;
    of its text nothing else is ever here."""

    place: str
    section: str
    score: float
    url: str = ""
    is_cited: bool = False
    excerpt: str = ""


def retrieved_passages(queries: Sequence[Query], *, viewer: User) -> list[list[PassagePlace]]:
    """The passages of each query, best first. One statement for all queries."""
    ids = {passage.get("chunk") for query in queries for passage in query.passages}
    readable = Chunk.objects.filter(pk__in=ids, page__in=Page.objects.visible_to(viewer).values("pk"))
    chunks = readable.select_related("document", "page").only(*_COLUMNS).in_bulk()
    places = []
    for query in queries:
        found = ((chunks.get(passage.get("chunk", 0)), passage.get("score")) for passage in query.passages)
        places.append(
            [
                _place_of(chunk, score, is_cited=any(_is_of(citation, chunk) for citation in query.citations))
                for chunk, score in found
                if chunk
            ]
        )
    return places


def _is_of(citation: Mapping[str, Any], chunk: Chunk) -> bool:
    """Whether the cited words stand in the chunk, or run into it."""
    start, end = citation.get("start", 0), citation.get("end", 0)
    return cited_page_id(citation) == chunk.page_id and start < chunk.end and chunk.start < end


def _place_of(chunk: Chunk, score: float | None, *, is_cited: bool) -> PassagePlace:
    page = shown_page_name(chunk.page.number, chunk.page.label) if chunk.is_paged else ""
    title = chunk.document_title or chunk.document.title
    return PassagePlace(
        place=", ".join(filter(None, [title, page])),
        section=section_below_title(" > ".join(chunk.section_path), title),
        score=float(score or 0),
        url=f"{source_path(chunk.page_id, start=chunk.start, end=chunk.end)}#cited",
        is_cited=is_cited,
    )


def nearest_passages(
    passages: Iterable[Mapping[str, Any]], *, texts: Mapping[int, str], readable: Collection[int]
) -> list[PassagePlace]:
    """The passages that an answer's JSON names as near, the nearest first. A place without a sentence is named once.
    `texts` are the texts of pages; the sentence and the URL are shown only for `readable` pages."""
    found: dict[tuple[str, str], PassagePlace] = {}
    for passage in passages:
        text = texts.get(page, "") if (page := cited_page_id(passage)) in readable else ""
        near = _nearest_passage(passage, text=text, is_readable=page in readable)
        found.setdefault((near.place, near.excerpt), near)
    return list(found.values())[:MAX_NEAREST]


def _nearest_passage(passage: Mapping[str, Any], *, text: str, is_readable: bool) -> PassagePlace:
    """A section that repeats the title is left out."""
    page = shown_page_name(passage.get("page"), passage.get("pageLabel", ""))
    document, section = str(passage.get("document", "")), str(passage.get("section") or "")
    # Code is looked at in its file, and what was stored by an earlier version has no span.
    sentence = "" if passage.get("path") else text[int(passage.get("start") or 0) : int(passage.get("end") or 0)]
    return PassagePlace(
        place=", ".join(filter(None, [document, page])),
        section=section_below_title(section, document),
        score=float(passage.get("score") or 0),
        url=f"{passage['url']}#cited" if "url" in passage and is_readable else "",
        excerpt=_shown_sentence(sentence) if len(sentence) <= _MAX_EXCERPT_CHARACTERS else "",
    )


def _shown_sentence(sentence: str) -> str:
    return without_bars(sentence) if has_rows(sentence) else " ".join(sentence.split())
