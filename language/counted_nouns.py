"""The noun after "how many" in a question, in languages that put it there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path


def counted_words(question: str, language: str) -> list[str]:
    """The word behind each "how many" of the question; none in languages that put it elsewhere."""
    words = question.replace("’", "'").replace("'", "' ").split()
    lowered = [word.lower().lstrip('¿¡"„“«(') for word in words]
    found = []
    for phrase in _counted_phrases().get(language, ()):
        ends = (at + len(phrase) for at in range(len(words)) if lowered[at : at + len(phrase)] == list(phrase))
        found += [words[end].strip('?!.,;:"“”»)') for end in ends if end < len(words)]
    return found


@cache
def _counted_phrases() -> Mapping[str, Sequence[Sequence[str]]]:
    read = json.loads(Path(__file__).with_name("counting_words.json").read_text(encoding="utf-8"))
    return {language: [phrase.split() for phrase in phrases] for language, phrases in read.items()}
