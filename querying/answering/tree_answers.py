"""The recommendation of a decision tree as an answer, marked as the expert's, if the documents alone do not answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lexic.phrases import phrase
from plugins.models import CitationMode
from querying.answering.citation_styles import render_footnotes, render_sentence
from querying.answering.citations import CitationVerifier, CitedSentence
from querying.answering.guard import UNVERIFIED_SUFFIX
from querying.question.consultation import Consultation
from querying.sanitize import sanitize
from querying.types.answer import Answer, Outcome
from querying.types.confidence import Confidence
from querying.types.evidence import Evidence
from querying.types.question import Question
from querying.types.refusals import OUTCOMES_LEAD, RECOMMENDATION_LEAD

UNSUPPORTED = "unsupported_recommendation"


def unsupported_end(question: Question, consultation: Consultation, refusal: Answer) -> Answer:
    """An end of a tree that no page supports: the recommendation as such, at low confidence; with mandatory citations
    the refusal, which says so."""
    said = sanitize(consultation.recommendation).strip()
    if question.release.citation_mode == CitationMode.MANDATORY:
        end = consultation.walk.path[-1].label if consultation.walk else ""
        why = phrase(
            "The expert's decision tree ends at “%(end)s”, and no page supports what it recommends.", end=sanitize(end)
        )
        return replace(refusal, reason=UNSUPPORTED, why=(why, *refusal.why))
    text = f"{RECOMMENDATION_LEAD} {said.rstrip(' .')}{UNVERIFIED_SUFFIX}."
    return Answer(
        text=text, outcome=Outcome.ANSWERED, reason=UNSUPPORTED, confidence=Confidence.LOW, basis=refusal.basis
    )


def possible_outcomes(question: Question, consultation: Consultation, evidence: Evidence) -> Answer | None:
    """What the tree recommends for each answer that the person could not give, each with the page that supports it.
    With mandatory citations only those that have one; None where none has."""
    citer = CitationVerifier(evidence.passages, finds_conflicts=False)
    is_strict = question.release.citation_mode == CitationMode.MANDATORY
    cited = [(option, citer.cite(f"{outcome.rstrip(' .')}.")) for option, outcome in consultation.outcomes]
    shown = [pair for pair in cited if pair[1].citations or not is_strict]
    if not shown or consultation.walk is None or consultation.walk.missing is None:
        return None
    style = question.options.citation_style
    lines = [OUTCOMES_LEAD, "", *_outcome_lines(shown)]
    return Answer(
        text=render_sentence("\n".join(lines), style=style) + render_footnotes(citer.citations, style=style),
        outcome=Outcome.ANSWERED,
        citations=citer.citations,
        confidence=Confidence.MEDIUM if all(sentence.citations for _, sentence in cited) else Confidence.LOW,
    )


def _outcome_lines(shown: list[tuple[str, CitedSentence]]) -> Iterator[str]:
    for option, sentence in shown:
        unverified = "" if sentence.citations else UNVERIFIED_SUFFIX
        yield f"- {sanitize(option)}: {sentence.text.rstrip('.')}{unverified}"
