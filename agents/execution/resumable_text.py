"""The text of a run, by rules or by a model: verified against the passages found, and shown to its reader once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from agents.execution.run_context import RunContext
from agents.models import EventKind
from agents.planners.planner_types import ModelTurn
from agents.planners.templated_replies import result_texts
from agents.tools.contract_tools import CONTRACT_TOOL_NAMES
from contracts.risk import NAMED_LEVEL
from lexic.database import in_thread
from querying.answering.verified_text import VerifiedText, cut_sentences
from querying.presentation.source_citations import cited_sources
from querying.types.answer import Answer, Citation
from querying.types.events import Delta
from querying.types.refusals import refusal_text

Entry = tuple[EventKind, Mapping[str, Any]]


@dataclass
class ShownText:
    """Passes on only the text that the reader has not seen: a process that resumes a run writes it from the beginning.
    Where the text comes out differently, what was shown stays, and nothing is added."""

    context: RunContext
    written: str = ""
    citations: list[Citation] = field(default_factory=list)
    known: str = field(init=False)

    def __post_init__(self) -> None:
        self.known = self.context.progress.text

    @property
    def has_diverged(self) -> bool:
        """Whether what is written differs from what was shown, as far as both go."""
        return not (self.written.startswith(self.known) or self.known.startswith(self.written))

    async def add(self, delta: Delta) -> list[Entry]:
        """The entries that show it; none where it was shown before."""
        is_known = len(self.written) < len(self.known)
        self.written += delta.text
        new = [one for one in dict.fromkeys(delta.citations) if one not in self.citations]
        self.citations += new
        if is_known or self.has_diverged:
            return []
        entries: list[Entry] = [(EventKind.CONTENT, {"text": delta.text})]
        if new:
            sources = await in_thread(cited_sources, new)
            numbered = [
                asdict(replace(source, metadata={**source.metadata, "number": citation.number}))
                for source, citation in zip(sources, new, strict=True)
            ]
            entries.insert(0, (EventKind.SOURCE, {"citations": [*self.context.progress.citations, *numbered]}))
        return entries


class ModelText:
    """What a model writes in the turns of a run, with what the server says of reports and drafts between them. A new
    process reads the turns before its own from the journal."""

    def __init__(self, context: RunContext) -> None:
        question = context.assignment.question
        self.shown = ShownText(context)
        self._context = context
        self._verified = VerifiedText(
            mode=question.release.citation_mode,
            style=question.options.citation_style,
            refusal=refusal_text(question.release),
        )
        self._turns_read = 0
        self._is_read = False  # the text of the turn that comes next

    @property
    def is_empty(self) -> bool:
        return not self.shown.written

    async def write(self, turn: ModelTurn, *, is_shown: bool) -> AsyncGenerator[list[Entry]]:
        """What earlier turns have left to be shown, and the turn's text as it is verified, which is dropped where it is
        not to be shown. Raises `RunCancelled`, `ProviderFailed`."""
        async with aclosing(self._catch_up()) as parts:
            async for entries in parts:
                yield entries
        self._is_read = True
        if not is_shown:
            await self._skip(turn)
            return
        async with aclosing(self._verified_entries(turn.sentences)) as parts:
            async for entries in parts:
                yield entries

    async def conclude(self) -> AsyncGenerator[Delta | Answer]:
        """The last that may be shown, and the whole answer, or the refusal where nothing was shown."""
        findings = list(self._context.progress.findings.values())
        is_refused = bool(findings) and not any(one.is_sufficient for one in findings)
        if last := self._verified.finish():
            yield last
        ending, answer = self._verified.conclude(
            basis=next((one.basis for one in reversed(findings) if one.is_sufficient), None),
            tree_decided=any(one.consultation.has_decided for one in findings),
            weakness="weak_evidence" if is_refused else "",
            disclaimer=self._context.assignment.question.release.disclaimer,
        )
        if ending and self._verified.text:
            yield ending
        yield answer

    async def _catch_up(self) -> AsyncGenerator[list[Entry]]:
        """What the turns so far have said and found."""
        progress = self._context.progress
        for number in range(self._turns_read, len(progress.turns)):
            if not self._is_read:
                async with aclosing(self._verified_entries(_cut_text(progress.said[number]))) as parts:
                    async for entries in parts:
                        yield entries
            calls = progress.turns[number]
            for call in calls:
                if call.id in progress.found:
                    self._verified.add_passages(progress.found[call.id].passages)
            for words in result_texts(progress.results_of(calls), message=self._context.assignment.message):
                if entries := await self.shown.add(self._verified.say(words)):
                    yield entries
            self._turns_read, self._is_read = number + 1, False

    async def _skip(self, turn: ModelTurn) -> None:
        """Reads the turn to its end, for its calls."""
        async with aclosing(self._context.until_cancelled(turn.sentences)) as sentences:
            async for _ in sentences:
                pass
        turn.said = ""

    async def _verified_entries(self, sentences: AsyncGenerator[str]) -> AsyncGenerator[list[Entry]]:
        deltas = self._verified.add(self._without_classes(sentences))
        async with aclosing(self._context.until_cancelled(deltas)) as pieces:
            async for delta in pieces:
                if entries := await self.shown.add(delta):
                    yield entries

    async def _without_classes(self, sentences: AsyncGenerator[str]) -> AsyncGenerator[str]:
        """In a run that looks at contracts, without sentences that class them: only the server does. A contract may say
        of itself that it is GREEN, and would be quoted."""
        looks_at_contracts = any(call.tool in CONTRACT_TOOL_NAMES for call in self._context.progress.calls)
        async with aclosing(sentences):
            async for sentence in sentences:
                if not (looks_at_contracts and NAMED_LEVEL.search(sentence)):
                    yield sentence


async def _cut_text(text: str) -> AsyncGenerator[str]:
    async with aclosing(cut_sentences(_whole(text))) as sentences:
        async for sentence in sentences:
            assert isinstance(sentence, str)
            yield sentence


async def _whole(text: str) -> AsyncGenerator[str]:
    yield text
