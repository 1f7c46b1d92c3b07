"""Words as the trees compare them: without case, and whatever their inflection."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from language.lazy_pattern import lazy_pattern
from language.scripts import combining_marks
from language.stemming import stem
from language.stop_words import REQUEST_STOP_WORDS

# Each is linear: the repeated parts cannot match the same characters.
_WORD_PATTERN = lazy_pattern(lambda: rf"{_letters_with_signs()}(?:['’]{_letters_with_signs()})*")
_HYPHEN_PATTERN = re.compile(r"(?<=\w)[-_‐‑](?=\w)")
_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CLAUSE_END = frozenset(",.;:!?()[]—–\n")
_SENTENCE_END = frozenset(".;!?\n")

# Endings that make another form of the same word, as opposed to another word of the same root:
# the stemmer alone would read “several” as “severe”.
_INFLECTIONS = frozenset({"", "s", "es", "e", "ed", "d", "ing", "y", "ies", "ied", "ying", "'s", "s'"})


def _letters_with_signs() -> str:
    return rf"[^\W_]+(?:[{combining_marks()}]+[^\W_]*)*"  # the vowel signs of Hindi are marks


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True)
class WordToken:
    """A word of a text. `start` and `end` are offsets into the text as it was given.

    `starts_clause` and `starts_sentence` tell that punctuation stands before it.
    """

    text: str
    start: int
    end: int
    starts_clause: bool = False
    starts_sentence: bool = False

    @property
    def stem(self) -> str:
        return stem(self.text)


def split_words(text: str) -> list[WordToken]:
    """The words of a text, in order."""
    found: list[WordToken] = []
    previous_end = 0
    for match in _WORD_PATTERN.finditer(text):
        gap = text[previous_end : match.start()]
        found.append(
            WordToken(
                fold_case(match.group()),
                match.start(),
                match.end(),
                starts_clause=not _CLAUSE_END.isdisjoint(gap),
                starts_sentence=not found or not _SENTENCE_END.isdisjoint(gap),
            )
        )
        previous_end = match.end()
    return found


def fold_case(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


@lru_cache(maxsize=20_000)
def normalise(text: str) -> str:
    """The text as strings are compared: no case, one space between words, `dead-load` as `dead load`."""
    return " ".join(_HYPHEN_PATTERN.sub(" ", fold_case(text)).split())


def split_identifier(name: str) -> list[str]:
    """The words of a field's name: "slabThickness_mm" → slab, thickness, mm."""
    return [word.text for word in split_words(_CAMEL_CASE_BOUNDARY.sub(" ", name).replace("_", " "))]


def is_same_word(one: str, other: str) -> bool:
    """Whether two folded words are one word in two inflections: beam and beams, exposed and exposing."""
    if one == other:
        return True
    if stem(one) != stem(other):
        return False
    pairs = zip(one, other, strict=False)
    shared = next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))
    for word in (one, other):
        tail = word[shared:]
        # "stopped": the last letter of the stem may be doubled.
        doubled = tail[1:] if shared and tail.startswith(word[shared - 1]) else tail
        if _INFLECTIONS.isdisjoint((tail, doubled)):
            return False
    return True


def are_same_words(one: list[str], other: list[str]) -> bool:
    return (
        bool(one)
        and len(one) == len(other)
        and all(is_same_word(left, right) for left, right in zip(one, other, strict=True))
    )


def content_stems(text: str) -> set[str]:
    """Stems of the words that carry meaning: neither stop words, nor single letters, nor bare numbers."""
    return {word.stem for word in split_words(text) if is_content_word(word.text)}


def is_content_word(word: str) -> bool:
    return word not in REQUEST_STOP_WORDS and len(word) > 1 and not word.isdigit()
