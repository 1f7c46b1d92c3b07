"""The dates and months that an English text speaks of: "from 15 May to 15 September" speaks of 1 June and of July."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from language.bound_words import AT_LEAST
from language.cache_sizes import CACHED_SENTENCES
from language.exception_words import makes_exceptions
from language.figures.bounds import trailing_bound
from language.figures.dates_and_identifiers import YEAR_PATTERN
from language.lazy_pattern import lazy_pattern
from language.month_names import MONTH_PATTERN, MONTHS, WEEKDAYS, month_number
from language.units import CURRENCY_PATTERN

# A year (0 where none is given), a month and a day. They are compared and never counted, so every month may have 31.
Day = tuple[int, int, int]
_DECEMBER, _LONGEST_MONTH, _LEAP_YEAR = 12, 31, 2024
_YEAR_START, _YEAR_END = (1, 1), (_DECEMBER, 31)
_FIRST_DAY, _LAST_DAY = (0, 1, 1), (9999, _DECEMBER, 31)


def _days_pattern(n: int) -> str:
    """A day of a month, or several: "24", "24th", "24-26", "1 and 15", "24, 25 and 26". Its groups end in `n`."""
    day, ordinal = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:st|nd|rd|th|\.)?"
    more = rf"(?P<more{n}>(?:,\s?{day}{ordinal}){{1,9}}(?=,?\sand\s))?"
    joint = rf"(?P<joint{n}>[^\S\n]?[-–—][^\S\n]?|\s(?:to|till?|until|through)\s|,?\sand\s)(?:the\s)?"
    return rf"(?P<first{n}>{day}){ordinal}(?:{more}{joint}(?P<last{n}>{day}){ordinal})?"


_IN_FIGURES = (
    r"(?<![\w./-])(?P<first4>\d{1,2})(?P<joint4>[./-])(?P<month4>\d{1,2})(?P=joint4)"
    rf"(?P<year4>{YEAR_PATTERN})(?![\w/-]|[.,]\d)"
)
_DATE_IN_FIGURES = lazy_pattern(_IN_FIGURES)
_DATE = lazy_pattern(
    rf"\b(?P<year0>{YEAR_PATTERN})-(?P<month0>0[1-9]|1[0-2])-(?P<first0>[0-3]\d)\b"
    rf"|(?<![\d.,:/])\b{_days_pattern(1)}[\s-](?:day\s)?(?:of\s)?(?P<month1>{MONTH_PATTERN})\b\.?"
    rf"(?:,?[\s-](?P<year1>{YEAR_PATTERN})\b)?"
    rf"|\b(?P<month2>{MONTH_PATTERN})\b\.?\s(?:the\s)?{_days_pattern(2)}(?![\w%]|[.,:]\d|\s{CURRENCY_PATTERN})(?:,?\s(?P<year2>{YEAR_PATTERN})\b)?"
    rf"|\b(?P<month3>{MONTH_PATTERN})\b\.?(?:,?\s(?:of\s)?(?P<year3>{YEAR_PATTERN})\b)?"
    rf"|{_IN_FIGURES}",
    re.IGNORECASE,
)
_WEEKDAY = rf"(?:{'|'.join([*WEEKDAYS, *(name[:3] for name in WEEKDAYS)])})"
_ARTICLES = rf"(?:[^\S\n]*:[^\S\n]*|\s)(?:on\s)?(?:the\s)?(?:{_WEEKDAY}\.?,?\s(?:the\s)?)?"
# What stands right before a date, and bounds it. `opens` and `closes` bound where a text has both.
_SIDE = lazy_pattern(
    r"\b(?:(?P<between>between)|(?P<since>from|since|starting|effective|as\sof|on\sor\safter|(?:no|not)\searlier\sthan)"
    r"|(?P<until>until|till|by|up\sto|on\sor\sbefore|(?:no|not)\slater\sthan)|(?P<after>after|later\sthan)"
    r"|(?P<before>before|prior\sto|earlier\sthan)|(?P<opens>opens?|starts?|begins?|first\sday)|(?P<closes>to|closes?|ends?|last\sday))"
    rf"(?:\sand\sincluding)?{_ARTICLES}(?P<edge>(?:(?P<start>beginning|start)|(?P<end>end))\sof\s(?:the\s)?)?$",
    re.IGNORECASE,
)
_LONGEST_SIDE, _LONGEST_SET_OFF = 60, 16
# The end of a month that is a day: "until the end of March". "From the end of March" is not exact.
_EDGES = {"since": "start", "after": "end", "until": "end", "before": "end", "closes": "end"}
_RANGE_JOINT = lazy_pattern(
    rf"(?:[^\S\n]?[-–—][^\S\n]?(?:{_WEEKDAY}\.?,?\s)?|\s?(?:(?:up\s)?to|through|thru|till?|until|(?P<and>and))(?:\sand\sincluding)?{_ARTICLES}"
    r"(?:end\sof\s(?:the\s)?)?)",
    re.IGNORECASE,
)
# "Mid-May", "the end of May", "the first week of May": nobody knows which days those are.
_INEXACT = lazy_pattern(
    r"\b(?:mid|early|late|around|(?<!\bwhat )(?<!\bhow )about"
    r"|circa|approximately|roughly|(?<!month )(?<!\bas )of)(?:[\s-]+(?:the\s)?)$",
    re.IGNORECASE,
)
# "Not until 15 May"; but "not from 1 March until 30 September" denies nothing of the range.
_DENIAL = lazy_pattern(
    r"(?:\b(?:not|no|never|cannot)|n['’]t)\s(?:(?!(?:from|since|between|starting)\s)[^\W\d][\w-]{0,19}\s){0,6}$",
    re.IGNORECASE,
)
_PREPOSITION = lazy_pattern(r"\b(?:on|in|during)\s(?:the\s)?$", re.IGNORECASE)
_ONWARDS = lazy_pattern(r"\sonwards?\b", re.IGNORECASE)
# "May" and "march" are verbs too, and "Jan" is a name: alone they count where these stand beside them.
_VERBS = frozenset({"may", "march", "mar"})
_BEFORE_MONTH = lazy_pattern(
    r"(?:\b(?:in|on|during|since|until|till|by|of|from|between|to|through|and|or|before|after|mid|early|late|each|every)"
    r"|[,|/–—-])[\s-]{0,2}(?:the\s)?$",
    re.IGNORECASE,
)
_BEHIND_MONTH = lazy_pattern(
    rf"\s?(?:[,|/:;–—-]|\.(?:\s|$)|$|(?:to|through|until|till|and|or)\s(?:{MONTH_PATTERN}\b|\d))", re.IGNORECASE
)
# "On July 8" is a day; "in July 8 lifeguards work" is a month and a number.
_IN = lazy_pattern(r"\bin\s$", re.IGNORECASE)
# "May 3 people share a room?"
_COUNT_IN_QUESTION = lazy_pattern(r"\s(?!(?:to|till?|until|through|and|or)\b)[a-z][^.!?\n]{0,300}\?")
_IN_BEFORE_VERB = lazy_pattern(r"\b(?:in|on|during|since)\s(?:the\s)?$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class DateSpan:
    """The days from `first` to `last`, each None where that end is open. Without years they are those of any year, and
    31 March is behind 1 November. `is_month`: it is the name of a month, and which of its days are meant is not told.
    `start:end` is its place in the text, with the word that bounds it: "until 31 March"."""

    first: Day | None
    last: Day | None
    start: int
    end: int
    is_month: bool = False

    @property
    def year(self) -> int:
        """A year of it; 0 where it has none."""
        return (self.first or self.last or (0, 0, 0))[0]

    def overlaps(self, other: DateSpan) -> bool:
        """Whether a day is in both."""
        if self.year and other.year:
            return (self.first or _FIRST_DAY) <= (other.last or _LAST_DAY) and (other.first or _FIRST_DAY) <= (
                self.last or _LAST_DAY
            )
        return any(
            first <= other_last and other_first <= last
            for first, last in self._parts_of_year()
            for other_first, other_last in other._parts_of_year()
        )

    def _parts_of_year(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Its days without their year. What is open ends with the year."""
        first = self.first[1:] if self.first else _YEAR_START
        last = self.last[1:] if self.last else _YEAR_END
        if self.year and not self.last:  # "since 1 April 2024" it is so in February too
            first = _YEAR_START
        years = self.last[0] - self.first[0] if self.first and self.last else 0
        if years > 1 or (years == 1 and first <= last):
            return [(_YEAR_START, _YEAR_END)]
        return [(first, last)] if first <= last else [(first, _YEAR_END), (_YEAR_START, last)]


