"""The words of a text as siblings are looked for: which say something, and which stand right beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from language.synonyms import synonyms_of
from language.terms import terms, word_spans
from language.topic_words import question_word_stems

# "May" says the same, so whoever asks what is allowed names nothing by it.
_MODAL_STEMS = frozenset(terms("allowed permitted possible"))
# What "how" asks a time with, which figures answer.
_TIME_STEMS = frozenset(terms("often frequently soon quickly fast early late"))
_CLOSING = " \t\n’'\"“”„«»*_"


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word of `text[start:end]`. `stems` is empty for function words, and for those that only put a question into
    words; `follows` says that nothing but a space stands between it and the word before."""

    text: str
    stems: frozenset[str]
    start: int
    end: int
    follows: bool

    @property
    def has_digit(self) -> bool:
        return any(character.isdigit() for character in self.text)

    @property
    def is_name(self) -> bool:
        return self.text[0].isupper()


def read_words(text: str, *, stop_terms: Set[str] = frozenset()) -> tuple[Word, ...]:
    """The words in order; `stop_terms` are those of another language than English. What stands behind "how" asks for a
    figure, and names nothing but a measure ("wide", "heavy")."""
    return tuple(_words(text, stop_terms))


def _words(text: str, stop_terms: Set[str]) -> Iterator[Word]:
    silent = question_word_stems() | _MODAL_STEMS | stop_terms
    read_to, before = 0, ""
    for start, end in word_spans(text):
        stems = frozenset(terms(text[start:end])) - silent
        if before == "how":
            stems = frozenset(filter(synonyms_of, stems)) - _TIME_STEMS
        yield Word(
            text=text[start:end],
            stems=stems,
            start=start,
            end=end,
            follows=read_to > 0 and not text[read_to:start].strip(_CLOSING) and "\n" not in text[read_to:start],
        )
        read_to, before = end, text[start:end].casefold()


def stems_of(words: Sequence[Word]) -> frozenset[str]:
    return frozenset().union(*(word.stems for word in words))


def run_end(words: Sequence[Word], at: int, *, most: int) -> int:
    """Where the words of substance end that stand side by side from this one on, so many at most."""
    end = at
    while end < len(words) and end - at < most and words[end].stems and (end == at or words[end].follows):
        end += 1
    return end


def run_start(words: Sequence[Word], at: int, *, most: int) -> int:
    """Where the words of substance begin that stand side by side right before this one, so many at most."""
    start = at
    while start > 0 and at - start < most and words[start].follows and words[start - 1].stems:
        start -= 1
    return start


def text_of(words: Sequence[Word], text: str) -> str:
    """What stands from the first of the words to the last, on one line."""
    return " ".join(text[words[0].start : words[-1].end].split())
