"""The letters and digits of a text, to compare texts that are laid out differently."""

from __future__ import annotations


def letters_and_digits(text: str) -> str:
    """What two texts have in common that differ in white space, punctuation, the marks of lists and capitals alone."""
    return "".join(filter(str.isalnum, text.casefold()))
