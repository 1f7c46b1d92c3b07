"""Asks one question: only the retrieval, or the whole pipeline."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from asgiref.sync import async_to_sync

from evaluation.eval_corpus import EvalCorpus
from evaluation.eval_types import EvalQuestion, PageSpan, PipelineOutcome, RetrievalOutcome
from knowledge.search.filters import Filters
from knowledge.search.hybrid import passes_threshold
from knowledge.search.passages import Passage
from language.letters_and_digits import letters_and_digits
from plugins.models import Release
from querying import pipeline
from querying.answering import sufficiency
from querying.answering.citations import referenced_numbers
from querying.answering.verified_text import split_sentences
from querying.llm_interface import LLM
from querying.models import Query
from querying.retrieval import retriever
from querying.retrieval.evidence import MAX_SCORED_PASSAGES
from querying.sanitize import sanitize
from querying.types.answer import Answer, Outcome
from querying.types.events import Failed
from querying.types.evidence import Evidence
from querying.types.question import Caller, Options, Question

# As deep as recall is measured. The product reads far fewer; the first ones are the same.
RETRIEVAL_DEPTH = 100
MAX_SENTENCES = 5
_EVALUATION_CALLER = Caller(name="evaluation", is_evaluation=True)


def build_question(asked: EvalQuestion, library: EvalCorpus) -> Question:
    """The question as a caller would put it. Raises `InvalidFilter`."""
    filters = Filters.parse(asked.filters)
    if asked.scope is not None:
        documents = tuple(library.documents[name] for name in asked.scope if name in library.documents)
        filters = replace(filters, document_ids=documents)
    return Question(
        text=asked.text,
        release=library.release,
        caller=_EVALUATION_CALLER,
        context=asked.turns,
        facts=asked.facts,
        options=Options(filters=filters or None),
    )


def run_retrieval(question: Question) -> RetrievalOutcome:
    """What retrieval finds and scores for this question. No row is written, and no language model is asked.

    The ranking goes deeper than the product reads, and ignores the threshold; the evidence is scored over exactly what
    the product would read.
    """
    begun = time.perf_counter()
    release = question.release
    policy = {**release.policy(), "top_k": RETRIEVAL_DEPTH, "threshold": -1.0}
    deep_release = Release(plugin=release.plugin, knowledge=release.knowledge, **policy)
    passages = retriever.retrieve(replace(question, release=deep_release))
    read = [one for one in passages if passes_threshold(one, release.threshold)][: release.top_k]
    evidence = retriever.build_evidence(question, read)
    judged = sufficiency.assess_sufficiency(question.text, evidence, threshold=release.evidence_threshold)
    milliseconds = 1000 * (time.perf_counter() - begun)
    outcome = retrieval_outcome(evidence, passes=judged.passes, milliseconds=milliseconds)
    head = evidence.passages[:MAX_SCORED_PASSAGES]
    weighed = {one.chunk_id for one in head}
    ranking = [*head, *(one for one in passages if one.chunk_id not in weighed)]
    spans = tuple(_page_span(one, 0, len(one.content)) for one in ranking)
    return replace(outcome, passages=spans, sufficiency_score=judged.score)


def retrieval_outcome(
    evidence: Evidence, *, passes: bool, milliseconds: float, weighed: int = MAX_SCORED_PASSAGES
) -> RetrievalOutcome:
    """The passages that were weighed (so many at most), and nothing besides; their strength decides."""
    return RetrievalOutcome(
        passages=tuple(_page_span(one, 0, len(one.content)) for one in evidence.passages[:weighed]),
        sentences=tuple(_top_sentences(evidence)),
        strength=evidence.strength,
        sufficiency_score=evidence.strength,
        passes=passes,
        milliseconds=milliseconds,
    )


def _top_sentences(evidence: Evidence) -> Iterator[PageSpan]:
    """The best ones. Chunks overlap, so the same sentence may have been weighed twice."""
    spans = (_page_span(evidence.passages[one.source], one.start, one.end) for one in evidence.sentences)
    distinct = {(span.page_id, span.start, span.end): span for span in reversed(list(spans))}
    yield from islice(reversed(distinct.values()), MAX_SENTENCES)


def _page_span(passage: Passage, start: int, end: int) -> PageSpan:
    """`passage.content[start:end]` as a stretch of its page."""
    return PageSpan(
        document=passage.document_id,
        page_id=passage.page_id,
        page_number=passage.page_number,
        start=passage.start + start,
        end=passage.start + end,
        text=passage.content[start:end],
    )


def run_pipeline(question: Question, *, llm: LLM | None = None) -> PipelineOutcome:
    """What a caller would get. The query row is read for the scores and then deleted, because it is not the question of
    a caller."""
    begun = time.perf_counter()
    row = Query.objects.filter(pk=question.id)
    try:
        last = async_to_sync(pipeline.answer)(question, llm=llm)
        milliseconds = 1000 * (time.perf_counter() - begun)
        strength, sufficiency_score = row.values_list("evidence", "evidence_score").first() or (None, None)
    finally:  # also of a run that is cancelled
        row.delete()
    if isinstance(last, Failed):
        return PipelineOutcome(
            outcome=Outcome.FAILED.value, strength=strength, milliseconds=milliseconds, text=last.error
        )
    given = last.answer
    return PipelineOutcome(
        outcome=given.outcome.value,
        strength=strength,
        sufficiency_score=sufficiency_score,
        grounds=given.basis.grounds if given.basis else None,
        probability=given.basis.probability if given.basis else None,
        milliseconds=milliseconds,
        text=given.text,
        confidence=given.confidence.value,
        citations=tuple(
            replace(_page_span(one.passage, 0, 0), start=one.start, end=one.end, text=one.excerpt)
            for one in given.citations
        ),
        statements=tuple(statement_citations(given, disclaimer=question.release.disclaimer)),
        nodes=tuple(str(step.get("node", "")) for step in given.decision_path),
        nearest=tuple(_page_span(one, 0, len(one.content)) for one in given.nearest),
        about=given.about,
    )


def statement_citations(given: Answer, *, disclaimer: str) -> Iterator[tuple[int, ...]]:
    """The positions of the citations of each sentence of the answer, the disclaimer left out.

    A quotation of several sentences has one mark, behind the last. So a sentence without a mark has those of the next
    marks whose excerpts hold it.
    """
    if given.outcome != Outcome.ANSWERED:
        return
    text = given.text
    if shown := sanitize(disclaimer.strip()):
        text = text.removesuffix(shown)
    positions = {citation.number: at for at, citation in enumerate(given.citations)}
    excerpts = [letters_and_digits(citation.excerpt) for citation in given.citations]
    unmarked: list[str] = []
    for sentence in filter(str.strip, split_sentences(text)):
        found = [positions[number] for number in dict.fromkeys(referenced_numbers(sentence)) if number in positions]
        if not found:
            unmarked.append(letters_and_digits(sentence))
            continue
        yield from (tuple(at for at in found if letters in excerpts[at]) for letters in unmarked)
        yield tuple(found)
        unmarked = []
    yield from (() for _ in unmarked)
