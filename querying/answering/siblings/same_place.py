"""What a text has in the place of what was asked: another name before the same noun, behind the same preposition, or
before the same words; another number or code of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from language.month_names import MONTHS, WEEKDAYS
from language.synonyms import synonyms_of
from querying.answering.siblings.asked_member import AskedMember
from querying.answering.siblings.words import Word, run_end, run_start, stems_of, text_of

_PREPOSITIONS = frozenset(["of", "for", "to", "in", "at", "on", "by", "from", "with"])
_DETERMINERS = frozenset(["the", "a", "an", "each", "every", "any", "all", "its", "their", "your", "our", "my"])
_MAX_FOUND_WORDS = 3
_MIN_BEGINNING = 4
_MONTHS, _WEEKDAYS = frozenset(MONTHS), frozenset(WEEKDAYS)


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """What was asked, and what the text has in its place, in their own words."""

    asked: str
    found: str


def find_in_place(member: AskedMember, text: str, words: Sequence[Word]) -> Replaced | None:
    """What the text, of these words, has in the place of the member; None where that is not certain."""
    for find in _WAYS:
        if (found := find(member, text, words)) is not None:
            return found
    return None


def _other_code(member: AskedMember, text: str, words: Sequence[Word]) -> Replaced | None:
    """ "K3" for "K5", or another number behind the same word."""
    [*others, asked] = member.words[member.first : member.last]
    if others or not asked.has_digit:
        return None
    letters = _letters(asked.text)
    before = _counted(member, asked)
    for at, word in enumerate(words):
        if not word.has_digit or word.stems <= member.asked_stems or _letters(word.text) != letters:
            continue
        if letters:
            return Replaced(asked=asked.text, found=word.text)
        if before and at and word.follows and words[at - 1].stems & before.stems:
            pair = text_of(words[at - 1 : at + 1], text)
            return Replaced(asked=text_of([before, asked], member.question), found=pair)
    return None


def _counted(member: AskedMember, number: Word) -> Word | None:
    """The word that the number stands right behind: "class" of "class 4"."""
    before = member.words[member.first - 1] if member.first and number.follows else None
    return before if before and before.stems and not _is_repeated(before, member.words) else None


def _is_repeated(word: Word, words: Sequence[Word]) -> bool:
    """ "Which table does Table 4 correspond to?" asks for another table."""
    return sum(bool(one.stems & word.stems) for one in words) > 1


def _letters(code: str) -> str:
    return "".join(character for character in code if character.isalpha()).casefold()


def _before_same_noun(member: AskedMember, text: str, words: Sequence[Word]) -> Replaced | None:
    """ "lemon tree" for "olive tree"."""
    head = member.head
    if head is None or _is_participle(head) or not member.is_plain or not member.asks_besides(head):
        return None
    if any(word.has_digit for word in member.words[member.first : member.last]):  # "28 days" is a figure
        return None
    for at, word in enumerate(words):
        if word.stems & head.stems and (own := _run_before(words, at)) and _may_replace(member, own):
            if head.is_name != word.is_name:
                continue
            if member.is_subject:
                return Replaced(asked=member.text(), found=text_of(own, text))
            return Replaced(asked=member.text(with_head=True), found=text_of([*own, word], text))
    return None


def _behind_same_name(member: AskedMember, text: str, words: Sequence[Word]) -> Replaced | None:
    """ "Northwind Standard" for "Northwind Gold"."""
    name = member.name_before
    if name is None or not member.asks_besides(name):
        return None
    for at, word in enumerate(words):
        if not word.stems & name.stems:
            continue
        own = [one for one in _run_behind(words, at + 1) if one.is_name]
        if own and own[0].follows and _may_replace(member, own):
            return Replaced(asked=member.text(with_name=True), found=text_of([word, *own], text))
    return None


def _behind_same_preposition(member: AskedMember, text: str, words: Sequence[Word]) -> Replaced | None:
    """ "the bus to Lund" for "the bus to Malmö"."""
    lead = _lead(member.words, member.first)
    if lead is None:
        return None
    said, preposition = lead
    for at in range(1, len(words)):
        other = _lead(words, at)
        if other is None or other[1] != preposition or not other[0].stems & said.stems:
            continue
        own = list(takewhile(lambda word: not word.stems & member.asked_stems, _run_behind(words, at)))
        if own and _may_replace(member, own):
            return Replaced(asked=member.text(), found=text_of(own, text))
    return None


def _lead(words: Sequence[Word], at: int) -> tuple[Word, str] | None:
    """The word of substance and the preposition right before this word, which may have an article."""
    before = at - 1
    while before > 0 and words[before].text.casefold() in _DETERMINERS:
        before -= 1
    preposition = words[before].text.casefold() if before > 0 else ""
    are_joined = all(word.follows for word in words[max(0, before) : at + 1])
    if preposition not in _PREPOSITIONS or not are_joined or not words[before - 1].stems:
        return None
    return words[before - 1], preposition


def _before_same_words(member: AskedMember, text: str, words: Sequence[Word]) -> Replaced | None:
    """ "a footing is cast straight" for "a wall is cast straight"."""
    behind = [at for at in range(member.last, len(member.words)) if member.words[at].stems][:2]
    if len(behind) < 2:
        return None
    if behind[1] == behind[0] + 1 and all(member.words[at].is_name for at in behind):
        return None  # one name alone is no context
    context, between = [member.words[at] for at in behind], _spellings(member.words[member.last : behind[0]])
    said = [at for at, word in enumerate(words) if word.stems]
    for place, at in enumerate(said[1:-1], start=1):
        if not (words[at].stems & context[0].stems and words[said[place + 1]].stems & context[1].stems):
            continue
        last = said[place - 1]
        own = [*_run_before(words, last), words[last]]
        is_joined = all(word.follows for word in words[last + 1 : at + 1])
        if is_joined and _spellings(words[last + 1 : at]) == between and _may_replace(member, own):
            return Replaced(asked=member.text(), found=text_of(own, text))
    return None


def _spellings(words: Sequence[Word]) -> list[str]:
    return [word.text.casefold() for word in words]


def _run_before(words: Sequence[Word], at: int) -> list[Word]:
    """The words of substance right before this one, up to three."""
    return list(words[run_start(words, at, most=_MAX_FOUND_WORDS) : at])


def _run_behind(words: Sequence[Word], at: int) -> list[Word]:
    return list(words[at : run_end(words, at, most=_MAX_FOUND_WORDS)])


def _are_one_word(one: str, other: str) -> bool:
    """Whether one begins the other, as "photo" does "photograph"."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _MIN_BEGINNING and long.startswith(short)