@dataclass(frozen=True, kw_only=True)
class NamedDate:
    """A date or month of a text: `days`, `month` and `year` as they are written, empty where they are not. The
    place of its `span` begins with the preposition before it ("on 1 June")."""

    span: DateSpan
    days: tuple[str, ...]
    month: str
    year: str


@dataclass(frozen=True, kw_only=True)
class _Mention:
    """A date of the text, which stands at `start:end`, and the name of the group of `_SIDE` that bounds it, or ""."""

    named: NamedDate
    start: int
    end: int
    side: str
    is_exact: bool
    is_list: bool = False

    @property
    def is_lower(self) -> bool:
        return self.side in ("since", "after", "opens")

    @property
    def is_upper(self) -> bool:
        return self.side in ("until", "before", "closes")


def named_dates(text: str) -> list[NamedDate]:
    """The dates and months that a question is about; not those that only bound what it is about ("before 1 June")."""
    bounds = ("after", "until", "before")
    mentions = () if has_ambiguous_date(text) else _mentions(text)
    return [one.named for one in mentions if one.is_exact and one.side not in bounds]


def has_ambiguous_date(text: str) -> bool:
    """Whether nobody can tell the day from the month in a date in figures alone: "12/03/2026"."""
    return any(_day_first(match) is None for match in _DATE_IN_FIGURES.finditer(text))


