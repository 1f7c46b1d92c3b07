"""The notice for a question in a language that the documents are not in, written in the question's language."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from language.language_identification import language_of


def other_language_notice(question: str, texts: Iterable[str]) -> str:
    """A sentence in the question's language which says that none of these texts is in that language. Empty where one of
    them is, or where a language cannot be recognised."""
    asked = language_of(question)
    if asked not in _notices():
        return ""
    spoken = {language for text in texts if (language := language_of(text))}
    return _notices()[asked] if spoken and asked not in spoken else ""


@cache
def _notices() -> Mapping[str, str]:
    return json.loads(Path(__file__).with_name("other_language.json").read_text(encoding="utf-8"))
