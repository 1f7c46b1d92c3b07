"""Finds the facts that a person has stated, those whose words occur in this order in the texts, and the request above
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# A word, or a character of a script that writes no spaces between words.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")

_MAX_NAME_WORDS = _MIN_REQUEST_WORDS = 3


def unstated_facts(facts: Mapping[str, str], said: Iterable[str]) -> list[str]:
    """The names of the facts whose value does not occur in these texts. Case, white space and punctuation make no
    difference. A value without words never occurs."""
    texts = [f" {_folded_words(text)} " for text in said]
    return [name for name, value in facts.items() if not any(f" {_folded_words(value)} " in text for text in texts)]


def request_in(message: str) -> str:
    """The message without the lines below its first one that state a fact as `name: value`. What is asked for does not
    depend on whose name stands there. The whole message where little more than a greeting would be left."""
    first, *others = message.strip().splitlines() or [""]
    request = "\n".join([first, *(line for line in others if not _states_fact(line))]).strip()
    return request if len(request.split()) >= _MIN_REQUEST_WORDS else message.strip()


def _states_fact(line: str) -> bool:
    """ "Last day: 31 March", and not "Please draft the following: a notice"."""
    name, _, value = line.lstrip(" \t-*•").partition(":")
    return bool(value.strip()) and len(name.split()) <= _MAX_NAME_WORDS


def _folded_words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
