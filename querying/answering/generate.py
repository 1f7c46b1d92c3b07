"""The language model's text, verified sentence by sentence before anyone sees it."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from asgiref.sync import sync_to_async

from language.sentences import sentence_spans
from querying.answering import prompts
from querying.answering.citation_styles import render_footnotes, render_sentence
from querying.answering.citations import CitationVerifier, CitedSentence
from querying.answering.guard import Guard
from querying.answering.recommendation_support import Support, find_support
from querying.answering.tree_answers import UNSUPPORTED
from querying.llm_interface import LLM
from querying.question.tree_consultation import Consultation
from querying.sanitize import sanitize
from querying.types import (
    RECOMMENDATION_LEAD,
    Answer,
    ConfidenceBasis,
    Delta,
    Evidence,
    Outcome,
    Prompt,
    Question,
    Usage,
)

# A mark that follows its sentence's full stop still belongs to it.
_TRAILING_MARKS = re.compile(r"\s*(?:[\[【]\s{0,3}sources?\b[^\[\]【】]{0,80}[\]】][\s.]{0,3})+\s*", re.IGNORECASE)
# A model that never ends a sentence must not make us hold, and re-read, an endless buffer.
_MAX_SENTENCE_CHARACTERS = 2000
_MAX_MARK_CHARACTERS = 90


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
    style = question.options.citation_style
    support = await _find_support(question, evidence=evidence, consultation=consultation, llm=llm)
    citer, guard = CitationVerifier(evidence.passages), Guard(mode=question.release.citation_mode)
    usage, text = Usage(), ""

    def shown(sentences: list[CitedSentence]) -> Delta | None:
        nonlocal text
        before = len(text)
        for sentence in sentences:
            text += _separator(text, sentence) + render_sentence(sentence.text, style=style)
        new = text[before:]
        return Delta(text=new) if new else None

    prompt = _build_prompt(question, evidence=evidence, consultation=consultation, support=support)
    async with aclosing(_stream_sentences(llm, prompt)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Usage):
                usage = usage + piece
            # Verification computes; the event loop has other streams to serve meanwhile.
            elif delta := shown(guard.add(await sync_to_async(citer.cite)(piece))):
                yield delta
    if delta := shown(guard.finish()):
        yield delta
    weakness = _support_weakness(text, support) if llm.is_offline and consultation.has_decided else ""
    answer = guard.verdict(text=text, tree_decided=consultation.has_decided, basis=basis, weakness=weakness)
    if answer.outcome == Outcome.ANSWERED:
        disclaimer = sanitize(question.release.disclaimer.strip())
        ending = render_footnotes(answer.citations, style=style) + (f"\n\n{disclaimer}" if disclaimer else "")
        if ending:
            yield Delta(text=ending)
        answer = replace(answer, text=text + ending)
    yield replace(answer, usage=usage)


async def _find_support(
    question: Question, *, evidence: Evidence, consultation: Consultation, llm: LLM
) -> Support | None:
    """The sentence behind what a tree recommends. A model that writes for itself chooses its own sources."""
    if not (llm.is_offline and consultation.has_decided):
        return None
    return await sync_to_async(find_support)(
        question.text,
        recommendation=consultation.recommendation,
        decision_text=consultation.decision_text,
        evidence=evidence,
    )


def _support_weakness(text: str, support: Support | None) -> str:
    """Why an answer after a tree's decision is less sure: its recommendation has no page and is not in the text, or the
    page may speak of something else."""
    if RECOMMENDATION_LEAD not in text:
        return UNSUPPORTED
    return "doubtful_support" if support and support.is_doubtful else ""


def _build_prompt(
    question: Question, *, evidence: Evidence, consultation: Consultation, support: Support | None
) -> Prompt:
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


async def _stream_sentences(llm: LLM, prompt: Prompt) -> AsyncGenerator[str | Usage]:
    """The model's pieces put together into whole sentences, each with the marks that belong to it."""
    buffer = ""
    async with aclosing(llm.generate(prompt)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Usage) or llm.yields_sentences:
                yield piece
            else:
                *whole, buffer = split_sentences(buffer + piece)
                for sentence in whole:
                    yield sentence
    if buffer.strip():
        yield buffer


def split_sentences(text: str) -> list[str]:
    """The text cut between sentences; the last part may be unfinished. Joined, the parts are the text again."""
    starts = [start for start, _ in sentence_spans(text)[1:]]
    cuts = [marks.end() if (marks := _TRAILING_MARKS.match(text, start)) else start for start in starts]
    # Nothing is cut where what follows may turn out to be a mark of the sentence before: `[Sou`.
    may_be_mark = [cut for cut in cuts if text[cut : cut + 1] in ("[", "【") and len(text) - cut < _MAX_MARK_CHARACTERS]
    cuts = [cut for cut in dict.fromkeys(cuts) if cut < len(text) and cut not in may_be_mark]
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    if len(parts[-1]) > _MAX_SENTENCE_CHARACTERS:
        parts.append("")
    return parts


def _separator(before: str, sentence: CitedSentence) -> str:
    if not before:
        return ""
    return "\n" if sentence.begins_line else " "
