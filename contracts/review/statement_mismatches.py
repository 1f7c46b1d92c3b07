"""Finds the reasons why a sentence near a statement does not say the same: it binds one side where the statement binds
both, it makes an exception, it names other figures, or its clause says that it is not binding.

A GREEN finding needs no look by a person, so each of these reasons makes it YELLOW at best.
"""

from __future__ import annotations

from language.figures.figure_extraction import extract_figures, unsupported_figures
from language.word_patterns import word_pattern

_BOTH_SIDES = word_pattern(
    "each party|either party|both parties|both sides|neither party|no party|the parties|mutual|mutually|one another"
    "|each other|reciprocal"
)
_EXCEPTION = word_pattern("unless|except|excluding|provided|other than|save|subject to|notwithstanding|only if")
_NOT_BINDING = word_pattern(
    "forms? no part|not (?:a )?part of this|not binding|not bind|binds? (?:nobody|no one|neither)|without legal effect"
    "|for illustration|rejected (?:wording|text|draft)|for the reviewer|mark all"
)
_MULTIPLE = word_pattern("times|twice|double|doubled|triple|half|multiple of")


def has_reservation(statement: str, sentence: str) -> bool:
    """Whether the sentence makes an exception that the statement does not, or binds one side where that binds both."""
    if _BOTH_SIDES.search(statement) and not _BOTH_SIDES.search(sentence):
        return True
    return bool(_EXCEPTION.search(sentence)) and not _EXCEPTION.search(statement)


def before_exception(sentence: str) -> str:
    """What the sentence says before the exception that it makes; the whole where it makes none."""
    found = _EXCEPTION.search(sentence)
    return sentence[: found.start()].rstrip(" ,;(") if found else sentence


def has_other_figures(statement: str, sentence: str) -> bool:
    """Whether one of the two has a figure that the other has not, where the statement has any."""
    if not extract_figures(statement).quantities:
        return False
    return bool(
        _MULTIPLE.search(sentence)
        or unsupported_figures(statement, sentence)
        or unsupported_figures(sentence, statement)
    )


def is_non_binding(clause: str) -> bool:
    """Whether the clause says of itself that it does not bind, or speaks to whoever reviews it."""
    return bool(_NOT_BINDING.search(clause))
