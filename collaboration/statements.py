"""The verified sentences of an answer, and how those of two experts go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from collaboration.collaboration_types import MAX_STATEMENTS, Expert, Statement
from knowledge.chunking.title_path import title_path
from knowledge.search.passages import Passage
from querying.answering.citations import CitationVerifier, referenced_numbers, without_marks
from querying.answering.grounding.conflict_types import StatementConflict
from querying.answering.grounding.statement_conflicts import find_conflict
from querying.answering.grounding.supporting_spans import as_one_line
from querying.answering.verified_text import split_sentences
from querying.retrieval.combined_evidence import passage_place
from querying.types.answer import Answer, Citation, Outcome


def statements_of(answer: Answer, expert: Expert) -> list[Statement]:
    """The cited sentences of an answer, as far as others are told of them. Of several by the same words of a page, such
    as a recommendation and the sentence that it rests on, the fullest one."""
    if answer.outcome != Outcome.ANSWERED:
        return []
    by_source: dict[tuple[tuple[int, int, int], ...], Statement] = {}
    for said in _cited_sentences(answer, expert):
        spans = tuple(citation.span for citation in said.citations)
        if spans not in by_source or len(by_source[spans].text) < len(said.text):
            by_source[spans] = said
    return list(by_source.values())[:MAX_STATEMENTS]


def _cited_sentences(answer: Answer, expert: Expert) -> Iterator[Statement]:
    by_number = {citation.number: citation for citation in answer.citations}
    for sentence in split_sentences(answer.text):
        cited = tuple(by_number[one] for one in dict.fromkeys(referenced_numbers(sentence)) if one in by_number)
        if cited and (claim := without_marks(sentence)):
            yield Statement(expert=expert, text=claim, citations=cited)


def statements_conflict(one: Statement, other: Statement) -> StatementConflict | None:
    """How two experts' statements exclude each other, by their words or by those that they quote; a certain conflict
    first."""
    found = [
        conflict
        for (mine, above), (text, heading) in product(_wordings(one), _wordings(other))
        if (conflict := find_conflict(mine, text, headings=(above, heading)))
    ]
    return next((conflict for conflict in found if conflict.is_certain), found[0] if found else None)


def _wordings(statement: Statement) -> list[tuple[str, str]]:
    """How it may be read: as it was said, and as its first source has it; each with the headings above it."""
    source = statement.citations[0]
    heading = heading_of(source.passage)
    texts = dict.fromkeys([statement.text, as_one_line(source.excerpt)])
    return [(text, heading) for text in texts]


def heading_of(passage: Passage) -> str:
    return title_path(passage.document_title, passage.section_path)


def supporting_citations(claim: str, passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Where these passages bear the claim out, as they would for an answer."""
    marks = " ".join(f"[Source {number}]" for number, _ in enumerate(passages, start=1))
    return CitationVerifier(passages, finds_conflicts=False).cite(f"{claim} {marks}").citations


def contradicting_citation(
    claim: str, passages: Sequence[Passage], *, heading: str = ""
) -> tuple[Citation, StatementConflict] | None:
    """The sentence of these passages that excludes the claim; one that does for certain first. `heading` is what stands
    above the claim."""
    possible: tuple[Citation, StatementConflict] | None = None
    for passage in passages:
        for start, end in passage.sentence_spans():
            text = as_one_line(passage.content[start:end])
            if conflict := find_conflict(claim, text, headings=(heading, heading_of(passage))):
                found = cite_sentence(passage, start, end), conflict
                if conflict.is_certain:
                    return found
                possible = possible or found
    return possible


def cite_sentence(passage: Passage, start: int, end: int) -> Citation:
    """A sentence of a passage, `passage.content[start:end]`, as a citation."""
    begin = passage.start
    excerpt = passage.content[start:end]
    return Citation(number=1, passage=passage, start=begin + start, end=begin + end, excerpt=excerpt, score=1.0)


def distinct_passages(citations: Sequence[Citation]) -> list[Passage]:
    return list({passage_place(one.passage): one.passage for one in citations}.values())
