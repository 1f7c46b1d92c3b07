"""Words and abbreviations that an expert declares to mean the same."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError

MAX_GROUPS = 500
MAX_PHRASES_PER_GROUP = 12
MAX_PHRASE_LENGTH = 80
PHRASE_SEPARATOR = "="


def check_synonyms(value: Any) -> None:
    """A list of groups, each of two or more different phrases. Raises `ValidationError` that names the group."""
    if not isinstance(value, list) or len(value) > MAX_GROUPS:
        raise ValidationError(f"Synonyms are a list of at most {MAX_GROUPS} groups.")
    for number, group in enumerate(value, start=1):
        if problem := _group_problem(group):
            raise ValidationError(f"Group {number}: {problem}")


def parse_synonyms(text: str) -> list[list[str]]:
    """Groups as people write them, `w/c = water-cement ratio`, one on a line. Raises `ValidationError` that names
    the line of a group that is not one."""
    groups = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        group = [" ".join(phrase.split()) for phrase in line.split(PHRASE_SEPARATOR)]
        if problem := _group_problem(group):
            raise ValidationError(f"Line {number}: {problem} Write it as “w/c = water-cement ratio”.")
        groups.append(group)
    check_synonyms(groups)
    return groups


def format_synonyms(groups: list[list[str]]) -> str:
    """The groups as `parse_synonyms` reads them."""
    return "\n".join(f" {PHRASE_SEPARATOR} ".join(group) for group in groups)


def _group_problem(group: Any) -> str:
    if not isinstance(group, list) or not all(isinstance(phrase, str) for phrase in group):
        return "it must be a list of phrases."
    phrases = {phrase.strip().casefold() for phrase in group}
    if not 2 <= len(group) <= MAX_PHRASES_PER_GROUP or len(phrases) != len(group) or "" in phrases:
        return f"it needs two to {MAX_PHRASES_PER_GROUP} different phrases."
    if any(len(phrase) > MAX_PHRASE_LENGTH for phrase in group):
        return f"a phrase has at most {MAX_PHRASE_LENGTH} characters."
    if any(PHRASE_SEPARATOR in phrase or phrase.splitlines() != [phrase] for phrase in group):
        return "a phrase has no equals sign and is one line."
    return ""
