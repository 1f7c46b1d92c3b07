"""Asks several plugins one question and joins their answers. Each answers by itself, from its own documents and under
its own rules; each citation names its expert."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from collaboration.collaboration_json import conflicts_as_json, owned_citation
from collaboration.collaboration_types import Consensus, Expert, Response, Round
from collaboration.consensus import build_consensus
from lexic.database import in_thread
from querying import json_format, pipeline
from querying.answering.citation_styles import CITATION_MARK, render_footnotes, render_sentence
from querying.answering.guard import refusal_answer
from querying.answering.llms import get_llm
from querying.llm_interface import LLM
from querying.types.answer import Answer, Citation, Outcome
from querying.types.events import Delta, Done, Failed, Status
from querying.types.question import CitationStyle, Options, Question
from querying.types.token_usage import Usage


@dataclass(frozen=True, kw_only=True)
class JoinedDone:
    """`responses` are in the order in which the experts were named; `citations` are of all that have answered, in the
    numbers of `text`. `compared` says where the answers agree and contradict each other."""

    responses: tuple[Response, ...]
    text: str
    citations: tuple[tuple[Expert, Citation], ...]
    compared: Consensus
    options: Options

    @property
    def answered(self) -> list[Response]:
        return [one for one in self.responses if one.is_answered]

    @property
    def first(self) -> Response:
        """The one whose reasons are those of the whole: the first that answered, else the first that asks back."""
        outcome = self.compared.outcome
        return next(one for one in self.responses if not one.failed and one.answer.outcome == outcome)


JoinedEvent = Status | Delta | JoinedDone | Failed


def ask_inline(question: Question) -> Question:
    """The question with marks that can be numbered anew; `stream_joined` gives them the style that was asked for."""
    return replace(question, options=replace(question.options, citation_style=CitationStyle.INLINE))


async def stream_joined(
    experts: Sequence[Expert], *, options: Options, llm: LLM | None = None
) -> AsyncGenerator[JoinedEvent]:
    """The events of one question to these experts, who were made with `ask_inline`. `options` are the
    caller's. Errors come as `Failed`; it fails where none of them could be asked."""
    llm = llm or get_llm()
    joining = _Joining(options)
    try:
        async with aclosing(_events(experts, llm=llm)) as events:
            async for event in events:
                if isinstance(event, Response):
                    yield joining.add(event)
                else:
                    yield event
        if all(one.failed for one in joining.responses):
            failed = joining.responses[0].failed
            assert failed is not None
            yield failed
            return
        if ending := joining.end():
            yield ending
        yield await in_thread(joining.done)
    except Exception as error:
        yield Failed.from_error(pipeline.as_lexic_error(error, experts[0].question))


async def answer_joined(experts: Sequence[Expert], *, options: Options, llm: LLM | None = None) -> JoinedDone | Failed:
    last: JoinedEvent | None = None
    async with aclosing(stream_joined(experts, options=options, llm=llm)) as events:
        async for event in events:
            last = event
    assert isinstance(last, JoinedDone | Failed)
    return last


async def _events(experts: Sequence[Expert], *, llm: LLM) -> AsyncGenerator[Status | Response]:
    """What each of them does as it comes, and their answers in order. A model is asked for all at once; without one it
    is one processor that works, and one place among the questions that are answered at once is enough."""
    queue: asyncio.Queue[Status | None] = asyncio.Queue()
    slots = asyncio.Semaphore(1 if llm.is_offline else len(experts))

    async def ask(expert: Expert) -> Response:
        try:
            async with slots, aclosing(pipeline.stream(expert.question, llm=llm)) as events:
                async for event in events:
                    if isinstance(event, Status):
                        queue.put_nowait(replace(event, message=f"{expert.name}: {event.message}"))
                    elif isinstance(event, Done | Failed):
                        return _response(expert, event)
            raise AssertionError("a stream ends with Done or Failed")
        finally:
            queue.put_nowait(None)

    tasks = [asyncio.ensure_future(ask(expert)) for expert in experts]
    try:
        for task in tasks:
            while not (task.done() and queue.empty()):
                if status := await queue.get():
                    yield status
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _response(expert: Expert, event: Done | Failed) -> Response:
    if isinstance(event, Done):
        return Response(expert=expert, question_id=expert.question.id, answer=event.answer)
    answer = refusal_answer(event.code, text=event.error)
    return Response(expert=expert, question_id=expert.question.id, answer=answer, failed=event)


