"""The days of the week that an English text speaks of: "from Monday to Friday" speaks of Wednesday too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from language.exception_words import makes_exceptions
from language.lazy_pattern import lazy_pattern
from language.month_names import WEEKDAYS

ALL_DAYS = frozenset(range(len(WEEKDAYS)))
_WORKING_DAYS, _WEEKEND = frozenset(range(5)), frozenset({5, 6})
# "Sun" and "sat" are words too, so short forms count where two of them stand together: "Mon–Fri 9–18, Sat 9–13".
_NUMBER_BY_START = {name[:3]: number for number, name in enumerate(WEEKDAYS)}
# ASCII alone ("a"), as "frıday" would be read as one of them.
_FULL = rf"(?a:{'|'.join(WEEKDAYS)})s?"
_SHORT = r"(?a:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\.?"
_RANGE = lazy_pattern(
    rf"(?P<between>\bbetween\s)?\b(?P<first>{_FULL}|{_SHORT})\s{{0,3}}"
    rf"(?:[-–—]|\b(?:to|through|thru|till?|until|(?P<and>and))\b)\s{{0,3}}(?P<last>{_FULL}|{_SHORT})(?![\w’'])",
    re.IGNORECASE,
)
_BOUND = lazy_pattern(
    r"\b(?:(?P<since>(?:no|not)\s+earlier\s+than)|(?P<before>before|earlier\s+than)"
    r"|(?P<until>until|till|by|(?:no|not)\s+later\s+than)|(?P<after>after|later\s+than))\s+"
    rf"(?P<day>{_FULL})\b",
    re.IGNORECASE,
)
_NAME = lazy_pattern(rf"\b(?:{_FULL})\b", re.IGNORECASE)
_SHORT_NAME = lazy_pattern(rf"\b{_SHORT}(?![\w’'])", re.IGNORECASE)
_SEVERAL = lazy_pattern(
    r"\b(?:(?P<all>every\s+day|each\s+day|all\s+week|seven\s+days\s+a\s+week)|(?P<working>weekdays?)|(?P<weekend>weekends?))\b",
    re.IGNORECASE,
)


def named_days(text: str) -> Iterator[tuple[str, int]]:
    """Each name of a day that the text says whole, with the day's number: Monday is 0."""
    for match in _NAME.finditer(text):
        yield match.group(), _number(match.group())


def bounded_days(text: str) -> dict[str, frozenset[int]]:
    """For each name of a day that bounds what an English question is about ("before Friday"), the days of the week that
    are meant. What is in a range ("from Monday until Friday") bounds nothing."""
    in_ranges = [match.span() for match in _RANGE.finditer(text)]
    found = (
        match for match in _BOUND.finditer(text) if not any(start < match.end() <= end for start, end in in_ranges)
    )
    return {match["day"]: _within(match) for match in found}


def _within(bound: re.Match[str]) -> frozenset[int]:
    day = _number(bound["day"])
    if bound["after"] or bound["since"]:
        return frozenset(range(day + bool(bound["after"]), len(WEEKDAYS)))
    return frozenset(range(day + bool(bound["until"])))


def days_spoken_of(text: str) -> frozenset[int]:
    """The numbers of the days that the text speaks of; none where it makes exceptions."""
    return frozenset() if makes_exceptions(text) else days_named_in(text)


def days_named_in(text: str) -> frozenset[int]:
    """The numbers of the days that the text names, those of its exceptions too."""
    found = {number for _, number in named_days(text)}
    for match in _RANGE.finditer(text):
        first, last = _number(match["first"]), _number(match["last"])
        is_pair = match["and"] and not match["between"]  # "Monday and Friday" are two days
        steps = (0, (last - first) % 7) if is_pair else range((last - first) % 7 + 1)
        found.update((first + step) % 7 for step in steps)
        if not (_NAME.fullmatch(match["first"]) and _NAME.fullmatch(match["last"])):
            found.update(_number(one.group()) for one in _SHORT_NAME.finditer(text))
    for match in _SEVERAL.finditer(text):
        found |= ALL_DAYS if match["all"] else _WORKING_DAYS if match["working"] else _WEEKEND
    return frozenset(found)


def _number(name: str) -> int:
    return _NUMBER_BY_START[name[:3].lower()]
