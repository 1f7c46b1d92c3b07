"""An answer written from evidence by a language model, verified before anyone sees it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from asgiref.sync import sync_to_async

from lexic.phrases import in_language
from querying.answering import prompts
from querying.answering.guard import UNVERIFIED_SUFFIX
from querying.answering.llms.extractive.list_text import (
    describe_left_out,
    least_cited_items,
    leaves_out_items,
    quoted_list,
)
from querying.answering.llms.extractive.unquoted_rows import describe_unquoted_rows
from querying.answering.recommendation_support import Support, find_support
from querying.answering.tree_answers import UNSUPPORTED
from querying.answering.verified_text import VerifiedText, cut_sentences
from querying.llm_interface import LLM, ProviderFailed
from querying.question.answer_language import answer_language
from querying.question.consultation import Consultation
from querying.question.misspellings import describe_misspellings
from querying.question.resolve import ResolvedQuestion
from querying.types.answer import Answer, Outcome
from querying.types.confidence import Confidence, ConfidenceBasis
from querying.types.events import Delta
from querying.types.evidence import Evidence, SectionList
from querying.types.prompt import Prompt
from querying.types.question import Question
from querying.types.refusals import RECOMMENDATION_LEAD, refusal_text

logger = logging.getLogger(__name__)


async def generate(
    question: Question,
    *,
    evidence: Evidence,
    consultation: Consultation,
    llm: LLM,
    basis: ConfidenceBasis | None = None,
) -> AsyncGenerator[Delta | Answer]:
    """Yield what may be shown as it is verified, and at the end the whole answer.

    The answer's text is the deltas put together, unless it is refused: then nothing was shown.
    """
    release = question.release
    support = await _find_support(question, evidence=evidence, consultation=consultation, llm=llm)
    prompt = build_prompt(question, evidence=evidence, consultation=consultation, support=support)
    written = llm.generate(prompt)
    text = VerifiedText(
        evidence.passages,
        mode=release.citation_mode,
        style=question.options.citation_style,
        refusal=refusal_text(release),
    )
    shown = text.add_at_once(written) if llm.yields_sentences else text.add(cut_sentences(written))
    async with aclosing(shown) as deltas:
        async for delta in deltas:
            yield delta
    if last := text.finish():
        yield last
    weakness = _support_weakness(text.text, support) if llm.is_offline and consultation.has_decided else ""
    is_quoted = llm.is_offline and not support
    listed = quoted_list(evidence) if is_quoted else None
    unquoted = describe_unquoted_rows(prompt.question, evidence) if is_quoted and not listed else ""
    notes = [describe_misspellings(ResolvedQuestion.of(question).misspellings), describe_left_out(listed), unquoted]
    ending, answer = text.conclude(
        basis=basis,
        tree_decided=consultation.has_decided,
        weakness=weakness,
        note=_joined_notes(question, notes),
        disclaimer=release.disclaimer,
    )
    if ending:
        yield ending
    least = least_cited_items(ResolvedQuestion.of(question).search_text, evidence, listed)
    yield _one_step_less_sure(answer, listed, least=least, is_part=bool(unquoted)) if is_quoted else answer


async def recap_or_list(
    written: AsyncGenerator[Delta | Answer], listed: Answer, question: Question
) -> AsyncGenerator[Delta | Answer]:
    """A summary of the listed documents, verified like every answer; the list itself where the model fails, or where
    nothing that it writes can be verified; then with what the model was paid."""
    has_begun, usage = False, listed.usage
    try:
        async with aclosing(written):
            async for piece in written:
                if isinstance(piece, Answer) and piece.outcome != Outcome.ANSWERED:
                    usage = piece.usage
                    break
                has_begun = True
                yield piece
            else:
                return
    except ProviderFailed as error:
        if has_begun:
            raise
        logger.warning("the recap of query %s is a list: %s", question.id, error.code)
    yield Delta(text=listed.text, citations=listed.citations)
    yield replace(listed, usage=usage)


def _one_step_less_sure(answer: Answer, listed: SectionList | None, *, least: int, is_part: bool) -> Answer:
    """The answer, not called high where it may not give all items, or not those of the list that was meant. `is_part`:
    it leaves out rows of a table."""
    if answer.confidence != Confidence.HIGH:
        return answer
    if is_part or (listed and listed.left_out) or leaves_out_items(answer.citations, least=least):
        reason = "incomplete_list"
    elif listed and listed.is_one_of_several:
        reason = "other_lists"
    else:
        return answer
    return replace(answer, confidence=Confidence.MEDIUM, reason=answer.reason or reason)


def _joined_notes(question: Question, notes: Sequence[str]) -> str:
    """What we add to an answer, in the language of the question: once joined, it can no longer be translated."""
    said = [note for note in notes if note]
    if not said:
        return ""
    language = answer_language(question)
    return "\n\n".join(in_language(note, language) for note in said)


async def _find_support(
    question: Question, *, evidence: Evidence, consultation: Consultation, llm: LLM
) -> Support | None:
    """The sentence behind what a tree recommends. A model that writes for itself chooses its own sources."""
    if not (llm.is_offline and consultation.has_decided):
        return None
    return await sync_to_async(find_support)(
        ResolvedQuestion.of(question).search_text,
        recommendation=consultation.recommendation,
        decision_text=consultation.decision_text,
        evidence=evidence,
    )


def _support_weakness(text: str, support: Support | None) -> str:
    """Why an answer after a tree's decision is less sure: its recommendation has no page, whether it is in the text or
    not, or the page may speak of something else."""
    if RECOMMENDATION_LEAD not in text or UNVERIFIED_SUFFIX in text:
        return UNSUPPORTED
    return "doubtful_support" if support and support.is_doubtful else ""


def build_prompt(
    question: Question, *, evidence: Evidence, consultation: Consultation, support: Support | None = None
) -> Prompt:
    """What the model is given. `support` is the sentence behind what a tree recommends."""
    messages = prompts.build_messages(
        question,
        passages=evidence.passages,
        labels=evidence.labels,
        path=consultation.path,
        recommendation=consultation.recommendation,
    )
    return Prompt(
        messages=messages,
        question=question.text,
        evidence=evidence,
        recommendation=consultation.recommendation,
        support=support.sentence if support else None,
    )
