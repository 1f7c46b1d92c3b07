"""The wording of a question: its language, and the forms that the documents have of its words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

from language.scripts import SPACELESS_SCRIPTS

_SPACELESS = re.compile(f"[{SPACELESS_SCRIPTS}]")

# The combining classes of Unicode from here on are of marks above and below a letter.
_FIRST_ACCENT = 200

Forms = Mapping[str, Collection[str]]


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How a question is searched: its language ("" for English), the forms that its terms have in the documents, the
    parts of its compounds that are words of the documents, and the terms that have the stem of a stop word and are no
    stop words themselves."""

    language: str = ""
    forms: Forms = field(default_factory=dict, hash=False)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    content_terms: frozenset[str] = frozenset()

    @property
    def stop_terms(self) -> frozenset[str]:
        return stop_terms(self.language) - self.content_terms if self.language else frozenset()

    def weight_of(self, term: str) -> float:
        """What share of its weight a term has: none when it is a stop word. Of a pair of characters, each counts
        half."""
        stopped = self.stop_terms
        if term in stopped:
            return 0.0
        is_pair = len(term) == 2 and _SPACELESS.match(term)
        return 1 - sum(character in stopped for character in term) / 2 if is_pair else 1.0

    def forms_of(self, term: str) -> Iterator[str]:
        """The term itself, and its other forms."""
        yield term
        yield from self.forms.get(term, ())

    def is_said(self, term: str, said: Container[str]) -> bool:
        """Whether one of the forms is among these terms, or each part of the compound."""
        if any(form in said for form in self.forms_of(term)):
            return True
        parts = self.parts.get(term, ())
        return len(parts) > 1 and all(any(form in said for form in self.forms_of(part)) for part in parts)


ENGLISH_WORDING = Wording()


@cache
def stop_terms(language: str) -> frozenset[str]:
    """The terms that the index has, or once had, of the stop words of a language."""
    from language.stemming import latin_stem, stem  # the stemmers, which nobody needs before the first question
    from language.stop_words import stop_words_in

    return frozenset(stemmed(word) for word in stop_words_in(language) for stemmed in (stem, latin_stem))


def content_terms(text: str, language: str) -> frozenset[str]:
    """The terms of the text's words that are no stop words as they are written, though a stop word has the same stem:
    in Hindi "किराया" (rent) has that of "किर"."""
    from language.stop_words import stop_words_in
    from language.terms import terms, word_spans

    stopped = frozenset(map(_without_accents, stop_words_in(language)))
    words = (text[start:end] for start, end in word_spans(text))
    content = [word for word in words if _without_accents(word) not in stopped]
    return stop_terms(language).intersection(chain.from_iterable(map(terms, content)))


def _without_accents(word: str) -> str:
    """In small letters and without marks above and below, which many people leave out; vowel signs stay."""
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return "".join(character for character in decomposed if unicodedata.combining(character) < _FIRST_ACCENT)
