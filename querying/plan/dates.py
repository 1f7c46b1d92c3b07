"""The time that a question speaks of: "in March", "since last week", "between 2014 and 2016", "the first half of 2015".

What one period is stands in `periods`. Here is which words of a sentence are a time at all, and ranges of them. "May" and
"march" are one only where a preposition, a day or a year says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from querying.plan.periods import DAY, MONTH, ONE, PERIOD, YEAR, Days, days_of


@dataclass(frozen=True, kw_only=True)
class Said:
    """A time and where the question says it, preposition included."""

    days: Days
    start: int
    end: int


_BEFORE, _AFTER = r"(?<![\w:./-])", r"(?![\w/-]|[.:]\d)"
_RANGE = re.compile(
    rf"{_BEFORE}(?:(?:between|from)\s+(?P<from>{PERIOD})\s+(?:and|to|until|till|through|up\s+to)\s+(?P<to>{PERIOD})"
    rf"|(?P<from2>{PERIOD})\s*(?:–|—|-|to|through|until)\s*(?P<to2>{PERIOD})){_AFTER}",
    re.IGNORECASE,
)
_YEARS = re.compile(
    rf"{_BEFORE}(?:(?:in|from|of|for|during)\s+)?(?P<years>{YEAR}(?:,\s*{YEAR}){{0,8}}(?:,?\s*(?:and|or|&)\s*{YEAR})){_AFTER}",
    re.IGNORECASE,
)
_DAYS_OF_MONTH = re.compile(
    rf"{_BEFORE}(?:(?:between|from)\s+)?(?P<day>{DAY})\s*(?:–|-|to|and|until)\s*(?P<rest>{DAY}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?){_AFTER}"
    rf"|{_BEFORE}(?:(?:between|from)\s+)?(?P<month>{MONTH})\s+(?P<day2>{DAY})\s*(?:–|-|to|and|until)\s*(?P<last2>{DAY})(?P<year2>,?\s+{YEAR})?{_AFTER}",
    re.IGNORECASE,
)
_OPEN = re.compile(
    rf"{_BEFORE}(?P<word>since|starting(?:\s+(?:in|from|on))?|from|as\s+of|on\s+or\s+after|on\s+or\s+before|after|(?:later|newer|younger)\s+than|before|prior\s+to|(?:earlier|older)\s+than|until|till|up\s+to|no\s+later\s+than|not\s+later\s+than|by)\s+"
    rf"(?P<period>{PERIOD})(?P<on>\s+(?:on|onwards?))?{_AFTER}"
    rf"|{_BEFORE}(?:(?:from|in|dated|of)\s+)?(?P<period2>{PERIOD})\s+(?:onwards?|and\s+(?:later|after|since)|or\s+later){_AFTER}",
    re.IGNORECASE,
)
_AT = re.compile(
    rf"{_BEFORE}(?:(?P<word>in|during|on|of|for|over|within|throughout|dated|back\s+in)\s+)?(?P<period>{PERIOD}){_AFTER}",
    re.IGNORECASE,
)
_FROM = ("since", "starting", "from", "as of", "on or after")
_UP_TO = ("on or before", "until", "till", "up to", "no later than", "not later than", "by")
_PRE = re.compile(rf"{_BEFORE}(?P<word>pre|post)-(?P<year>{YEAR}){_AFTER}", re.IGNORECASE)


def time_of(text: str, *, today: date) -> Said | None:
    """The time that the text speaks of, None where it speaks of none. Only the first one counts."""
    found = [
        said
        for search in (_years, _ranges, _days_of_month, _opens, _before_or_after, _periods)
        for said in search(text, today)
    ]
    # Of those that overlap the longest is meant: "between 2014 and 2016", not "2014".
    return min(found, key=lambda said: (said.start, said.start - said.end), default=None)


def _ranges(text: str, today: date) -> Iterator[Said]:
    for match in _RANGE.finditer(text):
        first, last = match["from"] or match["from2"], match["to"] or match["to2"]
        year = re.search(YEAR, last)
        # "from March to May 2016": the year counts for both.
        if year and not re.search(YEAR, first) and re.fullmatch(rf"{MONTH}|{DAY}\s+{MONTH}", first, re.IGNORECASE):
            first = f"{first} {year.group()}"
        begin, end = days_of(first, today), days_of(last, today)
        if begin and end and begin.first and end.last and begin.first <= end.last:
            yield Said(days=Days(first=begin.first, last=end.last), start=match.start(), end=match.end())


def _years(text: str, today: date) -> Iterator[Said]:
    """Years named one by one ("2014, 2015 and 2016"): from the first to the last."""
    for match in _YEARS.finditer(text):
        years = [int(year) for year in re.findall(YEAR, match["years"])]
        days = Days(first=date(min(years), 1, 1), last=date(max(years), 12, 31))
        yield Said(days=days, start=match.start(), end=match.end())


def _days_of_month(text: str, today: date) -> Iterator[Said]:
    for match in _DAYS_OF_MONTH.finditer(text):
        if match["day"]:
            last = days_of(match["rest"], today)
            number = match["day"]
        else:
            last = days_of(f"{match['month']} {match['last2']}{match['year2'] or ''}", today)
            number = match["day2"]
        if last and last.last:
            try:
                first = last.last.replace(day=int(re.sub(r"\D", "", number)))
            except ValueError:
                continue
            if first <= last.last:
                yield Said(days=Days(first=first, last=last.last), start=match.start(), end=match.end())


def _opens(text: str, today: date) -> Iterator[Said]:
    for match in _OPEN.finditer(text):
        word = " ".join((match["word"] or "since").lower().split())
        days = days_of(match["period"] or match["period2"], today)
        # "What was I up to three days ago" is no end of anything.
        is_point = word == "up to" and re.search(r"\bago$|^(?:yester|to)day$", match["period"], re.IGNORECASE)
        if is_point or days is None or days.first is None or days.last is None:
            continue
        if word.startswith(_FROM):
            is_open = word != "from" or match["on"]
            reach = Days(first=days.first) if is_open else days
        elif word in ("after", "later than", "newer than", "younger than"):
            reach = Days(first=days.last + timedelta(days=1))
        elif word in _UP_TO:
            reach = Days(last=days.last)
        else:
            reach = Days(last=days.first - timedelta(days=1))
        yield Said(days=reach, start=match.start(), end=match.end())


def _before_or_after(text: str, today: date) -> Iterator[Said]:
    """ "Pre-2000" and "post-2000"."""
    for match in _PRE.finditer(text):
        year = int(match["year"])
        is_before = match["word"].lower() == "pre"
        days = Days(last=date(year - 1, 12, 31)) if is_before else Days(first=date(year + 1, 1, 1))
        yield Said(days=days, start=match.start(), end=match.end())


def _periods(text: str, today: date) -> Iterator[Said]:
    for match in _AT.finditer(text):
        one = ONE.fullmatch(match["period"])
        if one and one.lastgroup == "bare" and not _is_a_month(match["period"], match["word"]):
            continue
        if (
            one
            and one.lastgroup == "year"
            and not match["word"]
            and not _is_a_year(text, match.start(), match.end())
        ):
            continue
        if days := days_of(match["period"], today):
            yield Said(days=days, start=match.start(), end=match.end())


def _is_a_month(word: str, preposition: str | None) -> bool:
    """A month by itself. Short forms, and those that are also other words, need a preposition that says when."""
    is_plain = len(word.rstrip(".")) > 3 and word.lower() not in ("march", "august", "sept", "june")
    before = (preposition or "").lower()
    return (
        is_plain
        or before in ("in", "during", "over", "throughout", "back in")
        or (before == "for" and word != "may")
    )


def _is_a_year(text: str, start: int, end: int) -> bool:
    """A number that may be a year stands for one at the beginning or the end, before a comma or what is dated; not
    after what is numbered ("room 2019")."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    if _NUMBERED.search(before):
        return False
    return not before or not after or after[0] in ",.;:?!)" or before.endswith(",") or bool(_DATED.match(after))


_NUMBERED = re.compile(
    r"\b(?:room|section|clause|form|page|building|flat|unit|no|number|chapter|table|figure|article|rule|part|model|version"
    r"|is|en|iso|din|bs)$",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"(?:posts?|notes?|articles?|documents?|papers?|entries|reports?|reviews?|minutes|memos?|goals?|plans?|recap|summary|for\s+(?:me|us))\b",
    re.IGNORECASE,
)
