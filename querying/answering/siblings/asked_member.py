"""The one thing that a question names and the evidence does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from querying.answering.siblings.words import Word, stems_of, text_of

# So many function words may stand inside of a name: "walls of a tank".
_MAX_JOINING_WORDS = 2
_JOINING_WORDS = frozenset(["of", "the", "a", "an", "and", "or", "for", "in", "on", "to", "at", "with", "from"])
# What stands before a noun: "of the", "do slabs need".
_NOUN_OPENING_WORDS = """
the a an each every any all some no of for in at on by from with under do does did are is can may must
"""
_NOUN_OPENERS = frozenset(_NOUN_OPENING_WORDS.split())
_AUXILIARIES = frozenset(["do", "does", "did", "can", "may", "must"])
_ARTICLES = frozenset(["the", "a", "an"])
_MAX_WORDS = 5


@dataclass(frozen=True, kw_only=True)
class AskedMember:
    """`words[first:last]` of the question are said by no evidence, and its other words of substance are."""

    question: str
    words: Sequence[Word]
    first: int
    last: int

    @property
    def missing(self) -> frozenset[str]:
        return stems_of(self.words[self.first : self.last])

    @property
    def asked_stems(self) -> frozenset[str]:
        return stems_of(self.words)

    @property
    def others(self) -> frozenset[str]:
        """What else the question asks, and the evidence says."""
        return stems_of([*self.words[: self.first], *self.words[self.last :]])

    @property
    def is_noun(self) -> bool:
        """Whether it stands where a noun does: behind an article or a preposition, or as a name or code; not behind a
        word of substance that belongs to it ("the review process")."""
        first = self.words[self.first]
        before = self.words[self.first - 1] if self.first else None
        if before and first.follows and before.stems:
            return self.name_before is not None or first.has_digit
        if before and first.follows and before.text.casefold() in _NOUN_OPENERS:
            return True
        return first.has_digit or (first.is_name and self.first > 0)

    @property
    def is_plain(self) -> bool:
        """Whether its words stand right beside each other."""
        return all(word.stems for word in self.words[self.first : self.last])

    @property
    def head(self) -> Word | None:
        """The word of substance right behind what is missing: "column" of "a steel column"; not "open" of "a deck open
        to rain"."""
        behind = self.words[self.last : self.last + 2]
        if len(behind) > 1 and behind[1].text.casefold() == "to":
            return None
        return behind[0] if behind and behind[0].follows and behind[0].stems else None

    @property
    def is_subject(self) -> bool:
        """Whether the last word of the question, right behind it, is its verb: "must kindergartens book?" """
        before = (word.text.casefold() for word in self.words[: self.first])
        return self.last == len(self.words) - 1 and not _AUXILIARIES.isdisjoint(before)

    @property
    def name_before(self) -> Word | None:
        """A name right before a missing name: "Northwind" of "Northwind Gold". The first word of the question has a
        capital anyway."""
        if self.first < 2 or not (first := self.words[self.first]).follows:
            return None
        before = self.words[self.first - 1]
        return before if first.is_name and before.is_name and before.stems else None

    def asks_besides(self, *words: Word) -> bool:
        """Whether the evidence says more of the question than these words."""
        return bool(self.others - stems_of(words))

    def text(self, *, with_head: bool = False, with_name: bool = False) -> str:
        chosen = self.words[self.first - with_name : self.last + with_head]
        return text_of(chosen, self.question)


def find_asked_member(question: str, words: Sequence[Word], *, is_said: Callable[[str], bool]) -> AskedMember | None:
    """What alone is missing in the evidence, where it is one thing; None where nothing is, all is, or several things
    are. `is_said` tells whether the evidence has a stem."""
    missing = [at for at, word in enumerate(words) if word.stems and not _is_word_said(word, is_said)]
    said = [at for at, word in enumerate(words) if word.stems and at not in missing]
    if not missing or not said or len(missing) > _MAX_WORDS:
        return None
    if not all(_are_joined(words, one, other) for one, other in pairwise(missing)):
        return None
    return AskedMember(question=question, words=words, first=missing[0], last=missing[-1] + 1)


def _is_word_said(word: Word, is_said: Callable[[str], bool]) -> bool:
    """Of "K5" the number counts as well."""
    return all(map(is_said, word.stems)) if word.has_digit else any(map(is_said, word.stems))


def _are_joined(words: Sequence[Word], one: int, other: int) -> bool:
    """Whether nothing but a few function words stands between these two."""
    between = words[one + 1 : other]
    return (
        len(between) <= _MAX_JOINING_WORDS
        and all(word.text.casefold() in _JOINING_WORDS for word in between)
        and not (between and between[0].text.casefold() in _ARTICLES)  # "paints the bridge" is a verb and a name
        and all(word.follows for word in words[one + 1 : other + 1])
    )
