"""Whether a question in another language than English asks how something is done.

`procedure_words.json` has, for each language, the words that ask for steps and those that ask for something else. The
longest ones count: "wie" asks for steps, and "wie lange" for a time. Of several the first decides.
"""

from __future__ import annotations

import enum
import json
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from language.scripts import word_or_character


class AskedFor(enum.Enum):
    """What a question asks for. `TOPIC`: it has no word that asks; `UNKNOWN`: its language is not known here."""

    STEPS = enum.auto()
    FACT = enum.auto()
    TOPIC = enum.auto()
    UNKNOWN = enum.auto()


def what_is_asked_for(question: str, language: str) -> AskedFor:
    """By the words of this language (an ISO code)."""
    phrases = _asking_phrases().get(language)
    if phrases is None:
        return AskedFor.UNKNOWN
    words = _words(question)
    longest = max(map(len, phrases))
    for at in range(len(words)):
        for length in range(longest, 0, -1):
            if (asked_for := phrases.get(words[at : at + length])) and at + length <= len(words):
                return asked_for
    return AskedFor.TOPIC


def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return tuple(_word_pattern().findall(plain))


@cache
def _word_pattern() -> re.Pattern[str]:
    # "qu'" and "peut-" keep their sign.
    return re.compile(rf"{word_or_character()}(?:['-](?=\w))?")


@cache
def _asking_phrases() -> Mapping[str, Mapping[tuple[str, ...], AskedFor]]:
    read = json.loads(Path(__file__).with_name("procedure_words.json").read_text(encoding="utf-8"))
    return {
        language: {_words(phrase): kind for name, kind in _KINDS.items() for phrase in kinds[name]}
        for language, kinds in read.items()
    }


_KINDS = {"steps": AskedFor.STEPS, "facts": AskedFor.FACT}