def _is_participle(word: Word) -> bool:
    """ "exposed", which belongs to what is before it."""
    return word.text.endswith("ed")


def _may_replace(member: AskedMember, own: Sequence[Word]) -> bool:
    """Whether these words are something else than what was asked: none of the question's, no synonym of what is
    missing, and a number only for a number, a month or a day of the week only for another one: "in July" may answer
    what is asked of the summer."""
    stems = stems_of(own)
    if stems & member.asked_stems or _is_participle(own[-1]):
        return False
    if any(synonyms_of(stem) & stems or any(_are_one_word(stem, one) for one in stems) for stem in member.missing):
        return False
    asked = member.words[member.first : member.last]
    return _kinds(own) == _kinds(asked)


def _kinds(words: Sequence[Word]) -> tuple[bool, ...]:
    """Whether a number, a month and a day of the week are among the words."""
    texts = [word.text.casefold() for word in words]
    return any(word.has_digit for word in words), *(not names.isdisjoint(texts) for names in (_MONTHS, _WEEKDAYS))


Way = Callable[[AskedMember, str, Sequence[Word]], Replaced | None]
_WAYS: Sequence[Way] = (
    _other_code,
    _before_same_noun,
    _before_same_words,
    _behind_same_preposition,
    _behind_same_name,
)
