"""The time that a question speaks of: "in March", "since last week", "between 2014 and 2016", "the first half of 2015".

One point in time is read by the maintained library dateparser, which also says how long it is (a day, a week, a month,
a quarter, a year). Ours is what it has no words for: ranges, halves, seasons, weekends, decades, and which words of a
sentence are a time at all. "May" and "march" are one only where a preposition, a day or a year says so.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache

from dateparser.date import DateDataParser
from dateutil.relativedelta import relativedelta


@dataclass(frozen=True, kw_only=True)
class Days:
    """From the first to the last day, both included; None: no end on that side."""

    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, kw_only=True)
class Said:
    """A time and where the question says it, preposition included."""

    days: Days
    start: int
    end: int


_MONTHS = "jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)? may june? july? aug(?:ust)? sept?(?:ember)? oct(?:ober)? nov(?:ember)? dec(?:ember)?"
_MONTH = rf"(?:{'|'.join(_MONTHS.split())})\.?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_YEAR = r"(?:1[5-9]|20)\d\d"
_SHORT_YEAR = r"['’]\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NUMBER = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|couple\s+of|few)"
_UNIT = r"(?:day|week|fortnight|month|quarter|year)"
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_ORDINAL = r"(?:first|second|third|fourth|last|1st|2nd|3rd|4th)"

# What stands for one point in time or one period. The first that fits counts, so the longest come first.
_PERIODS = {
    "iso": rf"{_YEAR}-\d\d(?:-\d\d)?(?![\d-])",
    "slashed": rf"\d{{1,2}}/(?:\d{{1,2}}/)?{_YEAR}",
    "rolling": rf"(?:the\s+)?(?:last|past|previous)\s+{_NUMBER}\s+{_UNIT}s?|(?:the\s+)?past\s+{_UNIT}|recently|lately",
    "half": rf"(?:the\s+)?(?:first|second|1st|2nd|last)\s+half\s+of\s+(?:the\s+year|this\s+year|last\s+year|{_YEAR})|h[12]\s+{_YEAR}",
    "quarter": rf"(?:the\s+)?{_ORDINAL}\s+quarter\s+of\s+(?:this\s+year|last\s+year|{_YEAR})|q[1-4](?:\s+(?:of\s+)?{_YEAR})?",
    "part": rf"(?:the\s+)?(?:early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+(?:{_MONTH}\s+{_YEAR}|{_YEAR}|(?:this|last|the)\s+(?:year|month|week)|{_MONTH})",
    "season": rf"(?:(?:the\s+)?winter\s+(?:of\s+)?{_YEAR}\s?[-–/]\s?\d\d(?:\d\d)?|(?:the\s+)?{_SEASON}\s+(?:of\s+)?{_YEAR}|(?:last|this)\s+{_SEASON})",
    "short": rf"(?:{_MONTH}|(?:the\s+)?{_SEASON}(?:\s+of)?)\s+{_SHORT_YEAR}",
    "before_last": r"(?:the\s+)?(?:day|week|month|quarter|year)\s+before\s+last",
    "feast": rf"(?:christmas(?:\s+(?:eve|day))?|boxing\s+day|new\s+year['’]?s\s+(?:eve|day)|halloween)(?:\s+(?:of\s+)?(?:{_YEAR}|last\s+year))?",
    "week_of": rf"(?:the\s+)?week\s+of\s+(?:the\s+)?(?:{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?|{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?(?!\d))",
    "named_quarter": r"(?:the\s+)?(?:last|previous|this|current)\s+(?:quarter|fortnight)",
    "weekend": r"(?:last|this|the)\s+weekend",
    "decade": r"(?:the\s+)?(?:(?:1[5-9]|20)\d0s|(?:sixties|seventies|eighties|nineties|noughties))",
    "week_number": rf"week\s+\d{{1,2}}(?:\s+(?:of\s+)?{_YEAR})?",
    "week_in": rf"(?:the\s+)?(?:first|second|third|fourth|last)\s+week\s+(?:of|in)\s+{_MONTH}(?:\s+{_YEAR})?",
    "dated": rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?|{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?(?!\d)",
    "ordinal": r"(?:the\s+)\d{1,2}(?:st|nd|rd|th)(?!\s+(?:of\s+)?[a-z]*\s*(?:centur|floor|edition|time|place|amendment))",
    "month": rf"{_MONTH}\s+(?:of\s+)?(?:{_YEAR}|this\s+year|last\s+year)|(?:last|this)\s+{_MONTH}",
    "relative": rf"(?:the\s+)?day\s+before\s+yesterday|yesterday|today|(?:this|last|previous|the\s+current|current|next)\s+{_UNIT}|{_NUMBER}\s+{_UNIT}s?\s+ago|(?:last\s+|this\s+)?{_WEEKDAY}",
    "year": rf"(?:the\s+year\s+)?{_YEAR}(?!\s*(?:mm|cm|km|m|kg|g|kn|mpa|usd|eur|dollars?|people|%|met(?:er|re)s?|miles?|feet|volts?|watts?|lit(?:er|re)s?|words?|pages?|rows?|times|euros?|pounds?|hours?|rpm|hz|pixels?|points?|copies|users?)\b)",
    "bare": _MONTH,
}
_PERIOD = "|".join(_PERIODS.values())
_ONE = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PERIODS.items()), re.IGNORECASE)
_BEFORE, _AFTER = r"(?<![\w:./-])", r"(?![\w/-]|[.:]\d)"
_RANGE = re.compile(
    rf"{_BEFORE}(?:(?:between|from)\s+(?P<from>{_PERIOD})\s+(?:and|to|until|till|through|up\s+to)\s+(?P<to>{_PERIOD})"
    rf"|(?P<from2>{_PERIOD})\s*(?:–|—|-|to|through|until)\s*(?P<to2>{_PERIOD})){_AFTER}",
    re.IGNORECASE,
)
_YEARS = re.compile(
    rf"{_BEFORE}(?:(?:in|from|of|for|during)\s+)?(?P<years>{_YEAR}(?:,\s*{_YEAR}){{0,8}}(?:,?\s*(?:and|or|&)\s*{_YEAR})){_AFTER}",
    re.IGNORECASE,
)
_DAYS_OF_MONTH = re.compile(
    rf"{_BEFORE}(?:(?:between|from)\s+)?(?P<day>{_DAY})\s*(?:–|-|to|and|until)\s*(?P<rest>{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?){_AFTER}"
    rf"|{_BEFORE}(?:(?:between|from)\s+)?(?P<month>{_MONTH})\s+(?P<day2>{_DAY})\s*(?:–|-|to|and|until)\s*(?P<last2>{_DAY})(?P<year2>,?\s+{_YEAR})?{_AFTER}",
    re.IGNORECASE,
)
_OPEN = re.compile(
    rf"{_BEFORE}(?P<word>since|starting(?:\s+(?:in|from|on))?|from|as\s+of|on\s+or\s+after|on\s+or\s+before|after|(?:later|newer|younger)\s+than|before|prior\s+to|(?:earlier|older)\s+than|until|till|up\s+to|no\s+later\s+than|not\s+later\s+than|by)\s+"
    rf"(?P<period>{_PERIOD})(?P<on>\s+(?:on|onwards?))?{_AFTER}"
    rf"|{_BEFORE}(?:(?:from|in|dated|of)\s+)?(?P<period2>{_PERIOD})\s+(?:onwards?|and\s+(?:later|after|since)|or\s+later){_AFTER}",
    re.IGNORECASE,
)
_AT = re.compile(
    rf"{_BEFORE}(?:(?P<word>in|during|on|of|for|over|within|throughout|dated|back\s+in)\s+)?(?P<period>{_PERIOD}){_AFTER}",
    re.IGNORECASE,
)
_FROM = ("since", "starting", "from", "as of", "on or after")
_UP_TO = ("on or before", "until", "till", "up to", "no later than", "not later than", "by")
_PRE = re.compile(rf"{_BEFORE}(?P<word>pre|post)-(?P<year>{_YEAR}){_AFTER}", re.IGNORECASE)
_NUMBERS = dict(
    zip(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"],
        [*range(1, 11), 12],
        strict=True,
    )
)
_NUMBERS |= {"a": 1, "an": 1, "couple of": 2, "few": 3}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_RECENT = timedelta(days=30)


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
        year = re.search(_YEAR, last)
        # "from March to May 2016": the year counts for both.
        if (
            year
            and not re.search(_YEAR, first)
            and re.fullmatch(rf"{_MONTH}|{_DAY}\s+{_MONTH}", first, re.IGNORECASE)
        ):
            first = f"{first} {year.group()}"
        begin, end = _days(first, today), _days(last, today)
        if begin and end and begin.first and end.last and begin.first <= end.last:
            yield Said(days=Days(first=begin.first, last=end.last), start=match.start(), end=match.end())


def _years(text: str, today: date) -> Iterator[Said]:
    """Years named one by one ("2014, 2015 and 2016"): from the first to the last."""
    for match in _YEARS.finditer(text):
        years = [int(year) for year in re.findall(_YEAR, match["years"])]
        days = Days(first=date(min(years), 1, 1), last=date(max(years), 12, 31))
        yield Said(days=days, start=match.start(), end=match.end())


def _days_of_month(text: str, today: date) -> Iterator[Said]:
    for match in _DAYS_OF_MONTH.finditer(text):
        if match["day"]:
            last = _days(match["rest"], today)
            number = match["day"]
        else:
            last = _days(f"{match['month']} {match['last2']}{match['year2'] or ''}", today)
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
        days = _days(match["period"] or match["period2"], today)
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
        one = _ONE.fullmatch(match["period"])
        if one and one.lastgroup == "bare" and not _is_a_month(match["period"], match["word"]):
            continue
        if (
            one
            and one.lastgroup == "year"
            and not match["word"]
            and not _is_a_year(text, match.start(), match.end())
        ):
            continue
        if days := _days(match["period"], today):
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


def _days(period: str, today: date) -> Days | None:
    """What a period is, None where it makes no sense ("31 June")."""
    words = " ".join(re.sub(r"^(?:the|The)\s+", "", period.strip()).lower().replace(".", "").split())
    match = _ONE.fullmatch(period.strip()) or _ONE.fullmatch(words)
    own = _OWN.get(match.lastgroup or "") if match else None
    try:
        return own(words, today) if own else _read(words, today)
    except (ValueError, OverflowError):
        return None


def _rolling(words: str, today: date) -> Days:
    found = re.fullmatch(rf"(?:last|past|previous)\s+(?:({_NUMBER})\s+)?({_UNIT})s?", words)
    if found is None:  # recently
        return Days(first=today - _RECENT, last=today)
    number, unit = found[1] or "a", found[2]
    count = int(number) if number.isdigit() else _NUMBERS[number]
    months = {"quarter": 3 * count, "year": 12 * count, "month": count}.get(unit, 0)
    days = {"day": count, "week": 7 * count, "fortnight": 14 * count}.get(unit, 0)
    return Days(first=today - relativedelta(months=months, days=days), last=today)


def _half(words: str, today: date) -> Days:
    year = _year_in(words, today)
    is_second = words.startswith(("second", "2nd", "last", "h2"))
    return (
        Days(first=date(year, 7, 1), last=date(year, 12, 31))
        if is_second
        else Days(first=date(year, 1, 1), last=date(year, 6, 30))
    )


def _quarter(words: str, today: date) -> Days:
    number = (
        int(words[1])
        if words[0] == "q"
        else {"fi": 1, "1s": 1, "se": 2, "2n": 2, "th": 3, "3r": 3}.get(words[:2], 4)
    )
    year = _year_in(words, today)
    if not re.search(_YEAR, words) and "year" not in words and date(year, 3 * number - 2, 1) > today:
        year -= 1
    return _months(year, 3 * number - 2, 3)


def _part(words: str, today: date) -> Days | None:
    whole = _days(re.sub(r"^(?:early|mid|late|(?:beginning|start|middle|end) of)[\s-]+", "", words), today)
    if whole is None or whole.first is None or whole.last is None:
        return None
    if (whole.last - whole.first).days > 300:  # of a year: four months
        year, first = whole.first.year, 1 if words.startswith(("early", "beginning", "start")) else 5
        return _months(year, 9 if words.startswith(("late", "end")) else first, 4)
    third = ((whole.last - whole.first).days + 1) // 3
    if words.startswith(("early", "beginning", "start")):
        return Days(first=whole.first, last=whole.first + timedelta(days=third))
    if words.startswith(("late", "end")):
        return Days(first=whole.last - timedelta(days=third), last=whole.last)
    return Days(first=whole.first + timedelta(days=third), last=whole.last - timedelta(days=third))


def _season(words: str, today: date) -> Days:
    if over := re.search(rf"({_YEAR})\s?[-–/]\s?\d", words):  # the winter of 2023-24
        return _months(int(over[1]), 12, 3)
    name = next(season for season in _SEASONS if season in words)
    year = _year_in(words, today)
    if not re.search(_YEAR, words):
        has_begun = _months(year, _SEASONS[name], 3).first <= today  # type: ignore[operator]
        is_over = (_months(year, _SEASONS[name], 3).last or today) < today
        year -= 0 if (is_over or (has_begun and words.startswith("this"))) else 1
    return _months(year, _SEASONS[name], 3)


def _weekend(words: str, today: date) -> Days:
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    if words.startswith("this") and today.weekday() < 5:
        saturday += timedelta(days=7)
    if words.startswith("last") and today.weekday() >= 5:
        saturday -= timedelta(days=7)
    return Days(first=saturday, last=saturday + timedelta(days=1))


def _week_of(words: str, today: date) -> Days | None:
    day = _read(words.removeprefix("week of "), today)
    return _week(day.first) if day and day.first else None


def _named_quarter(words: str, today: date) -> Days:
    """A fortnight is the two weeks that end with this one, or those before."""
    is_now = words.startswith(("this", "current"))
    if words.endswith("fortnight"):
        sunday = today + timedelta(days=6 - today.weekday()) - timedelta(days=0 if is_now else 14)
        return Days(first=sunday - timedelta(days=13), last=sunday)
    begin = today.replace(day=1, month=today.month - (today.month - 1) % 3)
    begin = begin if is_now else begin - relativedelta(months=3)
    return _months(begin.year, begin.month, 3)


def _week(day: date) -> Days:
    monday = day - timedelta(days=day.weekday())
    return Days(first=monday, last=monday + timedelta(days=6))


def _short(words: str, today: date) -> Days | None:
    """A year of two digits is the latest that has begun."""
    year = 2000 + int(words[-2:])
    return _days(f"{words[:-3].strip()} {year if year <= today.year else year - 100}", today)


def _before_last(words: str, today: date) -> Days | None:
    unit = words.split()[0]
    if unit == "day":
        return Days(first=today - timedelta(days=2), last=today - timedelta(days=2))
    steps = {"week": relativedelta(weeks=2), "month": relativedelta(months=2), "year": relativedelta(years=2)}
    day = today - steps.get(unit, relativedelta(months=6))
    if unit == "week":
        return _week(day)
    if unit == "quarter":
        return _months(day.year, day.month - (day.month - 1) % 3, 3)
    return _months(day.year, day.month, 1) if unit == "month" else _months(day.year, 1, 12)


_FEASTS = {"christmas eve": (12, 24), "christmas": (12, 25), "boxing": (12, 26), "halloween": (10, 31)}


def _feast(words: str, today: date) -> Days:
    plain = words.replace("'", "").replace("’", "")
    month, day = (12, 31) if "years eve" in plain else (1, 1) if "years day" in plain else (0, 0)
    if not month:
        month, day = next(when for name, when in _FEASTS.items() if name in plain)
    year = _year_in(words, today)
    if not re.search(_YEAR, words) and date(year, month, day) > today:
        year -= 1
    return Days(first=date(year, month, day), last=date(year, month, day))


def _ordinal(words: str, today: date) -> Days:
    """The latest day of this number."""
    number = int(re.sub(r"\D", "", words))
    day = (
        today.replace(day=number)
        if number <= today.day
        else (today.replace(day=1) - timedelta(days=1)).replace(day=number)
    )
    return Days(first=day, last=day)


def _week_number(words: str, today: date) -> Days:
    """Weeks as ISO 8601 counts them; without a year the latest that has begun."""
    number = int(words.split()[1])
    year = _year_in(words, today)
    monday = date.fromisocalendar(year, number, 1)
    if monday > today and not re.search(_YEAR, words):
        monday = date.fromisocalendar(year - 1, number, 1)
    return _week(monday)


def _week_in(words: str, today: date) -> Days | None:
    """Seven days each from the first of the month on; the last week is its last seven days."""
    ordinal, _, month = words.partition(" week ")
    whole = _read(month.split(" ", 1)[1], today)
    if whole is None or whole.first is None or whole.last is None:
        return None
    if ordinal == "last":
        return Days(first=whole.last - timedelta(days=6), last=whole.last)
    first = whole.first + timedelta(weeks=("first", "second", "third", "fourth").index(ordinal))
    return Days(first=first, last=first + timedelta(days=6))


_DECADES = {"sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990, "noughties": 2000}


def _decade(words: str, today: date) -> Days:
    year = _DECADES.get(words) or int(words[:4])
    return Days(first=date(year, 1, 1), last=date(year + 9, 12, 31))


_OWN = {"rolling": _rolling, "half": _half, "quarter": _quarter, "part": _part, "season": _season}
_OWN |= {"weekend": _weekend, "decade": _decade, "week_of": _week_of, "named_quarter": _named_quarter}
_OWN |= {"short": _short, "before_last": _before_last, "feast": _feast, "ordinal": _ordinal}
_OWN |= {"week_number": _week_number, "week_in": _week_in}


def _year_in(words: str, today: date) -> int:
    found = re.search(_YEAR, words)
    return int(found.group()) if found else today.year - ("last year" in words)


def _months(year: int, first: int, count: int) -> Days:
    begin = date(year, first, 1)
    return Days(first=begin, last=begin + relativedelta(months=count) - timedelta(days=1))


def _read(words: str, today: date) -> Days | None:
    """One point in time by dateparser, as long as the library says it is."""
    words = re.sub(r"\bthis year\b", str(today.year), re.sub(r"\blast year\b", str(today.year - 1), words))
    words = re.sub(r"^year$", "this year", re.sub(r"^(month|week)$", r"this \1", words))
    words = re.sub(r"\bthis year\b", str(today.year), words)
    words = re.sub(r"^(?:the year|last|this)\s+(?=\d|[jfmasond][a-z]*$)(?!month|day)", "", words)
    found = _parser(today).get_date_data(re.sub(r"^(?:the )?current\b|^previous\b", _as_last_or_this, words))
    if found is None or found.date_obj is None:
        return None
    day = found.date_obj.date()
    if found.period == "week" or re.fullmatch(r"(?:this|last|next) (?:week|fortnight)", words):
        return _week(day)
    if found.period == "month":
        return Days(first=day.replace(day=1), last=day.replace(day=calendar.monthrange(day.year, day.month)[1]))
    if found.period == "quarter":
        return _months(day.year, day.month - (day.month - 1) % 3, 3)
    if found.period == "year":
        return _months(day.year, 1, 12)
    return Days(first=day, last=day)


def _as_last_or_this(match: re.Match[str]) -> str:
    return "last" if match.group().endswith("previous") else "this"


@cache
def _parser(today: date) -> DateDataParser:
    return DateDataParser(
        languages=["en"],
        settings={
            "RELATIVE_BASE": datetime.combine(today, time(12)),
            "PREFER_DATES_FROM": "past",
            "PREFER_DAY_OF_MONTH": "first",
            "DATE_ORDER": "DMY",
        },
    )
