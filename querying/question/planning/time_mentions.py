"""The time that a question speaks of: "in March", "since last week", "between 2014 and 2016", "the first half of 2015".

What one period is stands in `periods`. Here is which words of a sentence are a time at all, and ranges of them. "May" and
"march" are one only where a preposition, a day or a year says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from querying.question.planning.periods import (
    DAY,
    MONTH,
    NUMBER,
    PERIOD,
    SINGLE_PERIOD,
    UNIT,
    YEAR,
    DayRange,
    parse_number,
    parse_period,
    period_length,
)


@dataclass(frozen=True, kw_only=True)
class TimeMention:
    """A time and where the question says it, preposition included."""

    days: DayRange
    start: int
    end: int


_BEFORE, _AFTER = r"(?<![\w:./-])", r"(?![\w/-]|[.:]\d)"
_RANGE = re.compile(
    rf"{_BEFORE}(?:(?:between|from)\s+(?P<from>{PERIOD})\s+(?:and|to|until|till|thru|through|up\s+to)\s+(?P<to>{PERIOD})"
    rf"|(?P<from2>{PERIOD})\s*(?:–|—|-|to|thru|through|until|and|or|&)\s*(?P<to2>{PERIOD})){_AFTER}",
    re.IGNORECASE,
)
_YEARS = re.compile(
    rf"{_BEFORE}(?:(?:in|from|of|for|during)\s+)?(?P<years>{YEAR}(?:,\s*{YEAR}){{0,8}}(?:,?\s*(?:and|or|&)\s*{YEAR})){_AFTER}",
    re.IGNORECASE,
)
_DAYS_OF_MONTH = re.compile(
    rf"{_BEFORE}(?:(?:between|from)\s+)?(?:the\s+)?(?P<day>{DAY})\s*(?:–|-|to|and|until)\s*(?:the\s+)?(?P<rest>{DAY}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?){_AFTER}"
    rf"|{_BEFORE}(?:(?:between|from)\s+)?(?P<month>{MONTH})\s+(?P<day2>{DAY})\s*(?:–|-|to|and|until)\s*(?P<last2>{DAY})(?P<year2>,?\s+{YEAR})?{_AFTER}",
    re.IGNORECASE,
)
_REACHES = {
    "since": r"since|starting(?:\s+(?:in|from|on))?|as\s+of|as\s+far\s+back\s+as|on\s+or\s+after|(?:no|not)\s+(?:earlier\s+than|before)",
    "within": "from",
    "later": r"after|(?:later|newer|younger|more\s+recent)\s+than",
    "until": r"on\s+or\s+before|until|till|up\s+(?:to|until|till)|(?:no|not)\s+(?:later\s+than|after)|by|ending(?:\s+(?:in|on))?",
    "earlier": r"before|prior\s+to|(?:earlier|older)\s+than|ahead\s+of",
}
_REACH = "|".join(f"(?P<{name}>{words})" for name, words in _REACHES.items())
_ONWARDS = r"(?:onwards?|(?:and|or)\s+(?:later|after|since))"
_OPEN = re.compile(
    rf"{_BEFORE}(?:{_REACH})\s+(?P<period>{PERIOD})(?P<on>\s+(?:onwards?|on(?=\s*(?:$|[,.;:?!]))))?{_AFTER}"
    rf"|{_BEFORE}(?:(?:from|in|dated|of)\s+)?(?P<period2>{PERIOD})\s+(?:(?P<onwards>{_ONWARDS})|(?:and|or)\s+(?:earlier|before)){_AFTER}",
    re.IGNORECASE,
)
_AGE = re.compile(
    rf"{_BEFORE}(?:(?P<more>older\s+than|(?:more|longer)\s+than|over)|(?:newer|younger|less)\s+than)\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})s?"
    rf"(?:\s+(?P<ago>ago|old))?{_AFTER}",
    re.IGNORECASE,
)
_SPAN = re.compile(
    rf"{_BEFORE}(?:(?:in|from|of|for|during)\s+)?(?P<first>{YEAR})\s?(?P<sign>[-–/])\s?(?P<last>\d\d){_AFTER}",
    re.IGNORECASE,
)
_AT = re.compile(
    rf"{_BEFORE}(?:(?P<word>in|during|on|of|for|over|within|(?:all\s+)?through|throughout|across|around|circa|dated|back\s+in)\s+)?(?P<period>{PERIOD}){_AFTER}",
    re.IGNORECASE,
)
_PRE = re.compile(rf"{_BEFORE}(?P<word>pre|post)-(?P<year>{YEAR}){_AFTER}", re.IGNORECASE)


def find_time(text: str, *, today: date) -> TimeMention | None:
    """The time that the text speaks of, None where it speaks of none. Only the first one counts."""
    found = [
        said
        for search in (_years, _ranges, _spans, _days_of_month, _ages, _opens, _before_or_after, _periods)
        for said in search(text, today)
    ]
    # Of those that overlap the longest is meant: "between 2014 and 2016", not "2014".
    return min(found, key=lambda said: (said.start, said.start - said.end), default=None)


def _ranges(text: str, today: date) -> Iterator[TimeMention]:
    for match in _RANGE.finditer(text):
        first, last = match["from"] or match["from2"], match["to"] or match["to2"]
        year = re.search(YEAR, last)
        # "from March to May 2016": the year counts for both.
        if (
            year
            and not re.search(YEAR, first)
            and re.fullmatch(rf"{MONTH}|{DAY}\s+{MONTH}|[qh][1-4]", first, re.IGNORECASE)
        ):
            first = f"{first} {year.group()}"
        begin, end = parse_period(first, today), parse_period(last, today)
        if begin and end and begin.first and end.last and begin.first <= end.last:
            yield TimeMention(days=DayRange(first=begin.first, last=end.last), start=match.start(), end=match.end())


def _years(text: str, today: date) -> Iterator[TimeMention]:
    """Years named one by one ("2014, 2015 and 2016"): from the first to the last."""
    for match in _YEARS.finditer(text):
        years = [int(year) for year in re.findall(YEAR, match["years"])]
        days = DayRange(first=date(min(years), 1, 1), last=date(max(years), 12, 31))
        yield TimeMention(days=days, start=match.start(), end=match.end())


def _days_of_month(text: str, today: date) -> Iterator[TimeMention]:
    for match in _DAYS_OF_MONTH.finditer(text):
        if match["day"]:
            last = parse_period(match["rest"], today)
            number = match["day"]
        else:
            last = parse_period(f"{match['month']} {match['last2']}{match['year2'] or ''}", today)
            number = match["day2"]
        if last and last.last:
            try:
                first = last.last.replace(day=int(re.sub(r"\D", "", number)))
            except ValueError:
                continue
            if first <= last.last:
                yield TimeMention(days=DayRange(first=first, last=last.last), start=match.start(), end=match.end())


def _spans(text: str, today: date) -> Iterator[TimeMention]:
    """ "2014/15" and "2014-16"; "2014-11" is a month."""
    for match in _SPAN.finditer(text):
        first = int(match["first"])
        last = 100 * (first // 100) + int(match["last"])
        if last > first and (match["sign"] == "/" or int(match["last"]) > 12):
            yield TimeMention(
                days=DayRange(first=date(first, 1, 1), last=date(last, 12, 31)),
                start=match.start(),
                end=match.end(),
            )


def _ages(text: str, today: date) -> Iterator[TimeMention]:
    """ "Older than a year", "more than two weeks ago", "less than a month old"."""
    for match in _AGE.finditer(text):
        word = match.group().split()[0].lower()
        if not match["ago"] and word in ("more", "longer", "less", "over"):
            continue
        try:
            day = today - period_length(parse_number(match["number"]), match["unit"].lower())
        except (ValueError, OverflowError):
            continue
        days = DayRange(last=day - timedelta(days=1)) if match["more"] else DayRange(first=day)
        yield TimeMention(days=days, start=match.start(), end=match.end())


def _opens(text: str, today: date) -> Iterator[TimeMention]:
    for match in _OPEN.finditer(text):
        days = parse_period(match["period"] or match["period2"], today)
        # "What was I up to three days ago" is no end of anything.
        is_point = match["until"] and re.search(r"\bago$|^(?:yester|to)day$", match["period"], re.IGNORECASE)
        if (is_point and match["until"].lower().startswith("up")) or days is None:
            continue
        if reach := _reach(match, days):
            yield TimeMention(days=reach, start=match.start(), end=match.end())


def _reach(match: re.Match[str], days: DayRange) -> DayRange | None:
    if days.first is None or days.last is None:
        return None
    if match["since"] or match["onwards"] or match["on"]:
        return DayRange(first=days.first)
    if match["within"]:
        return days
    if match["later"]:
        return DayRange(first=days.last + timedelta(days=1))
    # "Before the end of March" reaches as far as "until March".
    if match["earlier"] and not re.match(r"(?:the\s+)?end\b", match["period"], re.IGNORECASE):
        return DayRange(last=days.first - timedelta(days=1))
    return DayRange(last=days.last)


def _before_or_after(text: str, today: date) -> Iterator[TimeMention]:
    """ "Pre-2000" and "post-2000"."""
    for match in _PRE.finditer(text):
        year = int(match["year"])
        is_before = match["word"].lower() == "pre"
        days = DayRange(last=date(year - 1, 12, 31)) if is_before else DayRange(first=date(year + 1, 1, 1))
        yield TimeMention(days=days, start=match.start(), end=match.end())


def _periods(text: str, today: date) -> Iterator[TimeMention]:
    for match in _AT.finditer(text):
        one = SINGLE_PERIOD.fullmatch(match["period"])
        if one and one.lastgroup == "bare_season" and (match["word"] or "").lower() not in _LASTING:
            continue
        if one and one.lastgroup == "bare" and not _is_a_month(match["period"], match["word"]):
            continue
        if (
            one
            and one.lastgroup == "year"
            and not match["word"]
            and not _is_a_year(text, match.start(), match.end())
        ):
            continue
        if days := parse_period(match["period"], today):
            yield TimeMention(days=days, start=match.start(), end=match.end())


_LASTING = ("in", "during", "over", "through", "all through", "throughout", "across", "back in")


def _is_a_month(word: str, preposition: str | None) -> bool:
    """A month by itself. Short forms, and those that are also other words, need a preposition that says when."""
    is_plain = len(word.rstrip(".")) > 3 and word.lower() not in ("march", "august", "sept", "june")
    before = (preposition or "").lower()
    return is_plain or before in _LASTING or (before == "for" and word != "may")


def _is_a_year(text: str, start: int, end: int) -> bool:
    """A number that may be a year stands for one at the beginning or the end, before a comma or what is dated; not
    after what is numbered ("room 2019")."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    if _NUMBERED.search(before):
        return False
    return not before or not after or after[0] in ",.;:?!)'’" or before.endswith(",") or bool(_DATED.match(after))


_NUMBERED = re.compile(
    r"\b(?:room|section|clause|form|page|building|flat|unit|no|number|chapter|table|figure|article|rule|part|model|version"
    r"|is|en|iso|din|bs)$",
    re.IGNORECASE,
)
# The nearest noun may be a label of what is dated: "the 2015 procurement posts", not "the 2015 survey of the posts".
_DATED = re.compile(
    r"(?:(?!(?:of|in|on|for|from|to|by|at|with|about|did|do|does|was|were|is|are|has|have|had|the|me|my|our)\b)[\w.-]+\s+){0,4}"
    r"(?:posts?|write-?ups?|blogs?|pieces|notes?|articles?|documents?|papers?|entries|reports?|reviews?|minutes|memos?|goals?|plans?|recap|summary|for\s+(?:me|us))\b",
    re.IGNORECASE,
)
