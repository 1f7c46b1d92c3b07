"""Everything the sandbox shows of a query, read off its audit row. A page of many takes no more statements than one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from accounts.models import User
from knowledge.models import Chunk, KnowledgeBase, Page
from querying.models import Feedback, Query
from querying.presentation import answer_text, quotations
from querying.presentation.answer_text import TextPiece
from querying.presentation.question_run import QuestionRun, may_read_prompt
from querying.presentation.quotations import QuotedCitation
from querying.types import Clarification, Failed, Outcome

_NEAREST_LIMIT = 3
_STEP_LABELS = {"planning": "read the question", "retrieve": "searched", "tree": "walked the trees"}
_STEP_LABELS |= {"weigh": "weighed the evidence", "generate": "wrote and verified"}


@dataclass(frozen=True, kw_only=True)
class RetrievedPassage:
    """A passage that was read, with its score; `is_cited` when the answer cites its page."""

    where: str
    section: str
    score: float
    address: str
    is_cited: bool


@dataclass(frozen=True, kw_only=True)
class SandboxTurn:
    """`prompt` is None when there is none to show, and `prompt_withheld` says so when there is one."""

    query: Query
    pieces: list[TextPiece]
    evidence: list[QuotedCitation]
    verified: int
    path: list[tuple[str, str]]
    why: str
    timings: list[tuple[str, int]]
    read: list[RetrievedPassage]
    feedback: Feedback | None
    clarification: Clarification | None = None
    failure: Failed | None = None
    prompt: Sequence[Mapping[str, str]] | None = None
    prompt_withheld: bool = False
    is_offline: bool = True

    @property
    def nearest(self) -> list[RetrievedPassage]:
        return self.read[:_NEAREST_LIMIT] if self.query.outcome == Outcome.REFUSED else []

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
    def filter_texts(self) -> dict[str, str]:
        """The filters as the form takes them."""
        return {
            name: ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in self.filters.items()
        }

    @property
    def seconds(self) -> float:
        return self.query.latency_ms / 1000


def make_turns(queries: Sequence[Query], *, user: User) -> list[SandboxTurn]:
    """The queries as they are shown. Four statements, whatever their number."""
    pages = _readable_page_texts(queries, user)
    chunks = _readable_chunks(queries, user)
    opinions = {one.query_id: one for one in Feedback.objects.filter(user=user, query__in=queries)}
    return [_make_turn(query, pages=pages, chunks=chunks, feedback=opinions.get(query.pk)) for query in queries]


def nearest_passages(queries: Sequence[Query], *, user: User) -> list[list[RetrievedPassage]]:
    """For each query the passages nearest to it, best first, that the person may open. One statement."""
    chunks = _readable_chunks(queries, user)
    return [_retrieved_passages(query, chunks)[:_NEAREST_LIMIT] for query in queries]


def live_turn_details(asked: QuestionRun, *, user: User, may_change: bool) -> dict[str, Any]:
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


def _make_turn(
    query: Query, *, pages: Mapping[int, str], chunks: Mapping[int, Chunk], feedback: Any
) -> SandboxTurn:
    cited = enumerate(query.citations, start=1)
    evidence = [
        quotations.quote_citation(number, one, text=pages.get(quotations.cited_page_id(one), ""))
        for number, one in cited
    ]
    return SandboxTurn(
        query=query,
        pieces=answer_text.attach_marks(answer_text.text_pieces(query.answer, count=len(evidence))),
        evidence=evidence,
        verified=sum(quotations.is_on_page(citation, pages) for citation in query.citations),
        path=answer_text.path_steps(query.decision_path),
        why=answer_text.confidence_reasons(query),
        timings=[(label, query.timings[step]) for step, label in _STEP_LABELS.items() if step in query.timings],
        read=_retrieved_passages(query, chunks),
        feedback=feedback,
    )


def _readable_page_texts(queries: Sequence[Query], user: User) -> dict[int, str]:
    wanted = {quotations.cited_page_id(citation) for query in queries for citation in query.citations}
    readable = KnowledgeBase.objects.visible_to(user)
    pages = Page.objects.filter(pk__in=wanted, document__knowledge_base__in=readable)
    return dict(pages.values_list("pk", "text"))


def _readable_chunks(queries: Sequence[Query], user: User) -> dict[int, Chunk]:
    wanted = {passage.get("chunk") for query in queries for passage in query.passages}
    readable = KnowledgeBase.objects.visible_to(user)
    chunks = Chunk.objects.filter(pk__in=wanted, knowledge_base__in=readable).select_related("document", "page")
    shown = ("start", "end", "section_path", "document_title", "is_paged", "document__title", "page__number")
    return chunks.only(*shown).in_bulk()


def _retrieved_passages(query: Query, chunks: Mapping[int, Chunk]) -> list[RetrievedPassage]:
    cited = {quotations.cited_page_id(citation) for citation in query.citations}
    found = ((chunks.get(passage.get("chunk", 0)), passage) for passage in query.passages)
    return [_retrieved_passage(chunk, float(passage.get("score") or 0), cited) for chunk, passage in found if chunk]


def _retrieved_passage(chunk: Chunk, score: float, cited: set[int]) -> RetrievedPassage:
    page = f", page {chunk.page.number}" if chunk.is_paged else ""
    span = urlencode({"start": chunk.start, "end": chunk.end})
    return RetrievedPassage(
        where=f"{chunk.document_title or chunk.document.title}{page}",
        section=" > ".join(chunk.section_path),
        score=score,
        address=f"{reverse('source', args=[chunk.page_id])}?{span}#cited",
        is_cited=chunk.page_id in cited,
    )
