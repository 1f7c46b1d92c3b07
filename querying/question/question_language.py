"""In which language a text is, and whether a question is in one that the documents do not have, told by the letters
that stand side by side.

What is common in a language is read off Django's own translations, which are installed anyway. The sentence that says
so stands in `other_language.json`, in each language that can be told.
"""

from __future__ import annotations

import gettext
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import django

_LETTERS = re.compile(r"[^\W\d_]+")
_PLACEHOLDER = re.compile(r"%\(\w{1,40}\)\w|%\w|&\w{1,10};|<[^<>]{0,200}>")
# Fewer letters than this tell little.
_MIN_LETTERS, _MAX_CHARACTERS = 12, 600
_MAX_PROFILE_CHARACTERS = 25_000
_TRANSLATED_PARTS = ("conf", "contrib/admin", "contrib/auth")
# How much likelier, for each group of letters, a language has to be than those of the documents.
_MIN_LEAD = 0.25


def other_language_notice(question: str, texts: Iterable[str]) -> str:
    """The sentence that says, in the question's language, that none of these texts is in it; empty where one is, or
    where the language cannot be told."""
    asked = _letter_groups(question[:_MAX_CHARACTERS])
    if sum(map(len, _LETTERS.findall(question))) < _MIN_LETTERS or not asked:
        return ""
    spoken = {language for text in texts if (language := _likeliest(_letter_groups(text[:_MAX_CHARACTERS])))}
    if not spoken:
        return ""
    scores = _scores(asked)
    best = max(scores, key=lambda name: scores[name])
    is_other = best not in spoken and scores[best] - max(scores[name] for name in spoken) >= _MIN_LEAD
    return _notices()[best] if is_other else ""


def language_of(text: str) -> str:
    """The language that the text is likeliest in, by its code ("en", "zh_Hans"); "" where too little is written. Only
    its first 600 characters are read."""
    begin = text[:_MAX_CHARACTERS]
    return _likeliest(_letter_groups(begin)) if sum(map(len, _LETTERS.findall(begin))) >= _MIN_LETTERS else ""


def _likeliest(groups: Counter[str]) -> str:
    scores = _scores(groups) if groups else {}
    return max(scores, key=lambda name: scores[name]) if scores else ""


def _scores(groups: Counter[str]) -> dict[str, float]:
    """The mean log probability of the letters in each language."""
    total = groups.total()
    return {
        name: sum(count * known.get(group, known[""]) for group, count in groups.items()) / total
        for name, known in _profiles().items()
    }


def _letter_groups(text: str) -> Counter[str]:
    """One to three letters in a row, a space before and after each word."""
    words = [f" {word} " for word in _LETTERS.findall(text.lower())]
    return Counter(word[at : at + size] for word in words for size in (1, 2, 3) for at in range(len(word) - size + 1))


@cache
def _profiles() -> Mapping[str, Mapping[str, float]]:
    """For each language the log probability of one to three letters in a row, and under "" that of unknown ones."""
    return {name: _profile(name) for name in _notices()}


def _profile(language: str) -> Mapping[str, float]:
    counts = _letter_groups(" ".join(_translated_texts(language))[:_MAX_PROFILE_CHARACTERS])
    total = counts.total() + len(counts) + 1
    return {"": math.log(1 / total), **{group: math.log((count + 1) / total) for group, count in counts.items()}}


def _translated_texts(language: str) -> Iterable[str]:
    """Django's texts in this language; the English ones are what is translated."""
    folder, name = Path(django.__file__).parent, "de" if language == "en" else language
    for part in _TRANSLATED_PARTS:
        with (folder / part / "locale" / name / "LC_MESSAGES" / "django.mo").open("rb") as file:
            found = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        for said, translated in found.items():
            text = said if language == "en" else translated
            yield _PLACEHOLDER.sub(" ", text if isinstance(text, str) else "")


@cache
def _notices() -> Mapping[str, str]:
    return json.loads(Path(__file__).with_name("other_language.json").read_text(encoding="utf-8"))
