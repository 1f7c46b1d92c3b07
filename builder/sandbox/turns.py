"""Everything the sandbox shows of a query, read off its audit row. A page of many takes no more statements than one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from accounts.models import User
from knowledge.models import Chunk, KnowledgeBase, Page
from querying import quoted, reading
from querying.live import Asked, may_read_prompt
from querying.models import Feedback, Query
from querying.quoted import Evidence
from querying.reading import Piece
from querying.types import Clarification, Failed, Outcome

_NEAREST = 3
_LABELS = {"planning": "read the question", "retrieve": "searched", "tree": "walked the trees"}
_LABELS |= {"weigh": "weighed the evidence", "generate": "wrote and verified"}


@dataclass(frozen=True, kw_only=True)
class Read:
    """A passage that was read, with its score; `is_cited` when the answer cites its page."""

    where: str
    section: str
    score: float
    address: str
    is_cited: bool


@dataclass(frozen=True, kw_only=True)
class Turn:
    """`prompt` is None when there is none to show, and `prompt_withheld` says so when there is one."""

    query: Query
    pieces: list[Piece]
    evidence: list[Evidence]
    verified: int
    path: list[tuple[str, str]]
    why: str
    timings: list[tuple[str, int]]
    read: list[Read]
    feedback: Feedback | None
    clarification: Clarification | None = None
    failure: Failed | None = None
    prompt: Sequence[Mapping[str, str]] | None = None
    prompt_withheld: bool = False
    is_offline: bool = True

    @property
    def nearest(self) -> list[Read]:
        return self.read[:_NEAREST] if self.query.outcome == Outcome.REFUSED else []

    @property
    def is_latest(self) -> bool:
        """Whether it was asked just now, so that a question asked back can still be answered."""
        return self.clarification is not None

    @property
    def version(self) -> str:
        return self.query.release_name.partition("@")[2]

    @property
    def filters(self) -> dict[str, Any]:
        return dict(self.query.options.get("filters") or {})

    @property
    def filter_words(self) -> dict[str, str]:
        """The filters as the form takes them."""
        return {
            name: ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in self.filters.items()
        }

    @property
    def seconds(self) -> float:
        return self.query.latency_ms / 1000


def turns_of(queries: Sequence[Query], *, user: User) -> list[Turn]:
    """The queries as they are shown. Four statements, whatever their number."""
    pages = _pages(queries, user)
    chunks = _chunks(queries, user)
    opinions = {one.query_id: one for one in Feedback.objects.filter(user=user, query__in=queries)}
    return [_turn(query, pages=pages, chunks=chunks, feedback=opinions.get(query.pk)) for query in queries]


def nearest_of(queries: Sequence[Query], *, user: User) -> list[list[Read]]:
    """For each query the passages nearest to it, best first, that the person may open. One statement."""
    chunks = _chunks(queries, user)
    return [_read(query, chunks)[:_NEAREST] for query in queries]


def extras_of(asked: Asked, *, user: User, may_change: bool) -> dict[str, Any]:
    """What only the one who has just asked can see: the answer to give, the error's hint, the prompt."""
    prompt = asked.prompt
    shown = may_read_prompt(asked, user=user, may_change=may_change)
    return {
        "clarification": asked.clarification,
        "failure": asked.failure,
        "prompt": prompt.messages if prompt and shown else None,
        "prompt_withheld": prompt is not None and not shown,
        "is_offline": asked.llm.is_offline,
    }


def _turn(query: Query, *, pages: Mapping[int, str], chunks: Mapping[int, Chunk], feedback: Any) -> Turn:
    cited = enumerate(query.citations, start=1)
    evidence = [quoted.evidence(number, one, text=pages.get(quoted.page_of(one), "")) for number, one in cited]
    return Turn(
        query=query,
        pieces=reading.set_close(reading.pieces(query.answer, count=len(evidence))),
        evidence=evidence,
        verified=sum(quoted.stands(citation, pages) for citation in query.citations),
        path=reading.steps(query.decision_path),
        why=reading.why_confident(query),
        timings=[(label, query.timings[step]) for step, label in _LABELS.items() if step in query.timings],
        read=_read(query, chunks),
        feedback=feedback,
    )


def _pages(queries: Sequence[Query], user: User) -> dict[int, str]:
    wanted = {quoted.page_of(citation) for query in queries for citation in query.citations}
    readable = KnowledgeBase.objects.visible_to(user)
    pages = Page.objects.filter(pk__in=wanted, document__knowledge_base__in=readable)
    return dict(pages.values_list("pk", "text"))


def _chunks(queries: Sequence[Query], user: User) -> dict[int, Chunk]:
    wanted = {passage.get("chunk") for query in queries for passage in query.passages}
    readable = KnowledgeBase.objects.visible_to(user)
    chunks = Chunk.objects.filter(pk__in=wanted, knowledge_base__in=readable).select_related("document", "page")
    shown = ("start", "end", "section_path", "document_title", "is_paged", "document__title", "page__number")
    return chunks.only(*shown).in_bulk()


def _read(query: Query, chunks: Mapping[int, Chunk]) -> list[Read]:
    cited = {quoted.page_of(citation) for citation in query.citations}
    found = ((chunks.get(passage.get("chunk", 0)), passage) for passage in query.passages)
    return [_passage(chunk, float(passage.get("score") or 0), cited) for chunk, passage in found if chunk]


def _passage(chunk: Chunk, score: float, cited: set[int]) -> Read:
    page = f", page {chunk.page.number}" if chunk.is_paged else ""
    span = urlencode({"start": chunk.start, "end": chunk.end})
    return Read(
        where=f"{chunk.document_title or chunk.document.title}{page}",
        section=" > ".join(chunk.section_path),
        score=score,
        address=f"{reverse('source', args=[chunk.page_id])}?{span}#cited",
        is_cited=chunk.page_id in cited,
    )
