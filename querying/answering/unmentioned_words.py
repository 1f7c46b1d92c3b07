"""What of a question no passage mentions, in the question's own words: the reason of a refusal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from knowledge.search.passages import Passage
from language.figures.figure_extraction import stated_numbers
from language.synonyms import with_other_numbers
from language.terms import terms
from language.topic_words import is_seldom_repeated, topic_words
from querying.types.evidence import Evidence

# "174,850" is one number, "20:00" and "8 pm" one time, and no two words; whether it is there is judged as a sign.
_GROUPED_NUMBER = re.compile(r"(?<!\d)(?:\d+(?:[.,:]\d+)+(?:\s?[ap]\.?m\b)?|\d+\s?[ap]\.?m\b)", re.IGNORECASE)
# "E5" is one word, whatever else of the text has an E or a 5.
_CODE = re.compile(r"([^\W\d_]+)-?(\d+)")
_CODE_IN_TEXT = re.compile(r"(?<!\w)([^\W\d_]+)[\s-]?(\d+)")


def unmentioned_words(question: str, evidence: Evidence) -> list[str]:
    """What no passage that was found speaks of, each once; nothing where none was found."""
    missing = [word for word in _unsaid_words(question, evidence) if evidence.passages]
    if evidence.wording.language:  # German has capitals for every noun
        return _once(missing)
    return _once(_joined_names((word for word in missing if not is_seldom_repeated(word)), question))


def stems_of(passages: Sequence[Passage]) -> frozenset[str]:
    return with_other_numbers(terms(" ".join(map(text_with_titles, passages))))


def text_with_titles(passage: Passage) -> str:
    return " ".join([passage.document_title, *passage.section_path, passage.content])


def _unsaid_words(question: str, evidence: Evidence) -> list[str]:
    days = evidence.sentences[0].ranges.days if evidence.sentences else frozenset[str]()
    known = {*stems_of(evidence.passages), *evidence.wording.stop_terms, *days}
    is_known = partial(evidence.wording.is_said, said=known)
    in_ranges = evidence.sentences[0].ranges.numbers if evidence.sentences else frozenset()
    words = [word for word in topic_words(_GROUPED_NUMBER.sub(" ", question)) if word not in in_ranges]
    codes = {word: code for word in words if (code := _CODE.fullmatch(word))}
    said = _codes_in(" ".join(map(text_with_titles, evidence.passages))) if codes else frozenset()
    missing = [
        word
        for word in words
        if (_as_code(codes[word]) not in said if word in codes else not any(map(is_known, terms(word))))
    ]
    # "Four weeks" mentions 4.
    has_numbers = any(map(str.isdecimal, missing))
    stated = set[str]().union(*map(stated_numbers, map(text_with_titles, evidence.passages))) if has_numbers else set()
    return [word for word in missing if word not in stated]


def _codes_in(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(map(_as_code, _CODE_IN_TEXT.finditer(text)))


def _as_code(match: re.Match[str]) -> tuple[str, str]:
    """Its letters and its digits, however they are joined."""
    letters, digits = match.groups()
    return letters.lower(), digits


def _joined_names(words: Iterable[str], question: str) -> Iterator[str]:
    """The words, those that stand side by side with capitals as one: “Costa Rica”."""
    name = ""
    for word in words:
        if name and name[0].isupper() and word[0].isupper() and f"{name} {word}" in question:
            name = f"{name} {word}"
            continue
        if name:
            yield name
        name = word
    if name:
        yield name


def _once(words: Iterable[str]) -> list[str]:
    """Each word once, however it is written."""
    once: dict[str, str] = {}
    for word in words:
        once.setdefault(word.lower(), word)
    return list(once.values())
