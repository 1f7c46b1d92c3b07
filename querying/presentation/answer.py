"""An answer as visitors see it, made from its JSON (`querying.json_format`): one that came just now, or one that
was kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.models import User
from knowledge.models import Page
from querying.json_format import answer_as_json
from querying.presentation import answer_text, quotations
from querying.presentation.answer_text import TextPiece
from querying.presentation.question_run import QuestionRun, TimedStep, format_duration
from querying.presentation.quotations import QuotedCitation
from querying.types import Failed, Outcome

_MAX_NEAREST = 3


@dataclass(frozen=True, kw_only=True)
class NearestPage:
    """A page that came near, and holds no answer."""

    where: str
    section: str
    score: float


@dataclass(frozen=True, kw_only=True)
class AnswerPresentation:
    """`verified` counts the citations that stand on their page word for word, looked up when this was made.

    `clarification` is `{question, options, field, token}`, or None; `seconds` None where nobody measured.
    """

    question: str
    outcome: str
    pieces: list[TextPiece]
    evidence: list[QuotedCitation]
    verified: int
    path: list[tuple[str, str]]
    has_decided: bool
    confidence: str
    because: str
    reason: str
    why: list[str]
    nearest: list[NearestPage]
    clarification: Mapping[str, Any] | None
    error: str = ""
    seconds: float | None = None
    steps: list[TimedStep] = field(default_factory=list)

    @property
    def took(self) -> str:
        """How long all steps lasted together."""
        return format_duration(sum(step.ms for step in self.steps))

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces if piece.source is None)


def referenced_document_ids(answer: Mapping[str, Any]) -> Iterator[str]:
    """The documents that a kept answer cites or names, by id."""
    places: Sequence[Mapping[str, Any]] = [*(answer.get("citations") or []), *(answer.get("nearest") or [])]
    return (str(one["documentId"]) for one in places if one.get("documentId"))


def present_run(asked: QuestionRun, *, viewer: User | None, seconds: float | None = None) -> AnswerPresentation:
    """What came of a question that was asked to its end. Two statements where something is cited."""
    return present_answer(asked.question.text, to_stored_answer(asked), viewer=viewer, seconds=seconds)


def to_stored_answer(asked: QuestionRun) -> dict[str, Any]:
    """The answer as JSON that it can be shown from again; of one that failed, the words that say so."""
    last = asked.last
    if isinstance(last, Failed) or asked.answer is None:
        said = f"{last.error} {last.hint}".strip() if isinstance(last, Failed) else "The answer stopped early."
        return {"outcome": Outcome.FAILED.value, "error": said}
    return {
        **answer_as_json(asked.answer, question=asked.question),
        "steps": [{"message": step.message, "ms": step.ms} for step in asked.steps],
    }


def present_answer(
    question: str, answer: Mapping[str, Any], *, viewer: User | None, seconds: float | None = None
) -> AnswerPresentation:
    """The answer (`as_kept`, or `querying.json_format`) to a question, for this person or anybody (None)."""
    return _build_presentation(question, answer, cited=CitedPages.by([answer], viewer=viewer), seconds=seconds)


def present_answers(kept: Sequence[StoredAnswer], *, viewer: User | None) -> list[AnswerPresentation]:
    """A conversation's answers; two statements, however many there are."""
    cited = CitedPages.by([one.answer for one in kept], viewer=viewer)
    return [_build_presentation(one.question, one.answer, cited=cited, seconds=one.seconds) for one in kept]


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """A question, and what was kept of its answer (`as_kept`)."""

    question: str
    answer: Mapping[str, Any]
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class CitedPages:
    """The texts of cited pages, to be compared with; `open_to_viewer` are those that the person may read."""

    texts: Mapping[int, str]
    open_to_viewer: frozenset[int]

    @classmethod
    def by(cls, answers: Sequence[Mapping[str, Any]], *, viewer: User | None) -> CitedPages:
        pages = {quotations.cited_page_id(one) for answer in answers for one in answer.get("citations") or []}
        if not pages:
            return cls(texts={}, open_to_viewer=frozenset())
        texts = dict(Page.objects.filter(pk__in=pages).values_list("pk", "text"))
        readable = Page.objects.visible_to(viewer).filter(pk__in=list(texts))
        return cls(texts=texts, open_to_viewer=frozenset(readable.values_list("pk", flat=True)))

    def around(self, citation: Mapping[str, Any]) -> str:
        """The page's text for whoever may read it; else nothing of it is shown but what stands in the answer."""
        page = quotations.cited_page_id(citation)
        return self.texts[page] if page in self.open_to_viewer else ""


def _build_presentation(
    question: str, answer: Mapping[str, Any], *, cited: CitedPages, seconds: float | None
) -> AnswerPresentation:
    citations = answer.get("citations") or []
    evidence = [
        quotations.quote_citation(number, one, text=cited.around(one))
        for number, one in enumerate(citations, start=1)
    ]
    path = answer.get("decisionPath") or []
    return AnswerPresentation(
        question=question,
        outcome=answer["outcome"],
        pieces=answer_text.attach_marks(
            answer_text.text_pieces(answer_text.with_bullets(answer.get("answer", "")), count=len(evidence))
        ),
        evidence=evidence,
        verified=sum(quotations.is_on_page(one, cited.texts) for one in citations),
        path=answer_text.path_steps(path),
        has_decided=bool(path) and "result" in path[-1] and answer["outcome"] == "answered",
        confidence=answer.get("confidence", ""),
        because=(answer.get("confidenceBasis") or {}).get("explanation", ""),
        reason=answer.get("reason") or "",
        why=list(answer.get("why") or []),
        nearest=[_nearest_page(one) for one in (answer.get("nearest") or [])[:_MAX_NEAREST]],
        clarification=answer.get("clarification"),
        error=answer.get("error", ""),
        seconds=seconds,
        steps=[TimedStep(message=str(step["message"]), ms=int(step["ms"])) for step in answer.get("steps") or []],
    )


def _nearest_page(passage: Mapping[str, Any]) -> NearestPage:
    page = f", page {passage['page']}" if passage.get("page") else ""
    document, section = str(passage.get("document", "")), str(passage.get("section") or "")
    return NearestPage(
        where=f"{document}{page}",
        section="" if section == document else section,
        score=float(passage.get("score") or 0),
    )
