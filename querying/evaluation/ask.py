"""One question put to the engine: to retrieval alone, or to the whole pipeline."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from asgiref.sync import async_to_sync

from knowledge.filters import Filters
from knowledge.search import LEXICAL_SUPPORT, Passage
from plugins.models import Release
from querying import gate, gather, pipeline
from querying.cite import referenced_numbers
from querying.evaluation.library import Library
from querying.evaluation.types import Asked, Found, Given, Span
from querying.evidence import WEIGHED_PASSAGES
from querying.generate import split_sentences
from querying.llms.base import LLM
from querying.models import Query
from querying.plain import plain
from querying.types import Answer, Asker, Citation, Evidence, Failed, Options, Outcome, Question

# As deep as recall is measured. The product reads far fewer; the first ones are the same.
DEPTH = 100
SENTENCES = 5
_ASKER = Asker(name="evaluation", is_measurement=True)


def question_of(asked: Asked, library: Library) -> Question:
    """The question as a caller would put it. Raises `InvalidFilter`."""
    filters = Filters.parse(asked.filters)
    if asked.scope is not None:
        documents = tuple(library.documents[name] for name in asked.scope if name in library.documents)
        filters = replace(filters, document_ids=documents)
    return Question(
        text=asked.text,
        release=library.release,
        asker=_ASKER,
        context=asked.turns,
        facts=asked.facts,
        options=Options(filters=filters or None),
    )


def retrieve(question: Question) -> Found:
    """What the engine reads and weighs for this question. Nothing is written and no language model asked.

    The ranking goes deeper than the product reads, and regards no threshold; the evidence is weighed over exactly
    what the product would read.
    """
    begun = time.perf_counter()
    release = question.release
    deeper = replace(question, release=_deeper(release))
    passages = gather.retrieve(deeper)
    read = [one for one in passages if _is_read(one, release.threshold)][: release.top_k]
    evidence = gather.weigh_evidence(question, read)
    judged = gate.judge(question.text, evidence, sufficient=release.evidence_threshold)
    milliseconds = 1000 * (time.perf_counter() - begun)
    head = evidence.passages[:WEIGHED_PASSAGES]
    weighed = {one.chunk_id for one in head}
    ranking = [*head, *(one for one in passages if one.chunk_id not in weighed)]
    return Found(
        passages=tuple(_span(one, 0, len(one.content)) for one in ranking),
        sentences=tuple(_first_sentences(evidence)),
        strength=evidence.strength,
        gate_score=judged.score,
        passes=judged.passes,
        milliseconds=milliseconds,
    )


def _deeper(release: Release) -> Release:
    policy = {**release.policy(), "top_k": DEPTH, "threshold": -1.0}
    return Release(plugin=release.plugin, knowledge=release.knowledge, **policy)


def _is_read(passage: Passage, threshold: float) -> bool:
    is_near = passage.cosine is not None and passage.cosine > threshold
    return is_near or passage.lexical >= LEXICAL_SUPPORT


def _first_sentences(evidence: Evidence) -> Iterator[Span]:
    """The best ones. Chunks overlap, so the same sentence may have been weighed twice."""
    spans = (_span(evidence.passages[one.source], one.start, one.end) for one in evidence.sentences)
    distinct = {(span.page_id, span.start, span.end): span for span in reversed(list(spans))}
    yield from islice(reversed(distinct.values()), SENTENCES)


def _span(passage: Passage, start: int, end: int) -> Span:
    """`passage.content[start:end]` as a stretch of its page."""
    return Span(
        document=passage.document_id,
        page_id=passage.page_id,
        page_number=passage.page_number,
        start=passage.start + start,
        end=passage.start + end,
        text=passage.content[start:end],
    )


def answer(question: Question, *, llm: LLM | None = None) -> Given:
    """What a caller would get. The audit row is read for the scores and deleted: nobody asked this."""
    begun = time.perf_counter()
    last = async_to_sync(pipeline.answer)(question, llm=llm)
    milliseconds = 1000 * (time.perf_counter() - begun)
    row = Query.objects.filter(pk=question.id)
    strength, gate_score = row.values_list("evidence", "evidence_score").first() or (None, None)
    row.delete()
    if isinstance(last, Failed):
        return Given(outcome=Outcome.FAILED.value, strength=strength, milliseconds=milliseconds, text=last.error)
    given = last.answer
    return Given(
        outcome=given.outcome.value,
        strength=strength,
        gate_score=gate_score,
        grounds=given.basis.grounds if given.basis else None,
        probability=given.basis.probability if given.basis else None,
        milliseconds=milliseconds,
        text=given.text,
        confidence=given.confidence.value,
        citations=tuple(_cited(citation) for citation in given.citations),
        statements=tuple(_statements(given, disclaimer=question.release.disclaimer)),
        nodes=tuple(str(step.get("node", "")) for step in given.decision_path),
    )


def _cited(citation: Citation) -> Span:
    whole = _span(citation.passage, 0, 0)
    return replace(whole, start=citation.start, end=citation.end, text=citation.excerpt)


def _statements(given: Answer, *, disclaimer: str) -> Iterator[tuple[int, ...]]:
    """For each sentence of the answer the positions of its citations. The disclaimer states nothing."""
    if given.outcome != Outcome.ANSWERED:
        return
    text = given.text
    if shown := plain(disclaimer.strip()):
        text = text.removesuffix(shown)
    positions = {citation.number: at for at, citation in enumerate(given.citations)}
    for sentence in split_sentences(text):
        numbers = dict.fromkeys(referenced_numbers(sentence))
        if sentence.strip():
            yield tuple(positions[number] for number in numbers if number in positions)
