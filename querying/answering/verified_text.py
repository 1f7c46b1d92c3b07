"""A text that is verified sentence by sentence as it is written, whoever writes it: before anyone sees it."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from asgiref.sync import sync_to_async

from knowledge.search.passages import Passage
from language.sentences import sentence_spans
from querying.answering.citation_styles import render_footnotes, render_sentence
from querying.answering.citations import CitationVerifier, CitedSentence
from querying.answering.guard import Guard
from querying.retrieval.combined_evidence import passage_place
from querying.sanitize import sanitize
from querying.types.answer import Answer, Outcome
from querying.types.confidence import Confidence, ConfidenceBasis
from querying.types.events import Delta
from querying.types.question import CitationStyle
from querying.types.refusals import REFUSAL
from querying.types.token_usage import Usage

# A mark that follows its sentence's full stop still belongs to it.
_TRAILING_MARKS = re.compile(r"\s*(?:[\[【]\s{0,3}sources?\b[^\[\]【】]{0,80}[\]】][\s.]{0,3})+\s*", re.IGNORECASE)
# A model that never ends a sentence must not make us hold, and re-read, an endless buffer.
_MAX_SENTENCE_CHARACTERS = 2000
_MAX_MARK_CHARACTERS = 90


class VerifiedText:
    """What may be shown of a text, and the verdict at its end. `[Source N]` in it means the Nth of `passages`, from 1;
    where it is shown, N is the number of the citation.

    It may be written in several parts, with searches in between: passages are added, and both numberings go on. `mode`
    is a `CitationMode`, and `refusal` what is said where nothing may be shown. `text` is what was shown so far, `usage`
    what the writer counted.
    """

    def __init__(
        self,
        passages: Sequence[Passage] = (),
        *,
        mode: str,
        style: CitationStyle = CitationStyle.INLINE,
        refusal: str = REFUSAL,
    ) -> None:
        self.passages = list(passages)
        self.text = ""
        self.usage = Usage()
        self._style = style
        self._has_own_words = False
        self._citer, self._guard = CitationVerifier(self.passages), Guard(mode=mode, refusal=refusal)

    def add_passages(self, passages: Sequence[Passage]) -> list[int]:
        """The number of each of them, from 1; one that was there before keeps its number."""
        known = {passage_place(passage): number for number, passage in enumerate(self.passages, start=1)}
        for passage in passages:
            if known.setdefault(passage_place(passage), len(self.passages) + 1) > len(self.passages):
                self.passages.append(passage)
        return [known[passage_place(passage)] for passage in passages]

    async def add(self, sentences: AsyncGenerator[str | Usage]) -> AsyncGenerator[Delta]:
        """A further part of the text, in whole sentences (`cut_sentences`); yields what may be shown now. Closing it
        closes the part."""
        async with aclosing(sentences):
            async for piece in sentences:
                if isinstance(piece, Usage):
                    self.usage = self.usage + piece
                # Verification computes; the event loop has other streams to serve meanwhile.
                elif delta := self._show(self._guard.add(await sync_to_async(self._citer.cite)(piece))):
                    yield delta

    async def add_at_once(self, sentences: AsyncGenerator[str | Usage]) -> AsyncGenerator[Delta]:
        """As `add`, for a writer whose sentences are all there at once: one thread verifies them."""
        async with aclosing(sentences):
            pieces = [piece async for piece in sentences]
        self.usage = sum((piece for piece in pieces if isinstance(piece, Usage)), self.usage)
        written = [piece for piece in pieces if not isinstance(piece, Usage)]
        for cited in await sync_to_async(self._cite_each)(written):
            if delta := self._show(self._guard.add(cited)):
                yield delta

    def _cite_each(self, sentences: Sequence[str]) -> list[CitedSentence]:
        return [self._citer.cite(sentence) for sentence in sentences]

    def say(self, words: str) -> Delta:
        """Adds words of the server in a paragraph of their own. They make no claim that needs a source."""
        self._has_own_words = True
        new = f"\n\n{words}" if self.text else words
        self.text += new
        return Delta(text=new)

    def finish(self) -> Delta | None:
        """The text has ended: the last that may be shown of it."""
        return self._show(self._guard.finish())

    def conclude(
        self,
        *,
        basis: ConfidenceBasis | None = None,
        tree_decided: bool = False,
        weakness: str = "",
        note: str = "",
        disclaimer: str = "",
    ) -> tuple[Delta | None, Answer]:
        """After `finish`: the footnotes, the note and the disclaimer, and the whole answer, whose text is the deltas
        put together, or the refusal; then nothing was shown. Where the server has said something of its own, that is
        the answer."""
        answer = self._guard.verdict(text=self.text, tree_decided=tree_decided, basis=basis, weakness=weakness)
        dropped = (one if one.passages else replace(one, passages=tuple(self.passages)) for one in answer.dropped)
        answer = replace(answer, usage=self.usage, dropped=tuple(dropped))
        if self._has_own_words and answer.outcome == Outcome.REFUSED:
            return None, Answer(text=self.text, outcome=Outcome.ANSWERED, confidence=Confidence.HIGH, usage=self.usage)
        if answer.outcome != Outcome.ANSWERED:
            return None, answer
        said = [sanitize(words) for words in (note, disclaimer.strip()) if words]
        ending = "\n\n".join([render_footnotes(answer.citations, style=self._style), *said])
        return Delta(text=ending) if ending else None, replace(answer, text=self.text + ending)

    def _show(self, sentences: list[CitedSentence]) -> Delta | None:
        before = len(self.text)
        for sentence in sentences:
            self.text += _separator(self.text, sentence) + render_sentence(sentence.text, style=self._style)
        new = self.text[before:]
        cited = dict.fromkeys(citation for sentence in sentences for citation in sentence.citations)
        return Delta(text=new, citations=tuple(cited)) if new else None


async def cut_sentences(pieces: AsyncGenerator[str | Usage]) -> AsyncGenerator[str | Usage]:
    """The pieces of a text put together into whole sentences, each with the marks that belong to it."""
    buffer = ""
    async with aclosing(pieces):
        async for piece in pieces:
            if isinstance(piece, Usage):
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
