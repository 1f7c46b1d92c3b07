"""Replies to turns that ask nothing: to "Hello" what can be asked here, to "Thanks" that it was a pleasure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lexic.phrases import Phrase, phrase
from querying.question.courtesies import courtesy_of
from querying.sanitize import sanitize
from querying.types.answer import COURTESY, Answer, Outcome
from querying.types.confidence import Confidence
from querying.types.question import Question


def courtesy_reply(question: Question) -> Answer | None:
    """The reply to a turn that asks nothing; None for a question. It claims nothing, so it cites nothing and nothing in
    it can be wrong."""
    if question.schema or not (courtesy := courtesy_of(question.text)):
        return None
    text = _REPLIES[courtesy.kind](sanitize(question.release.plugin.name))
    return Answer(text=text, outcome=Outcome.ANSWERED, reason=COURTESY, confidence=Confidence.HIGH)


def _greeting(name: str) -> Phrase:
    return phrase(
        "Hello. I answer questions about “%(name)s”, and say which page each answer stands on. What would you like to "
        "know?",
        name=name,
    )


def _about(name: str) -> Phrase:
    return phrase(
        "I answer questions about “%(name)s” from its documents, and say which page each answer stands on. Where they "
        "say nothing, I say so.",
        name=name,
    )


_REPLIES: Mapping[str, Callable[[str], Phrase]] = {
    "greeting": _greeting,
    "about": _about,
    "thanks": lambda _: phrase("You are welcome. Is there anything else that you would like to know?"),
    "farewell": lambda _: phrase("Goodbye."),
    "agreement": lambda _: phrase("All right. What else would you like to know?"),
}
