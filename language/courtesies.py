"""Greetings, thanks and goodbyes, around a question or in place of one, told by the phrases of `courtesies.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ENGLISH = "en"
_FILLER = "filler"  # says nothing by itself: "there" of "hello there"
_MAX_CHARACTERS = 160
_WORD = re.compile(r"[^\W_]+")
_CLAUSE_END = re.compile(r"(?<![,.!?;:–—])[,.!?;:–—]++(?=\s|$)|[，。！？、；：؟،\n]+")
_QUESTION_MARK = re.compile(r"[?？؟]\s*$")
# What is asked out of courtesy: "How are you?", "Who are you?".
_ASKED = frozenset({"greeting", "about"})
_Words = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Courtesy:
    """`kind` is a key of `courtesies.json`: "greeting", "about" (who are you?), "thanks", "farewell" or "agreement"."""

    kind: str
    language: str


def find_courtesy(text: str) -> Courtesy | None:
    """What a text says that is put together from such phrases alone: who are you, or else what its last one says."""
    if len(text) > _MAX_CHARACTERS or not (words := _bare_words(text)):
        return None
    for language in _phrases():
        kinds = [kind for kind in _covering(words, language) if kind != _FILLER]
        if kinds and not _asks_for_more(text, language):
            return Courtesy(kind="about" if "about" in kinds else kinds[-1], language=language)
    return None


def _asks_for_more(text: str, language: str) -> bool:
    """Whether a clause with a question mark asks for anything else than how or who somebody is: "OK, and then?"."""
    asked = (_bare_words(text[start:end]) for start, end in _clauses(text) if _QUESTION_MARK.search(text[start:end]))
    return any(words and _ASKED.isdisjoint(_covering(words, language)) for words in asked)


def without_courtesies(text: str) -> str:
    """The text without the clauses at its beginning and end that are nothing else: "Hello, when is check-in? Thanks!"
    asks "when is check-in?". A text that says nothing else stays as it is."""
    asked = [(start, end) for start, end in _clauses(text) if not _says_nothing(text[start:end])]
    if not asked:
        return text
    start, end = asked[0][0], asked[-1][1]
    is_whole = not _bare_words(text[:start] + text[end:])
    return text if is_whole else text[start:end].strip()


def _clauses(text: str) -> list[tuple[int, int]]:
    ends = [match.end() for match in _CLAUSE_END.finditer(text)]
    return list(zip([0, *ends], [*ends, len(text)], strict=True))


def _says_nothing(clause: str) -> bool:
    return not _bare_words(clause) or find_courtesy(clause) is not None


def _bare_words(text: str) -> _Words:
    return tuple(_WORD.findall(text.lower()))


def _covering(words: _Words, language: str) -> list[str]:
    """The kinds of the phrases that the words consist of, in order; empty where some words are of none."""
    phrases = _phrases()[language]
    longest = max(map(len, phrases))
    covered: list[list[str] | None] = [[], *[None] * len(words)]
    for start in range(len(words)):
        before = covered[start]
        if before is None:
            continue
        for end in range(min(start + longest, len(words)), start, -1):
            if covered[end] is None and (kind := phrases.get(words[start:end])):
                covered[end] = [*before, kind]
    return covered[-1] or []


@cache
def _phrases() -> Mapping[str, Mapping[_Words, str]]:
    """For each language the kind of each phrase. English ones are said in every language: "ok, danke"."""
    listed = json.loads(Path(__file__).with_name("courtesies.json").read_text(encoding="utf-8"))
    own = {
        language: {_bare_words(phrase): kind for kind, phrases in kinds.items() for phrase in phrases}
        for language, kinds in listed.items()
    }
    return {language: {**own[ENGLISH], **phrases} for language, phrases in own.items()}
