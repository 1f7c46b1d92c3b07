"""Finds the facts that a person has stated, those whose words occur in this order in the texts, and the request above
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# A word, or a character of a script that writes no spaces between words.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")

# What may stand before and around a fact: a list, a number, bold print.
_LIST_MARK = re.compile(r"[ \t\-–*•·+>]{0,12}(?:\d{1,3}[.)][ \t]+)?")
_BOLD = " \t*"
_COLON = re.compile("[:\uff1a]")  # the second is full width

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


def stated_fact(line: str) -> tuple[str, str]:
    """The name and the value of a line `name: value`, which may stand in a list or in bold print; both are "" where it
    is none."""
    mark = _LIST_MARK.match(line)
    parts = _COLON.split(line[mark.end() if mark else 0 :], maxsplit=1)
    name, value = (parts[0].strip(_BOLD), parts[-1].strip(_BOLD)) if len(parts) == 2 else ("", "")
    return (name, value) if name and value else ("", "")


def _states_fact(line: str) -> bool:
    """ "Last day: 31 March", and not "Please draft the following: a notice"."""
    name, _ = stated_fact(line)
    return 0 < len(name.split()) <= _MAX_NAME_WORDS


def _folded_words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
