"""The stem of a word: "beams" and "beam" have the same one.

`stem` needs nothing but the word, and is what the search index keeps. `stem_in` needs the language.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from functools import cache, lru_cache
from typing import Any

from Stemmer import Stemmer

from language.scripts import LAST_LATIN

_MAX_WORD_LENGTH = 64
_MIN_ROOT_LENGTH = 3  # of a German verb
# The language whose stems a script gets: the one with the most texts in it. First and last letter of each block.
_SCRIPTS = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0531", "\u0587", "armenian"),
    ("\u0620", "\u06ff", "arabic"),
    ("\u0904", "\u097f", "hindi"),
    ("\u0b82", "\u0bff", "tamil"),
    ("\u1f00", "\u1fff", "greek"),
)
# Languages, by their code, whose words `stem` does not give the stems of their own language.
_STEMMERS = {
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "sr": "serbian",
    "sv": "swedish",
    "tr": "turkish",
}
STEMMED_LANGUAGES = frozenset(_STEMMERS)
_SCRIPT_STARTS = [first for first, _, _ in _SCRIPTS]
_lock = threading.Lock()  # a stemmer keeps the word it works on in itself


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a word in small letters: the English one in Latin letters, else that of the language that is mostly
    written in its script. Words in other alphabets and very long ones stay as they are."""
    language = _script_language(word)
    if language is None or len(word) > _MAX_WORD_LENGTH:
        return latin_stem(word)
    return _snowball_stem(word, language) or word


@lru_cache(maxsize=65_536)
def stem_in(word: str, language: str) -> str:
    """The stem of a word in small letters in one of `STEMMED_LANGUAGES`, mostly the same as that of its `stem`."""
    return _snowball_stem(word[:_MAX_WORD_LENGTH], _STEMMERS[language]) or word


def german_verb_stems(word: str) -> set[str]:
    """The stems that the forms of a regular German verb have, given one of them in small letters: Snowball's stemmer
    leaves the t of "heizt", "geheizt" and "heizten" where it is, and the ge- as well."""
    given = stem_in(word, "de")
    roots = {given}
    if given.endswith("t"):
        roots.add(given.removesuffix("t").removesuffix("e"))
        roots.add(given.removeprefix("ge").removesuffix("t").removesuffix("e"))
    roots = {root for root in roots if len(root) >= _MIN_ROOT_LENGTH}
    return {given} | {form for root in roots for form in (root, f"{root}t", f"{root}et", f"{root}end", f"ge{root}t")}


def latin_stem(word: str) -> str:
    """The English stem of a word in small letters; words in other alphabets and very long ones stay as they are."""
    if len(word) > _MAX_WORD_LENGTH or max(word, default="") > LAST_LATIN:
        return word
    return _snowball_stem(word, "english")


def _script_language(word: str) -> str | None:
    """The language that a word is stemmed in by the script of its first letter; None for Latin letters, and for scripts
    without a stemmer."""
    at = bisect_right(_SCRIPT_STARTS, word[:1]) - 1
    return _SCRIPTS[at][2] if at >= 0 and word[:1] <= _SCRIPTS[at][1] else None


def _snowball_stem(word: str, language: str) -> str:
    """May be empty. A word with half a surrogate pair stays as it is."""
    try:
        with _lock:
            return str(_stemmer(language).stemWord(word))
    except UnicodeEncodeError:
        return word


@cache
def _stemmer(language: str) -> Any:
    return Stemmer(language, 0)  # what calls this keeps the stems itself
