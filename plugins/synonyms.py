"""Words and abbreviations that an expert declares to mean the same."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError

MOST_GROUPS = 500
MOST_IN_A_GROUP = 12
LONGEST = 80
BETWEEN = "="


def check_synonyms(value: Any) -> None:
    """A list of groups, each of two or more different phrases. Raises `ValidationError` that names the group."""
    if not isinstance(value, list) or len(value) > MOST_GROUPS:
        raise ValidationError(f"Synonyms are a list of at most {MOST_GROUPS} groups.")
    for number, group in enumerate(value, start=1):
        if problem := _problem(group):
            raise ValidationError(f"Group {number}: {problem}")


def read_synonyms(text: str) -> list[list[str]]:
    """Groups as people write them, `w/c = water-cement ratio`, one on a line. Raises `ValidationError` that names
    the line of a group that is not one."""
    groups = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        group = [" ".join(phrase.split()) for phrase in line.split(BETWEEN)]
        if problem := _problem(group):
            raise ValidationError(f"Line {number}: {problem} Write it as “w/c = water-cement ratio”.")
        groups.append(group)
    check_synonyms(groups)
    return groups


def written_synonyms(groups: list[list[str]]) -> str:
    """The groups as `read_synonyms` reads them."""
    return "\n".join(f" {BETWEEN} ".join(group) for group in groups)


def _problem(group: Any) -> str:
    if not isinstance(group, list) or not all(isinstance(phrase, str) for phrase in group):
        return "it must be a list of phrases."
    phrases = {phrase.strip().casefold() for phrase in group}
    if not 2 <= len(group) <= MOST_IN_A_GROUP or len(phrases) != len(group) or "" in phrases:
        return f"it needs two to {MOST_IN_A_GROUP} different phrases."
    if any(len(phrase) > LONGEST for phrase in group):
        return f"a phrase has at most {LONGEST} characters."
    if any(BETWEEN in phrase or phrase.splitlines() != [phrase] for phrase in group):
        return "a phrase has no equals sign and is one line."
    return ""
