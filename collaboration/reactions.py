"""Finds out without a language model what an expert says to the others' statements: its own documents are searched for
each statement, and quoted if they confirm or contradict it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from collaboration.collaboration_types import MAX_STATEMENT_CHARACTERS, Expert, Reaction, Response, Stance, Statement
from collaboration.statements import (
    contradicting_citation,
    distinct_passages,
    heading_of,
    statements_conflict,
    statements_of,
    supporting_citations,
)
from knowledge.search.passages import Passage
from lexic.database import in_thread
from querying import pipeline
from querying.answering.grounding.supporting_spans import as_one_line
from querying.answering.guard import refusal_answer
from querying.llm_interface import LLM
from querying.types.answer import Answer, Citation, Outcome
from querying.types.confidence import Confidence
from querying.types.question import Question
from querying.types.refusals import refusal_text


async def react(expert: Expert, *, before: Response | None, statements: Sequence[Statement], llm: LLM) -> Response:
    """What the expert says after it has heard these statements of others: its answer of `before`, and what its
    documents say of them. Raises what `pipeline.search_each` raises."""
    question = expert.ask_again()
    texts = [statement.text[:MAX_STATEMENT_CHARACTERS] for statement in statements]
    found = await pipeline.search_each(question, texts, llm=llm)
    reactions = await in_thread(_judge_all, statements, found)
    answer, reactions = _add_quotations(_answer_before(expert, before), reactions)
    return make_response(question, answer, expert=expert, before=before, reactions=reactions)


def make_response(
    question: Question, answer: Answer, *, expert: Expert, before: Response | None, reactions: Sequence[Reaction]
) -> Response:
    """What the expert says to the question, beside what it said in the round before."""
    return Response(
        expert=expert,
        question_id=question.id,
        answer=answer,
        revised=before is not None and answer.text != before.answer.text,
        note=describe_reactions(reactions),
        reactions=tuple(reactions),
    )


def reactions_in(answer: Answer, expert: Expert, statements: Sequence[Statement]) -> list[Reaction]:
    """Which of these statements of others the answer confirms or contradicts, by what it cites."""
    own, passages = statements_of(answer, expert), distinct_passages(answer.citations)
    found = []
    for statement in statements:
        against = [(one, conflict) for one in own if (conflict := statements_conflict(one, statement))]
        if against:
            said, conflict = against[0]
            found.append(
                Reaction(statement=statement, stance=Stance.CONTRADICTS, citations=said.citations, conflict=conflict)
            )
        elif spans := {cited.span for cited in supporting_citations(statement.text, passages)}:
            cited = tuple(one for one in answer.citations if any(_overlap(one, span) for span in spans))
            if cited:
                found.append(Reaction(statement=statement, stance=Stance.AGREES, citations=cited))
    return found


def _overlap(citation: Citation, span: tuple[int, int, int]) -> bool:
    page, start, end = citation.span
    return page == span[0] and start < span[2] and span[1] < end


def _judge_all(statements: Sequence[Statement], found: Sequence[Sequence[Passage]]) -> list[Reaction]:
    judged = (_judge(one, passages) for one, passages in zip(statements, found, strict=True))
    return [reaction for reaction in judged if reaction]


def _judge(statement: Statement, passages: Sequence[Passage]) -> Reaction | None:
    """None where the documents say nothing of it."""
    source = statement.citations[0]
    wordings = dict.fromkeys([statement.text, as_one_line(source.excerpt)])
    heading = heading_of(source.passage)
    against = [found for text in wordings if (found := contradicting_citation(text, passages, heading=heading))]
    certain = next((pair for pair in against if pair[1].is_certain), None)
    if not certain:
        for text in wordings:
            if cited := supporting_citations(text, passages):
                return Reaction(statement=statement, stance=Stance.AGREES, citations=cited[:1])
    if not against:
        return None
    citation, conflict = certain or against[0]
    return Reaction(statement=statement, stance=Stance.CONTRADICTS, citations=(citation,), conflict=conflict)


def _answer_before(expert: Expert, before: Response | None) -> Answer:
    if before and before.failed is None:
        return before.answer
    return refusal_answer("no_evidence", text=refusal_text(expert.question.release))


def _add_quotations(answer: Answer, reactions: Sequence[Reaction]) -> tuple[Answer, list[Reaction]]:
    """The answer with what the reactions quote as sentences of their own, and the reactions with its numbers."""
    by_span = {one.span: one for one in answer.citations} if answer.outcome == Outcome.ANSWERED else {}
    said, numbered = [answer.text] if by_span else [], []
    for reaction in reactions:
        cited = []
        for citation in reaction.citations:
            if citation.span not in by_span:
                by_span[citation.span] = replace(citation, number=len(by_span) + 1)
                said.append(_quotation(by_span[citation.span]))
            cited.append(by_span[citation.span])
        numbered.append(replace(reaction, citations=tuple(cited)))
    if not numbered:
        return answer, []
    level = answer.confidence if answer.outcome == Outcome.ANSWERED else Confidence.MEDIUM
    text, citations = "\n\n".join(said), tuple(by_span.values())
    made = Answer(text=text, outcome=Outcome.ANSWERED, citations=citations, confidence=level, basis=answer.basis)
    return replace(made, decision_path=answer.decision_path), numbered


def _quotation(citation: Citation) -> str:
    text = as_one_line(citation.excerpt)
    body, stop = (text[:-1], text[-1]) if text[-1:] in (".", "!", "?", ":") else (text, ".")
    return f"{body} [Source {citation.number}]{stop}"


def describe_reactions(reactions: Sequence[Reaction]) -> str:
    """`Agrees with A; contradicts B.`"""
    verbs = {Stance.AGREES: "agrees with", Stance.CONTRADICTS: "contradicts"}
    names: dict[Stance, dict[str, None]] = {}
    for reaction in reactions:
        names.setdefault(reaction.stance, {})[reaction.statement.expert.name] = None
    parts = [f"{verb} {' and '.join(names[stance])}" for stance, verb in verbs.items() if stance in names]
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""
