"""The language of an answer, and our own messages in it: refusals, clarifications and status texts. The pipeline
applies it, so every interface does. Quotations are never translated, and neither is what an author or a model wrote.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TypeVar

from django.utils import translation

from language import courtesies
from language.language_identification import language_of
from lexic.conf.languages import ENGLISH
from lexic.phrases import in_language
from querying.types.answer import Answer
from querying.types.events import Delta, Done, Event, Failed, Status
from querying.types.question import Question
from querying.types.refusals import NO_PAGE, OPENING_LINES, REFUSALS

# The catalogue of each language that a question may be in. That of Arabic has phrases alone: no page is in Arabic.
_CATALOGUES = {"ar": "ar", "de": "de", "es": "es", "fr": "fr", "hi": "hi", "pt": "pt-br", "zh": "zh-hans"}
# Words that no other of these languages has: nothing is loaded to recognise a plain English question.
_ENGLISH_WORDS = re.compile(
    r"\b(?:the|what|which|how|does|should|when|where|why|must|is|are|there|with|from|this|that)\b", re.IGNORECASE
)
Said = TypeVar("Said", bound=Delta | Answer)


def answer_language(question: Question) -> str:
    """Django's code of the language that the question is in for sure, where there is a catalogue for it; else
    English. A text too short to tell is taken for the language of what its asker said before."""
    return text_language(question.text, *reversed(question.earlier_user_turns))


def text_language(*texts: str) -> str:
    """The language of the first of these texts whose language can be recognised, as `answer_language` gives it."""
    for text in texts:
        if is_plain_english(text):
            return ENGLISH
        # A courtesy is too short for the identification, and an English one is said in every language.
        courtesy = courtesies.find_courtesy(text)
        if courtesy and courtesy.language == courtesies.ENGLISH:
            continue
        if language := courtesy.language if courtesy else language_of(text):
            return _CATALOGUES.get(language, ENGLISH)
    return ENGLISH


def is_plain_english(text: str) -> bool:
    """Whether single words tell that it is English: nothing is loaded then."""
    return _ENGLISH_WORDS.search(text) is not None


def is_stored_refusal(text: str) -> bool:
    """Whether the text of an earlier answer is a refusal of ours, in any language that we answer in."""
    return text.strip().startswith(_refusals())


@cache
def _refusals() -> tuple[str, ...]:
    languages = (ENGLISH, *_CATALOGUES.values())
    return tuple(in_language(refusal, language) for refusal in REFUSALS.values() for language in languages)


def event_in_language(event: Event, language: str) -> Event:
    """The event with what we say ourselves in this language. Codes, names and numbers stay."""
    if language == ENGLISH:
        return event
    if isinstance(event, Status):
        return replace(event, message=in_language(event.message, language))
    if isinstance(event, Failed):
        return _failure_in_language(event, language)
    if isinstance(event, Done):
        return replace(event, answer=said_in_language(event.answer, language))
    return said_in_language(event, language)


def said_in_language(said: Said, language: str) -> Said:
    """A piece of an answer, or the whole."""
    if language == ENGLISH:
        return said
    text = _text_in_language(said.text, language)
    if isinstance(said, Delta):
        return replace(said, text=text)
    assert isinstance(said, Answer)
    asked = said.clarification
    clarification = asked and replace(asked, question=in_language(asked.question, language))
    return replace(said, text=text, why=reasons_in_language(said.why, language), clarification=clarification)


def reasons_in_language(reasons: tuple[str, ...], language: str) -> tuple[str, ...]:
    return tuple(in_language(one, language) for one in reasons)


def _text_in_language(text: str, language: str) -> str:
    """A text of ours, or one of sources behind a line of ours."""
    for line in OPENING_LINES:
        if text.startswith(line):
            lines = text.removeprefix(line).split("\n")
            return in_language(line, language) + "\n".join(_outcome_in_language(one, language) for one in lines)
    return in_language(text, language)


def _outcome_in_language(line: str, language: str) -> str:
    """A line for an answer whose recommendation no page says."""
    return line.removesuffix(NO_PAGE) + in_language(NO_PAGE, language) if line.endswith(NO_PAGE) else line


def _failure_in_language(failed: Failed, language: str) -> Failed:
    with translation.override(language):
        error, hint = (translation.gettext(text) if text else "" for text in (failed.error, failed.hint))
    return replace(failed, error=error, hint=hint)
