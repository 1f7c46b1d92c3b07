"""How a question is worded: its language, and the forms that the documents have of its words."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

Forms = Mapping[str, Collection[str]]


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The language that a question is searched in, "" for English, and the forms that documents have of its terms."""

    language: str = ""
    forms: Forms = field(default_factory=dict, hash=False)

    @property
    def stop_terms(self) -> frozenset[str]:
        return stop_terms(self.language) if self.language else frozenset()

    def forms_of(self, term: str) -> Iterator[str]:
        """The term itself, and its other forms."""
        yield term
        yield from self.forms.get(term, ())

    def is_said(self, term: str, said: Container[str]) -> bool:
        """Whether one of the forms is among these terms."""
        return any(form in said for form in self.forms_of(term))


ENGLISH_WORDING = Wording()


@cache
def stop_terms(language: str) -> frozenset[str]:
    """The terms that the index has of the stop words of a language."""
    from language.stemming import latin_stem  # with the stemmers, which nobody needs before the first question
    from language.stop_words import stop_words_in

    return frozenset(latin_stem(word) for word in stop_words_in(language))
