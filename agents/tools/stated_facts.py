"""Finds the facts that a person has stated, those whose words occur in this order in the texts, and the request above
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# A word, or a character of a script that writes no spaces between words.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def unstated_facts(facts: Mapping[str, str], said: Iterable[str]) -> list[str]:
    """The names of the facts whose value does not occur in these texts. Case, white space and punctuation make no
    difference. A value without words never occurs."""
    texts = [f" {_folded_words(text)} " for text in said]
    return [name for name, value in facts.items() if not any(f" {_folded_words(value)} " in text for text in texts)]


def request_in(message: str) -> str:
    """The message without the lines below its first one that state a fact as `name: value`. What is asked for does not
    depend on whose name stands there."""
    first, *others = message.strip().splitlines() or [""]
    return "\n".join([first, *(line for line in others if not line.partition(":")[2].strip())]).strip()


def _folded_words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