class _Joining:
    """The text of the answers as they come, each with the name of who gives it."""

    def __init__(self, options: Options) -> None:
        self.responses: list[Response] = []
        self._options = options
        self._text = ""
        self._citations: list[tuple[Expert, Citation]] = []

    def add(self, response: Response) -> Delta:
        self.responses.append(response)
        offset, answer = len(self._citations), response.answer
        numbered = [replace(one, number=one.number + offset) for one in answer.citations]
        self._citations += [(response.expert, citation) for citation in numbered]
        text = f"{response.expert.name}: {_renumber(answer.text, offset)}"
        return self._say(render_sentence(text, style=self._options.citation_style))

    def end(self) -> Delta | None:
        """The footnotes, where these were asked for."""
        if self._options.citation_style != CitationStyle.FOOTNOTE:
            return None
        notes = render_footnotes([citation for _, citation in self._citations], style=self._options.citation_style)
        return self._say(notes.strip()) if notes else None

    def done(self) -> JoinedDone:
        return JoinedDone(
            responses=tuple(self.responses),
            text=self._text,
            citations=tuple(self._citations),
            compared=build_consensus([Round(number=1, responses=tuple(self.responses))]),
            options=self._options,
        )

    def _say(self, words: str) -> Delta:
        new = f"\n\n{words}" if self._text else words
        self._text += new
        return Delta(text=new)


def _renumber(text: str, offset: int) -> str:
    def mark(found: re.Match[str]) -> str:
        return f"[Source {int(found[1]) + offset}]"

    return CITATION_MARK.sub(mark, text)


# --- JSON --------------------------------------------------------------------------------------------------------


def joined_as_json(done: JoinedDone) -> dict[str, Any]:
    """The keys of an answer, put together, and the answers one by one."""
    question = done.first.expert.question
    shown = json_format.answer_as_json(_whole(done), question=replace(question, options=done.options))
    heard = [one for one in done.responses if not one.failed]
    numbers = {(expert.slug, citation.span): citation.number for expert, citation in done.citations}
    shows_citations = bool(shown["citations"])
    return {
        **shown,
        "citations": [owned_citation(one, expert) for expert, one in done.citations] if shows_citations else [],
        "pluginVersion": ", ".join(one.expert.question.release.version or "draft" for one in heard),
        "release": ", ".join(str(one.expert.question.release) for one in heard),
        "answers": [_part_as_json(one, done.options) for one in heard],
        "failed": [_failure_as_json(one.expert, one.failed) for one in done.responses if one.failed],
        "agreementLevel": done.compared.agreement,
        "conflicts": conflicts_as_json(done.compared.disagreements, numbers),
    }


def _whole(done: JoinedDone) -> Answer:
    """The answers as one. The path of a tree is its expert's own, and stands with that answer."""
    first = done.first.answer
    usage = sum((one.answer.usage for one in done.responses), Usage())
    citations = tuple(citation for _, citation in done.citations)
    if done.compared.outcome != Outcome.ANSWERED:
        return replace(first, text=done.text, citations=citations, decision_path=(), usage=usage)
    level = done.compared.confidence
    return Answer(text=done.text, outcome=Outcome.ANSWERED, citations=citations, confidence=level, usage=usage)


def _part_as_json(response: Response, options: Options) -> dict[str, Any]:
    """Its own answer, with marks in its own numbers."""
    question = replace(response.expert.question, options=replace(options, citation_style=CitationStyle.INLINE))
    if options.citation_style == CitationStyle.OFF:
        question = replace(question, options=options)
        text = render_sentence(response.answer.text, style=CitationStyle.OFF)
        response = replace(response, answer=replace(response.answer, text=text))
    shown = json_format.answer_as_json(response.answer, question=question)
    cited = [{**citation, "plugin": response.expert.slug} for citation in shown["citations"]]
    return {"plugin": response.expert.slug, "name": response.expert.name, **shown, "citations": cited}


def _failure_as_json(expert: Expert, failed: Failed) -> dict[str, Any]:
    return {"plugin": expert.slug, "name": expert.name, "error": failed.error, "code": failed.code, "hint": failed.hint}


def event_as_json(event: JoinedEvent, *, question: Question) -> dict[str, Any]:
    if isinstance(event, JoinedDone):
        return {"type": "done", **joined_as_json(event)}
    return json_format.event_as_json(event, question=question)
