"""Words as searching compares them: names cut into their parts, endings taken off."""

from __future__ import annotations

import functools
import re

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SHORTEST_STEM = 3
ENDINGS = ("ation", "ing", "ion", "ed", "er", "or", "ly", "e")
_EMPTY = frozenset(
    word
    for line in (
        "a about after all also an and any are as at be been before being both but by can could did do does done",
        "each else for from get gets had has have how i if in into is it its just made make makes me more my no not",
        "of off on once one only or our out over own same shall should so some such than that the their them then",
        "there these they this those through to too under until up us use used uses using very was we were what when",
        "where which while who whom whose why will with would you your happen happens work works explain tell say says",
        "show code file files",
    )
    for word in line.split()
)


def terms(text: str) -> list[str]:
    """The stems of a text's words, in their order; a name such as `refreshToken` is there whole and by its parts."""
    found = []
    for word in _WORD.findall(text):
        parts = _PART.findall(word) if not word.islower() and word.isascii() else ()
        if len(parts) > 1:
            found += [stem(part.lower()) for part in parts]
        found.append(stem(word.casefold()))
    return found


def question_terms(question: str) -> list[str]:
    """The stems that a question is about, each once; empty words are left out."""
    words = [word for word in _WORD.findall(question) if word.casefold() not in _EMPTY]
    return list(dict.fromkeys(stem for word in words for stem in _parts_or_whole(word)))


def asked_words(question: str) -> dict[str, str]:
    """The plain words that a question is about, by their stems; names that are cut into parts are left out."""
    words = [word for word in _WORD.findall(question) if word.casefold() not in _EMPTY]
    return {stems[0]: word for word in words if len(stems := _parts_or_whole(word)) == 1}


def is_empty_word(word: str) -> bool:
    """Whether a word says nothing about what a question is about."""
    return word in _EMPTY


def _parts_or_whole(word: str) -> list[str]:
    parts = _PART.findall(word) if not word.islower() and word.isascii() else []
    return [stem(part.lower()) for part in parts] if len(parts) > 1 else [stem(word.casefold())]


@functools.lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A word in small letters without its ending, so that `rotates`, `rotated` and `rotation` are one."""
    if word.endswith("ies") and len(word) > _SHORTEST_STEM + 1:
        word = f"{word[:-3]}y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _SHORTEST_STEM:
        word = word[:-1]
    for ending in ENDINGS:
        bare = word[: -len(ending)]
        if not word.endswith(ending) or len(bare) < _SHORTEST_STEM or not any(letter in "aeiouy" for letter in bare):
            continue
        if bare[-1] == bare[-2] and bare[-1] not in "aeioulsz":
            return bare[:-1]
        if len(bare) == _SHORTEST_STEM:
            if ending not in ("ing", "ed"):
                continue  # `wine` is not `win`.
            # `named` is `name`, and `fixed` is `fix`.
            silent = bare[1] in "aeiouy" and bare[-1] not in "aeiouwxyd"
            return f"{bare}e" if silent else bare
        return f"{bare}at" if ending == "ation" else bare
    return word
