"""An answer as visitors see it, made from its JSON (`querying.wire`): one that came just now, or a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from knowledge.models import Page
from querying import quoted, reading
from querying.live import Asked
from querying.quoted import Evidence
from querying.reading import Piece
from querying.types import Failed
from querying.wire import answer_as_json

_NEAREST = 3


@dataclass(frozen=True, kw_only=True)
class Near:
    """A page that came near, and holds no answer."""

    where: str
    section: str
    score: float


@dataclass(frozen=True, kw_only=True)
class Shown:
    """`verified` counts the citations that stand on their page word for word, looked up when this was made.

    `clarification` is `{question, options, field, token}`, or None; `seconds` None where nobody measured.
    """

    question: str
    outcome: str
    pieces: list[Piece]
    evidence: list[Evidence]
    verified: int
    path: list[tuple[str, str]]
    has_decided: bool
    confidence: str
    because: str
    reason: str
    why: list[str]
    nearest: list[Near]
    clarification: Mapping[str, Any] | None
    error: str = ""
    seconds: float | None = None

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces if piece.source is None)


def answer_of(asked: Asked, *, viewer: User | None, seconds: float | None = None) -> Shown:
    """What came of a question that was asked to its end. Two statements where something is cited."""
    last = asked.last
    if isinstance(last, Failed) or asked.answer is None:
        said = f"{last.error} {last.hint}".strip() if isinstance(last, Failed) else "The answer stopped early."
        return _shown(asked.question.text, {"outcome": "failed"}, viewer=viewer, error=said)
    answer = answer_as_json(asked.answer, question=asked.question)
    return _shown(asked.question.text, answer, viewer=viewer, seconds=seconds)


def sample_answer(sample: Mapping[str, Any], *, viewer: User | None) -> Shown | None:
    """What `sample.sample_of` keeps; None for an empty one."""
    if not sample:
        return None
    return _shown(sample["question"], sample, viewer=viewer, seconds=sample.get("seconds"))


def _shown(
    question: str, answer: Mapping[str, Any], *, viewer: User | None, error: str = "", seconds: float | None = None
) -> Shown:
    citations = answer.get("citations") or []
    pages = _pages(citations)
    open_to_viewer = Page.objects.visible_to(viewer).filter(pk__in=list(pages)) if pages else Page.objects.none()
    texts = {pk: pages[pk] for pk in open_to_viewer.values_list("pk", flat=True)}
    cited = enumerate(citations, start=1)
    evidence = [quoted.evidence(number, one, text=texts.get(quoted.page_of(one), "")) for number, one in cited]
    path = answer.get("decisionPath") or []
    return Shown(
        question=question,
        outcome=answer["outcome"],
        pieces=reading.set_close(reading.pieces(answer.get("answer", ""), count=len(evidence))),
        evidence=evidence,
        verified=sum(quoted.stands(one, pages) for one in citations),
        path=reading.steps(path),
        has_decided=bool(path) and "result" in path[-1] and answer["outcome"] == "answered",
        confidence=answer.get("confidence", ""),
        because=(answer.get("confidenceBasis") or {}).get("explanation", ""),
        reason=answer.get("reason") or "",
        why=list(answer.get("why") or []),
        nearest=[_near(one) for one in (answer.get("nearest") or [])[:_NEAREST]],
        clarification=answer.get("clarification"),
        error=error,
        seconds=seconds,
    )


def _pages(citations: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """The texts that were cited, to be compared with: nothing of them is shown but what stands in the answer."""
    cited = {quoted.page_of(one) for one in citations}
    return dict(Page.objects.filter(pk__in=cited).values_list("pk", "text")) if cited else {}


def _near(passage: Mapping[str, Any]) -> Near:
    page = f", page {passage['page']}" if passage.get("page") else ""
    return Near(
        where=f"{passage.get('document', '')}{page}",
        section=str(passage.get("section") or ""),
        score=float(passage.get("score") or 0),
    )