def day_first_in(text: str) -> bool | None:
    """Whether the day stands before the month in the dates in figures alone; None where they do not tell, as those with
    full stops and "05/05/2026" do not of the others."""
    telling = (match for match in _DATE_IN_FIGURES.finditer(text) if match["joint4"] != ".")
    orders = {_day_first(match) for match in telling if int(match["first4"]) != int(match["month4"])} - {None}
    return orders.pop() if len(orders) == 1 else None


def _day_first(match: re.Match[str]) -> bool | None:
    """Of a date in figures alone; None where it may be either. With full stops the day is always first."""
    one, other = int(match["first4"]), int(match["month4"])
    if match["joint4"] == "." or one == other or one > _DECEMBER:
        return True
    return False if other > _DECEMBER else None


@lru_cache(maxsize=CACHED_SENTENCES)
def dates_spoken_of(text: str, *, day_first: bool = True) -> tuple[DateSpan, ...]:
    """The dates that the text speaks of; none where it makes exceptions, or where one is not exact ("mid-May").
    `day_first` tells how a date in figures is read that may be either."""
    mentions = list(_mentions(text, day_first=day_first))
    if not mentions or makes_exceptions(text) or not all(one.is_exact for one in mentions):
        return ()
    return tuple(_spans(text, mentions))


def _spans(text: str, mentions: Sequence[_Mention]) -> Iterator[DateSpan]:
    at = 0
    while at < len(mentions):
        one, other = mentions[at], mentions[at + 1] if at + 1 < len(mentions) else None
        if other and (joined := _joined_range(text, one, other)):
            yield joined
            at += 2
            continue
        yield from _single_spans(one)
        at += 1


def _joined_range(text: str, one: _Mention, other: _Mention) -> DateSpan | None:
    """The range of which the two dates are the ends; None where they are not."""
    joint = _RANGE_JOINT.fullmatch(text, one.end, other.start)
    if joint and (not joint["and"] or one.side == "between"):
        return _range(one.named.span, other.named.span)
    lower, upper = (one, other) if one.is_lower else (other, one)
    is_told = "closes" not in (lower.side, upper.side) or one is lower
    if not (lower.is_lower and upper.is_upper and is_told):
        return None
    return _range(_bounded(lower), _bounded(upper))


def _range(one: DateSpan, other: DateSpan) -> DateSpan | None:
    """From the first day of one to the last of the other; None where that is before it. One year may do for both."""
    first, last = one.first, other.last
    if not (first and last):
        return None
    if last[0] and not first[0]:
        first = (last[0] - (first[1:] > last[1:]), *first[1:])
    elif first[0] and not last[0]:
        last = (first[0] + (first[1:] > last[1:]), *last[1:])
    start, end = min(one.start, other.start), max(one.end, other.end)
    return DateSpan(first=first, last=last, start=start, end=end) if not first[0] or first <= last else None


def _single_spans(mention: _Mention) -> Iterator[DateSpan]:
    span = mention.named.span
    if mention.is_list and span.first:  # "1 and 15 June"
        for day in mention.named.days:
            one = (*span.first[:2], int(day))
            yield replace(span, first=one, last=one)
    elif mention.side in ("since", "after"):
        yield replace(_bounded(mention), last=None, is_month=False)
    elif mention.side in ("until", "before"):
        yield replace(_bounded(mention), first=None, is_month=False)
    else:
        yield span


