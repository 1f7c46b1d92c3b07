"""Sentences that are made in English and may be said in another language later, when it is known who reads them.

A phrase is its English text, and remembers what it was made of: programs that know nothing of languages see a string.
`makemessages` finds the texts by the names of the two functions that make phrases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import translation
from django.utils.formats import number_format


class Phrase(str):
    """`message` has names such as `%(words)s` for its `values`; `plural` is empty where nothing is counted. Fractions
    have two decimals."""

    __slots__ = ("message", "plural", "values")
    message: str
    plural: str
    values: Mapping[str, Any]

    def said(self) -> str:
        """The phrase in the active language."""
        values = {name: _said_value(value) for name, value in self.values.items()}
        if self.plural:
            return translation.ngettext(self.message, self.plural, self.values["count"]) % values
        text = translation.gettext(self.message)
        return text % values if values else text


def phrase(message: str, /, **values: Any) -> Phrase:
    return _make(message, "", values, message % _english_values(values) if values else message)


def counted_phrase(message: str, plural: str, /, *, count: int, **values: Any) -> Phrase:
    """`message` for one, `plural` for more; both may name `%(count)s`."""
    values["count"] = count
    return _make(message, plural, values, (message if count == 1 else plural) % _english_values(values))


def joined_sentences(sentences: Sequence[Phrase]) -> Phrase:
    """The sentences one after another, as one phrase."""
    values = {f"sentence_{number}": sentence for number, sentence in enumerate(sentences)}
    message = " ".join(f"%({name})s" for name in values)
    return _make(message, "", values, message % values)


def in_language(text: str, language: str) -> str:
    """The phrase in this language, by Django's code; what is no phrase stays as it is."""
    if not isinstance(text, Phrase):
        return text
    with translation.override(language):
        return text.said()


def _english_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: f"{value:.2f}" if isinstance(value, float) else value for name, value in values.items()}


def _said_value(value: Any) -> Any:
    if isinstance(value, Phrase):
        return value.said()
    return number_format(float(f"{value:.2f}"), decimal_pos=2) if isinstance(value, float) else value


def _make(message: str, plural: str, values: Mapping[str, Any], english: str) -> Phrase:
    made = Phrase(english)
    made.message, made.plural, made.values = message, plural, values
    return made
