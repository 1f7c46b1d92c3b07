"""The recommendation of a decision tree as an answer, marked as the expert's, if the documents alone do not answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from knowledge.search.passages import Passage
from language.figures.figure_extraction import numbers_with_units, stated_numbers
from lexic.phrases import phrase
from plugins.models import CitationMode
from querying.answering.citation_styles import render_footnotes, render_sentence
from querying.answering.citations import CitationVerifier, CitedSentence
from querying.answering.guard import UNVERIFIED_SUFFIX
from querying.question.consultation import Consultation
from querying.retrieval import retriever
from querying.sanitize import sanitize
from querying.types.answer import Answer, Citation, Outcome
from querying.types.confidence import Confidence
from querying.types.question import Question
from querying.types.refusals import NO_PAGE, OUTCOMES_LEAD, RECOMMENDATION_LEAD

if TYPE_CHECKING:
    from trees.definition.nodes import TreeAction

UNSUPPORTED = "unsupported_recommendation"


def unsupported_end(question: Question, consultation: Consultation, refusal: Answer) -> Answer:
    """An end of a tree that no page supports: the recommendation as such, at low confidence; with mandatory citations
    the refusal, which says so, or says what else the question asks where this end does not answer it."""
    said = sanitize(consultation.recommendation).strip()
    if question.release.citation_mode == CitationMode.MANDATORY:
        if not consultation.answers_question:
            return refusal
        end = consultation.walk.path[-1].label if consultation.walk else ""
        why = phrase(
            "The expert's decision tree ends at “%(end)s”, and no page supports what it recommends.", end=sanitize(end)
        )
        return replace(refusal, reason=UNSUPPORTED, why=(why, *refusal.why))
    text = f"{RECOMMENDATION_LEAD} {said.rstrip(' .')}{UNVERIFIED_SUFFIX}."
    return Answer(
        text=text, outcome=Outcome.ANSWERED, reason=UNSUPPORTED, confidence=Confidence.LOW, basis=refusal.basis
    )


def supported_end(question: Question, consultation: Consultation) -> Answer | None:
    """An end of a tree that answers the question, with the page that says what it recommends, found by these words as
    it was before publishing: the words of the question need not be there. At low confidence where the question has a
    number that neither the tree nor the page knows. None where no page says it. One search."""
    if not (consultation.walk and consultation.action and consultation.answers_question):
        return None
    citer = _EndCiter(question)
    said = citer.cite(consultation.walk.path[-1].label, consultation.action)
    if not said.citations:
        return None
    is_known = _has_known_numbers(question, consultation, citer.citations)
    confidence = Confidence.MEDIUM if is_known else Confidence.LOW
    return citer.answer(f"{RECOMMENDATION_LEAD} {said.text}", confidence=confidence)


def _has_known_numbers(question: Question, consultation: Consultation, citations: Sequence[Citation]) -> bool:
    """Whether a fact by which the tree decided, its recommendation or a page has each number of the question."""
    used = consultation.walk.facts_used.values() if consultation.walk else ()
    texts = [*(fact.span for fact in used), consultation.recommendation, *(one.excerpt for one in citations)]
    known = set(chain.from_iterable(map(stated_numbers, texts)))
    return known.issuperset(numbers_with_units(question.text))


def possible_outcomes(question: Question, consultation: Consultation) -> Answer | None:
    """What the tree recommends for each answer that the person could not give, each with the page that supports it.
    With mandatory citations an answer whose recommendation no page says stands without it; None where all do. One
    search for each."""
    citer = _EndCiter(question)
    is_strict = question.release.citation_mode == CitationMode.MANDATORY
    cited = [(option, citer.cite(option, action)) for option, action in consultation.outcomes]
    if is_strict and not citer.citations:
        return None
    lines = [OUTCOMES_LEAD, "", *_outcome_lines(cited, is_strict=is_strict)]
    is_whole = all(sentence.citations for _, sentence in cited)
    return citer.answer("\n".join(lines), confidence=Confidence.MEDIUM if is_whole else Confidence.LOW)


def _outcome_lines(cited: Sequence[tuple[str, CitedSentence]], *, is_strict: bool) -> Iterator[str]:
    for option, sentence in cited:
        if sentence.citations:
            said = sentence.text.rstrip(".")
        else:
            said = NO_PAGE if is_strict else f"{sentence.text.rstrip('.')}{UNVERIFIED_SUFFIX}"
        yield f"- {sanitize(option)}: {said}"


class _EndCiter:
    """Cites what ends of trees recommend, each by the passages that are nearest to it."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._passages = list[Passage]()
        self._citer = CitationVerifier(self._passages, finds_conflicts=False)

    @property
    def citations(self) -> tuple[Citation, ...]:
        return self._citer.citations

    def cite(self, label: str, action: TreeAction) -> CitedSentence:
        """One search. Raises `EmbedderError`."""
        said = action.recommendation
        self._passages[:] = end_passages(
            self._question, label=label, recommendation=said, source_hint=action.source_hint or ""
        )
        return self._citer.cite(end_claim(said))

    def answer(self, text: str, *, confidence: Confidence) -> Answer:
        style = self._question.options.citation_style
        shown = render_sentence(text, style=style) + render_footnotes(self.citations, style=style)
        return Answer(
            text="\n\n".join(filter(None, [shown, self._question.release.disclaimer])),
            outcome=Outcome.ANSWERED,
            citations=self.citations,
            confidence=confidence,
        )


def end_passages(question: Question, *, label: str, recommendation: str, source_hint: str) -> Sequence[Passage]:
    """The passages that are nearest to what an end recommends, of what may be read by whoever asks. One search. Raises
    `EmbedderError`."""
    text = f"{label}. {recommendation} {source_hint}"
    return retriever.retrieve(replace(question, text=text, context=(), facts={}))


def end_claim(recommendation: str) -> str:
    """What a page has to say of it."""
    return f"{recommendation.rstrip(' .')}."
