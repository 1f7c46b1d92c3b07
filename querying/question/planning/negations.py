"""Finds what a question excludes: "not the minutes", "everything except drafts", "posts that aren't from 2019"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from knowledge.search.filters import Filters
from language.lazy_pattern import lazy_pattern
from language.stop_words import STOP_WORDS
from querying.question.planning.label_matching import KINDS, is_thing
from querying.question.planning.label_vocabulary import label_stem
from querying.question.planning.query_plan import DayRange, Mention

_EXCEPT = r"\b(?:except|excluding|exclude|without|minus|besides|ignor(?:e|ing)|leav(?:e|ing) (?:out|aside))\b"
_OTHER = r"\b(?:(?:apart|aside) from|(?:other|rather) than|instead of|(?:any|every)thing but|all but)\b"
_NOT = r"\b(?:not(?! (?:only|just)\b)|no|never|non|nor|neither)\b"
_CONTRACTED = r"\b(?!can|could|wo)\w{2,6}n['’]t\b|\b(?:are|did|do|does|is|was|were|has|have)nt\b"
_DENIALS = [lazy_pattern(pattern, re.IGNORECASE) for pattern in (_EXCEPT, _OTHER, _NOT, _CONTRACTED)]
# "Don't we have posts on design?" denies nothing.
_RHETORICAL = re.compile(r"(?:^|[,.;:!?] )\w+['’]?t (?:there|we|you|i|they|he|she|it)\b", re.IGNORECASE)
_END = re.compile(r"[,.;:!?]|\b(?:but|which|what|who|why|how|where|when|only|just)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
# What may stand between "not" and what it denies: "aren't tagged design", "don't want any posts from 2019".
_LINKS = "tag label mark publish written write date creat file want need show includ list give call longer yet get one"
_LINKING = frozenset(_LINKS.split())


@dataclass(frozen=True, kw_only=True)
class Negations:
    """`groups`: the places that one denial excludes together. `unclear` are places behind a denial that may deny
    something else. Of times only those count that are open on one side: if denied, they mean the opposite.
    `has_no_target`: a denial has no place behind it at all."""

    groups: tuple[tuple[Mention, ...], ...] = ()
    unclear: tuple[Mention, ...] = ()
    has_no_target: bool = False

    @property
    def places(self) -> frozenset[Mention]:
        """All that is excluded."""
        return frozenset(place for group in self.groups for place in group)

    def turned(self) -> DayRange | None:
        """The other side of the first excluded time that is open to one side."""
        days = next((one[0].days for one in self.groups if len(one) == 1 and _is_open(one[0])), DayRange())
        if days.last:
            return DayRange(first=days.last + timedelta(days=1))
        return DayRange(last=days.first - timedelta(days=1)) if days.first else None

    def filters(self, *, is_turned: bool) -> tuple[Filters, ...]:
        """What to leave out; without the times of `turned`, where these are filters already."""
        return tuple(_filters(one) for one in self.groups if not (is_turned and len(one) == 1 and _is_open(one[0])))


def find_negations(text: str, places: Sequence[Mention]) -> Negations:
    """What of these places, which stand in order, the text denies."""
    groups: list[tuple[Mention, ...]] = []
    unclear: list[Mention] = []
    has_no_target, reached = False, 0
    found = [(match, at < 2) for at, pattern in enumerate(_DENIALS) for match in pattern.finditer(text)]
    for denial, is_exception in sorted(found, key=lambda one: one[0].start()):
        rhetorical = _RHETORICAL.search(text, max(0, denial.start() - 2))
        is_rhetorical = rhetorical is not None and rhetorical.start() <= denial.start() < rhetorical.end()
        is_inside = any(place.start <= denial.start() < place.end for place in places)
        if is_inside or denial.start() < reached or is_rhetorical:
            continue
        group: list[Mention] = []
        reached, doubt = denial.end(), False
        for place in (place for place in places if place.start >= denial.end()):
            between = text[reached : place.start]
            if _END.search(between):
                break
            doubt = doubt or not _is_linked(between, is_first=not group)
            if doubt:
                unclear += [place] if _is_open(place) or place.kind not in ("time", "projects") else []
            elif place.kind == "time" and group and not is_exception:
                break
            else:
                group.append(place)
            reached = place.end
        groups += [tuple(group)] if group else []
        # Neither "There's no rush, what did I finish?" nor "What did I finish? I do not know" denies what was done.
        is_last_clause = not _END.search(text[:-1], denial.end()) and "?" not in text[: denial.start()]
        is_verb = denial.group()[-1:].lower() == "t" and is_last_clause
        has_no_target = has_no_target or (is_verb and not group)
    return Negations(groups=tuple(groups), unclear=tuple(unclear), has_no_target=has_no_target)


def _is_linked(between: str, *, is_first: bool) -> bool:
    words = _WORD.findall(between.lower())
    return all(word in STOP_WORDS or is_thing(word) or (is_first and label_stem(word) in _LINKING) for word in words)


def _is_open(place: Mention) -> bool:
    return place.kind == "time" and (place.days.first is None or place.days.last is None)


def _filters(group: Sequence[Mention]) -> Filters:
    labels = {kind: tuple(one.label for one in group if one.kind == kind) for kind in KINDS}
    days = next((place.days for place in group if place.kind == "time"), DayRange())
    return Filters(
        doc_types=labels["doc_types"],
        projects=labels["projects"],
        statuses=labels["statuses"],
        tags_any=labels["tags"],
        date_from=days.first,
        date_to=days.last,
    )