def _bounded(mention: _Mention) -> DateSpan:
    """Its span with the ends moved to where a bound begins or ends: "after 31 March" begins behind that day."""
    span = mention.named.span
    if mention.side == "after" and span.last:
        return replace(span, first=_day_after(span.last))
    if mention.side == "before" and span.first:
        return replace(span, last=_day_before(span.first))
    return span


def _day_after(day: Day) -> Day:
    year, month, number = day
    if number < monthrange(year or _LEAP_YEAR, month)[1]:
        return year, month, number + 1
    return (year, month + 1, 1) if month < _DECEMBER else (year + bool(year), 1, 1)


def _day_before(day: Day) -> Day:
    """The last day of a month may be 31 in each: it is only compared."""
    year, month, number = day
    if number > 1:
        return year, month, number - 1
    return (year, month - 1, 31) if month > 1 else (year - bool(year), _DECEMBER, 31)


def _mentions(text: str, *, day_first: bool = True) -> Iterator[_Mention]:
    for match in _DATE.finditer(text):
        number = (match.lastgroup or "")[-1]
        given = {name[:-1]: value for name, value in match.groupdict().items() if value and name.endswith(number)}
        if number == "4":
            is_first = _day_first(match)
            if not (day_first if is_first is None else is_first):
                given |= {"first": given["month"], "month": given["first"]}
            if 1 <= int(given["month"]) <= _DECEMBER and 1 <= int(given["first"]) <= _LONGEST_MONTH:
                yield _mention(text, match.start(), match.end(), {k: given[k] for k in ("first", "month", "year")})
        elif "year" in given or _is_month(text, match, given["month"], is_dated="first" in given):
            end = match.end()
            if number == "2" and "year" not in given and _IN.search(text[max(0, match.start() - 3) : match.start()]):
                given, end = {"month": given["month"]}, match.end("month2")
            yield _mention(text, match.start(), end, given)


def _is_month(text: str, match: re.Match[str], name: str, *, is_dated: bool) -> bool:
    """Whether a word without a year is the month that it may be."""
    is_verb = name.lower() in _VERBS
    before = text[max(0, match.start() - _LONGEST_SET_OFF) : match.start()]
    if is_verb and is_dated and not before.strip() and _COUNT_IN_QUESTION.match(text, match.end()):
        return False
    if is_verb and name.islower() and not _IN_BEFORE_VERB.search(before):
        return False
    if is_dated or (name.lower() in MONTHS and not is_verb):
        return True
    is_set_off = _BEFORE_MONTH.search(before) or _BEHIND_MONTH.match(text, match.start() + len(name))
    return bool(is_set_off) and not (is_verb and name.isupper())


def _mention(text: str, start: int, end: int, given: dict[str, str]) -> _Mention:
    before = text[max(0, start - _LONGEST_SIDE) : start]
    found = _SIDE.search(before)
    side = next((name for name, value in found.groupdict().items() if value), "") if found else ""
    joint = given.get("joint", "").strip(", \n")
    opening = found if found and side not in ("opens", "closes") else _PREPOSITION.search(before)
    named = _named(given, start=start - len(opening[0] if opening else ""), end=end - (text[end - 1] == "."))
    if trailing := trailing_bound(text, end):
        side = side or ("since" if trailing == AT_LEAST else "until")
    elif _ONWARDS.match(text, end):
        side = "since"
    edge = (found["start"] and "start") or (found["end"] and "end") if found else None
    is_exact = edge == _EDGES.get(side) if edge else _INEXACT.search(before) is None
    if edge and side == "before":
        side = "until"
    if found and side in ("until", "before") and _DENIAL.search(before[: found.start()]):
        is_exact = False
    return _Mention(
        named=named,
        start=start,
        end=end,
        side="" if len(named.days) > 1 and side != "between" else side,
        is_exact=is_exact,
        is_list=joint == "and" and side != "between",
    )


def _named(given: dict[str, str], *, start: int, end: int) -> NamedDate:
    name, year = given["month"], int(given.get("year", 0))
    month = int(name) if name.isdigit() else month_number(name)
    days = tuple(day for key in ("first", "more", "last") for day in re.findall(r"\d+", given.get(key, "")))
    numbers = [int(day) for day in days] or [1, 31]
    first, last = (year, month, numbers[0]), (year, month, numbers[-1])
    span = DateSpan(first=first, last=last, start=start, end=end, is_month=not days)
    return NamedDate(span=span, days=days, month=name, year=given.get("year", ""))
