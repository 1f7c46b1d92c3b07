"""Pass, drop, or refuse: what a caller may see of an answer, decided before it is seen.

In mandatory mode three rules refuse the whole answer: nothing in it is cited, it is itself a short refusal, or it
cites more sources that do not exist than ones that do. Sentences are released one step behind, so that the rules
can still hold when the first ones come. In optional mode the same findings lower the confidence instead, and what
no source supports is marked. Where sources contradict each other, both are quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from plugins.models import CitationMode
from querying.answering.citations import CitedSentence
from querying.answering.confidence import is_doubted
from querying.question.document_validity import is_last_resort
from querying.types.answer import Answer, Citation, DroppedSentence, Outcome
from querying.types.confidence import Confidence, ConfidenceBasis
from querying.types.refusals import REFUSAL

SHORT_ANSWER_CHARACTERS = 300  # characters; a longer answer that mentions its limits is not a refusal
UNVERIFIED_SUFFIX = " (not verified)"

_SELF_REFUSAL = re.compile(
    r"\b(?:I|we)\s+(?:do\s+not|don['’]t|did\s+not|didn['’]t|cannot|can['’]?t|could\s+not|couldn['’]t)\s+"
    r"(?:have|find|provide|answer|verify|locate)\b"
    r"|\bno\s+(?:verified\s+)?information\s+(?:is\s+)?(?:available|found)\b"
    r"|\bnot\s+(?:covered|mentioned|addressed|contained)\s+(?:in|by)\s+(?:the|my|these)\s+"
    r"(?:provided\s+)?(?:sources|documents|knowledge)\b"
    r"|\bthe\s+(?:provided\s+)?sources\s+do(?:\s+not|n['’]t)\s+(?:contain|mention|cover|address|say|answer)\b",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    return _SELF_REFUSAL.search(text) is not None


@dataclass
class Guard:
    """Takes verified sentences as they come, hands back those that may be shown, and gives the verdict at the end."""

    mode: str
    refusal: str = REFUSAL  # what it says where nothing may be shown
    _held: list[CitedSentence] = field(default_factory=list)
    _shown: list[CitedSentence] = field(default_factory=list)
    _seen: list[CitedSentence] = field(default_factory=list)

    def add(self, sentence: CitedSentence) -> list[CitedSentence]:
        """One more sentence of the answer; returns what may be shown now."""
        self._seen.append(sentence)
        if self.mode != CitationMode.MANDATORY:
            return self._release([sentence])
        ready, self._held = self._held, [sentence]
        if not ready:
            return []
        if self._real <= self._phantom or self._is_short_refusal:
            self._held = ready + self._held
            return []
        kept = self._releasable(ready)
        if ready[-1] not in kept and _is_lead_in(ready[-1]):
            self._held.insert(0, ready[-1])
        return self._release(kept)

    def finish(self) -> list[CitedSentence]:
        """The answer has ended; returns the last sentences that may be shown."""
        if self.mode == CitationMode.MANDATORY and not self._shown and self.refusal_reason:
            return []
        rest, self._held = self._held, []
        return self._release(self._releasable(rest) if self.mode == CitationMode.MANDATORY else rest)

    @property
    def refusal_reason(self) -> str:
        """Why mandatory mode refuses this answer; empty when it passes. Once shown, verified sentences stay."""
        if self._is_short_refusal:
            return "self_refusal"
        if self._phantom > self._real:
            return "phantom_citations"
        if not self._citations:
            return "no_citations"
        return ""

    def verdict(
        self, *, text: str, tree_decided: bool, basis: ConfidenceBasis | None = None, weakness: str = ""
    ) -> Answer:
        """The whole answer, as shown so far, with its confidence; or the refusal.

        The confidence is that of the evidence (`basis`; medium without one), one step lower for a weakness (found here,
        or given) and one higher for a tree's decision, unless the cited page may speak of something else. An answer
        that cites nothing has low confidence. One that rests on a number which OCR is not sure of, or on a document out
        of force because none in force answers, never has a high one.
        """
        if self.mode == CitationMode.MANDATORY and not self._shown:
            refusal = refusal_answer(self.refusal_reason or "no_citations", text=self.refusal)
            return replace(refusal, basis=basis, sentences=len(self._seen), dropped=self._dropped)
        citations = tuple(dict.fromkeys(c for sentence in self._shown for c in sentence.citations))
        is_raised = tree_decided and not weakness and not (basis and is_doubted(basis.grounds))
        weakness = self._weakness_reason() or weakness
        # How many citations there are says nothing: a second one means that another sentence came close.
        level = basis.level if basis else Confidence.MEDIUM
        level = level.step(-1 if weakness else 0).step(1 if is_raised else 0) if citations else Confidence.LOW
        if level == Confidence.HIGH and any(one.has_unsure_number or is_last_resort(one) for one in citations):
            level = Confidence.MEDIUM
        return Answer(
            text=text,
            outcome=Outcome.ANSWERED,
            reason=weakness,
            citations=citations,
            confidence=level,
            basis=basis,
            sentences=len(self._seen),
            dropped=self._dropped,
        )

    @property
    def _dropped(self) -> tuple[DroppedSentence, ...]:
        """The sentences that nobody gets to see, because no source supports them."""
        if self.mode != CitationMode.MANDATORY:
            return ()
        shown = {id(sentence) for sentence in self._shown}
        return tuple(
            DroppedSentence(claim=one.claim, passages=one.named, cites_unknown=one.phantom > 0 and not one.named)
            for one in self._seen
            if not one.citations and id(one) not in shown
        )

    def _weakness_reason(self) -> str:
        """What makes the answer less sure than its citations look. Mode `off` does not look."""
        if self.mode == CitationMode.OFF:
            return ""
        if any(sentence.conflict for sentence in self._shown):
            return "conflicting_sources"
        if any(sentence.has_unsupported_number for sentence in self._seen):
            return "unsupported_number"
        if any(citation.has_unsure_number for sentence in self._shown for citation in sentence.citations):
            return "unsure_number"
        if any(is_last_resort(citation) for sentence in self._shown for citation in sentence.citations):
            return "out_of_force"
        if self._phantom:
            return "phantom_citations"
        if self.mode == CitationMode.OPTIONAL and self._is_short_refusal:
            return "self_refusal"
        return ""

    def _releasable(self, sentences: list[CitedSentence]) -> list[CitedSentence]:
        """The cited ones, each with the line that leads in to it ("The values are:")."""
        kept: list[CitedSentence] = []
        for before, sentence in zip([None, *sentences], sentences, strict=False):
            if not sentence.citations:
                continue
            if before and not before.citations and _is_lead_in(before):
                kept.append(before)
            kept.append(sentence)
        return kept

    def _release(self, sentences: list[CitedSentence]) -> list[CitedSentence]:
        before = len(self._shown)
        for sentence in sentences:
            if self.mode == CitationMode.OFF:
                self._shown.append(sentence)
            elif not self._has_quoted(sentence):
                self._shown.append(_mark_unverified(sentence) if self.mode == CitationMode.OPTIONAL else sentence)
                cited = {citation.span for shown in self._shown for citation in shown.citations}
                if sentence.conflict and not {one.span for one in sentence.conflict.citations} <= cited:
                    self._shown.append(sentence.conflict)
        return self._shown[before:]

    def _has_quoted(self, sentence: CitedSentence) -> bool:
        """Whether this very sentence was quoted as what another source says."""
        quoted = (shown.conflict.claim for shown in self._shown if shown.conflict)
        return bool(sentence.citations) and any(claim.endswith(sentence.claim) for claim in quoted)

    @property
    def _is_short_refusal(self) -> bool:
        """Whether the answer refuses by itself, as far as it has come."""
        length = sum(len(sentence.claim) for sentence in self._seen)
        return length < SHORT_ANSWER_CHARACTERS and any(is_refusal(sentence.claim) for sentence in self._seen)

    @property
    def _real(self) -> int:
        return sum(sentence.real for sentence in self._seen) or len(self._citations)

    @property
    def _phantom(self) -> int:
        return sum(sentence.phantom for sentence in self._seen)

    @property
    def _citations(self) -> list[Citation]:
        return [citation for sentence in self._seen for citation in sentence.citations]


def refusal_answer(reason: str, *, text: str) -> Answer:
    """The honest answer when nothing verified was found; `text` says so (`refusal_text`)."""
    return Answer(text=text, outcome=Outcome.REFUSED, reason=reason, confidence=Confidence.LOW)


def _mark_unverified(sentence: CitedSentence) -> CitedSentence:
    """A statement that nothing supports says so. Questions and lines that lead in state nothing."""
    text = sentence.text.rstrip()
    if sentence.citations or text[-1:] in ("?", ":", "") or is_refusal(text) or not any(map(str.isalnum, text)):
        return sentence
    body, stop = (text[:-1], text[-1]) if text[-1] in ".!" else (text, "")
    return replace(sentence, text=f"{body}{UNVERIFIED_SUFFIX}{stop}")


def _is_lead_in(sentence: CitedSentence) -> bool:
    """A line that announces others and states nothing itself: short, ends in a colon, has no figure."""
    claim = sentence.claim.rstrip()
    return claim.endswith(":") and len(claim) < 160 and not any(character.isdigit() for character in claim)
