"""One point in time or one period, as it is written: "March 2016", "the first half of last year", "last summer".

A point in time is read by the maintained library dateparser, which also says how long it is (a day, a week, a month,
a quarter, a year). Ours is what it has no words for: halves, seasons, weekends, decades, feasts.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache

from dateparser.date import DateDataParser
from dateutil.easter import easter
from dateutil.relativedelta import relativedelta


@dataclass(frozen=True, kw_only=True)
class DayRange:
    """From the first to the last day, both included; None: no end on that side."""

    first: date | None = None
    last: date | None = None


_MONTHS = "jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)? may june? july? aug(?:ust)? sept?(?:ember)? oct(?:ober)? nov(?:ember)? dec(?:ember)?"
MONTH = rf"(?:{'|'.join(_MONTHS.split())})\.?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
YEAR = r"(?:1[5-9]|20)\d\d"
_SHORT_YEAR = r"['’]\d\d"
DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NUMBERS = dict(
    zip(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
        range(1, 13),
        strict=True,
    )
)
_NUMBERS |= {"fourteen": 14, "fifteen": 15, "eighteen": 18, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90}
_NUMBERS |= {"a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 3, "a": 1, "an": 1}
NUMBER = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS).replace(' ', '[ ]+')})"
UNIT = r"(?:day|week|fortnight|month|quarter|year)"
_IN_YEAR = rf"(?:(?:of\s+)?(?:{YEAR}|this\s+year|last\s+year)|of\s+the\s+year)"
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_ORDINAL = r"(?:first|second|third|fourth|last|1st|2nd|3rd|4th)"

# What stands for one point in time or one period. The first that fits counts, so the longest come first.
_PERIODS = {
    "iso": rf"{YEAR}-(?:0\d|1[0-2])(?:-\d\d)?(?![\d-])|{YEAR}[/.]\d\d?[/.]\d\d?",
    "slashed": rf"\d{{1,2}}/(?:\d{{1,2}}/)?{YEAR}|\d{{1,2}}\.\d{{1,2}}\.{YEAR}",
    "rolling": rf"(?:(?:the|these)\s+)?(?:last|past|previous)\s+{NUMBER}\s+{UNIT}s?|(?:the\s+)?past\s+{UNIT}"
    rf"|(?:(?:the|these)\s+)?(?:last|past|recent)\s+{UNIT}s|(?:the\s+)?(?:last|past)\s+half[\s-]year|recently|lately",
    "to_date": r"(?:year|quarter|month|week)\s+to\s+date",
    "half": rf"(?:the\s+)?(?:first|second|1st|2nd|last)\s+half\s+{_IN_YEAR}|h[12][\s/]+{_IN_YEAR}|{YEAR}[\s/-]?h[12]",
    "quarter": rf"(?:the\s+)?{_ORDINAL}\s+quarter\s+{_IN_YEAR}|(?:the\s+)?(?!last){_ORDINAL}\s+quarter|q[1-4](?:[\s/]+{_IN_YEAR})?|{YEAR}[\s/-]?q[1-4]",
    "part": rf"(?:the\s+)?(?:(?:early|mid|late)(?:\s+in)?|(?:beginning|start|middle|end)\s+of)[\s-]+(?:the\s+)?(?:{MONTH}\s+{YEAR}|{_SEASON}\s+(?:of\s+)?{YEAR}|{YEAR}s?|(?:this|last|the)\s+(?:year|month|week)|year|month|{MONTH})",
    "season": rf"(?:(?:the\s+)?winter\s+(?:of\s+)?{YEAR}\s?[-–/]\s?\d\d(?:\d\d)?|(?:the\s+)?{_SEASON}\s+(?:of\s+)?{YEAR}|(?:last|(?:this\s+)?past|this)\s+{_SEASON})",
    "short": rf"(?:{MONTH}|(?:the\s+)?{_SEASON}(?:\s+of)?)\s+{_SHORT_YEAR}",
    "before_last": r"(?:the\s+)?(?:day|week|month|quarter|year|spring|summer|autumn|winter)\s+before\s+last",
    "feast": rf"(?:last\s+)?(?:easter|christmas(?:\s+(?:eve|day))?|boxing\s+day|new\s+year['’]?s\s+(?:eve|day)|halloween)(?:\s+(?:of\s+)?(?:{YEAR}|last\s+year))?",
    "week_of": rf"(?:the\s+)?week\s+(?:of|starting|commencing|beginning)\s+(?:on\s+)?(?:monday,?\s+)?(?:the\s+)?(?:{DAY}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?|{MONTH}\s+{DAY}(?:,?\s+{YEAR})?(?!\d))",
    "named_quarter": r"(?:the\s+)?(?:last|previous|this|current)\s+(?:quarter|fortnight)",
    "weekend": r"(?:last|this|the)\s+weekend",
    "decade": r"(?:the\s+)?(?:(?:1[5-9]|20)\d0s|(?<=the\s)['’]?\d0s|(?:sixties|seventies|eighties|nineties|noughties))",
    "week_number": rf"week\s+\d{{1,2}}(?:\s+(?:of\s+)?{YEAR})?",
    "week_in": rf"(?:the\s+)?{_ORDINAL}\s+week\s+(?:of|in)\s+{MONTH}(?:\s+{YEAR})?",
    "century": r"(?:the\s+)?(?:1[5-9]th|20th|21st|sixteenth|seventeenth|eighteenth|nineteenth|twentieth)\s+century",
    "dated": rf"(?:the\s+)?{DAY}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?|{MONTH}\s+{DAY}(?:,?\s+{YEAR})?(?!\d)",
    "ordinal": r"(?:the\s+)\d{1,2}(?:st|nd|rd|th)(?!\s+(?:of\s+)?[a-z]*\s*(?:centur|floor|edition|time|place|amendment))",
    "month": rf"{MONTH}\s+{_IN_YEAR}|(?:last|this)\s+{MONTH}",
    "part_of_day": r"this\s+(?:morning|afternoon|evening)|tonight|last\s+night",
    "relative": rf"(?:the\s+)?day\s+before\s+yesterday|yesterday|today|(?:this|last|previous|the\s+current|current|next)\s+(?:calendar\s+)?{UNIT}|{NUMBER}\s+{UNIT}s?\s+ago|(?:last\s+|this\s+)?{_WEEKDAY}",
    "year": rf"(?:the\s+year\s+)?{YEAR}(?!\s*(?:mm|cm|km|m|kg|g|kn|mpa|usd|eur|dollars?|people|%|met(?:er|re)s?|miles?|feet|volts?|watts?|lit(?:er|re)s?|words?|pages?|rows?|times|euros?|pounds?|hours?|rpm|hz|pixels?|points?|copies|users?)\b)",
    "bare": MONTH,
    "bare_season": r"the\s+(?:spring|summer|autumn|winter)(?!\s+(?:of\s+)?\d)",
}
PERIOD = "|".join(_PERIODS.values())
SINGLE_PERIOD = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PERIODS.items()), re.IGNORECASE)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_RECENT = timedelta(days=30)


def parse_period(period: str, today: date) -> DayRange | None:
    """What a period is, None where it makes no sense ("31 June")."""
    plain = re.sub(r"(?<=[a-z])\.|^the\s+|^these\s+|\bcalendar\s+", "", period.strip().lower())
    words = " ".join(plain.split())
    match = SINGLE_PERIOD.fullmatch(period.strip()) or SINGLE_PERIOD.fullmatch(words)
    own = _OWN.get(match.lastgroup or "") if match else None
    try:
        return own(words, today) if own else _read(words, today)
    except (ValueError, OverflowError):
        return None


def parse_number(words: str) -> int:
    words = " ".join(words.lower().split())
    return int(words) if words.isdigit() else _NUMBERS[words]


def period_length(count: int, unit: str) -> relativedelta:
    months = {"quarter": 3 * count, "year": 12 * count, "month": count}.get(unit, 0)
    return relativedelta(
        months=months, days={"day": count, "week": 7 * count, "fortnight": 14 * count}.get(unit, 0)
    )


def _rolling(words: str, today: date) -> DayRange:
    """ "The last weeks", without a number, are three."""
    if re.search(r"half[\s-]year$", words):
        return DayRange(first=today - relativedelta(months=6), last=today)
    found = re.fullmatch(rf"(?:last|past|previous|recent)\s+(?:({NUMBER})\s+)?({UNIT})(s?)", words)
    if found is None:  # recently
        return DayRange(first=today - _RECENT, last=today)
    number = found[1] or ("few" if found[3] else "one")
    return DayRange(first=today - period_length(parse_number(number), found[2]), last=today)


def _to_date(words: str, today: date) -> DayRange | None:
    return parse_period(f"this {words.split()[0]}", today)


def _part_of_day(words: str, today: date) -> DayRange:
    day = today - timedelta(days=words == "last night")
    return DayRange(first=day, last=day)


_CENTURIES = ("sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth")


def _century(words: str, today: date) -> DayRange:
    name = words.split()[0]
    number = 16 + _CENTURIES.index(name) if name in _CENTURIES else int(name[:2])
    return DayRange(first=date(100 * number - 99, 1, 1), last=date(100 * number, 12, 31))


def _half(words: str, today: date) -> DayRange:
    year = _year_in(words, today)
    is_second = bool(re.match(r"second|2nd|last", words)) or "h2" in words
    return (
        DayRange(first=date(year, 7, 1), last=date(year, 12, 31))
        if is_second
        else DayRange(first=date(year, 1, 1), last=date(year, 6, 30))
    )


def _quarter(words: str, today: date) -> DayRange:
    found = re.search(r"q([1-4])", words)
    number = int(found[1]) if found else {"fi": 1, "1s": 1, "se": 2, "2n": 2, "th": 3, "3r": 3}.get(words[:2], 4)
    year = _year_in(words, today)
    if not re.search(YEAR, words) and "year" not in words and date(year, 3 * number - 2, 1) > today:
        year -= 1
    return _months(year, 3 * number - 2, 3)


def _part(words: str, today: date) -> DayRange | None:
    whole = parse_period(
        re.sub(r"^(?:(?:early|mid|late)(?: in)?|(?:beginning|start|middle|end) of)[\s-]+", "", words), today
    )
    if whole is None or whole.first is None or whole.last is None:
        return None
    if (whole.last - whole.first).days > 3000:  # of a decade: four years, three in its middle
        year, at = whole.first.year, 0 if words.startswith(("early", "beginning", "start")) else 4
        at = 7 if words.startswith(("late", "end")) else at
        return _months(year + at, 1, 36 if at else 48)
    if (whole.last - whole.first).days > 300:  # of a year: four months
        year, first = whole.first.year, 1 if words.startswith(("early", "beginning", "start")) else 5
        return _months(year, 9 if words.startswith(("late", "end")) else first, 4)
    third = ((whole.last - whole.first).days + 1) // 3
    if words.startswith(("early", "beginning", "start")):
        return DayRange(first=whole.first, last=whole.first + timedelta(days=third))
    if words.startswith(("late", "end")):
        return DayRange(first=whole.last - timedelta(days=third), last=whole.last)
    return DayRange(first=whole.first + timedelta(days=third), last=whole.last - timedelta(days=third))


def _season(words: str, today: date) -> DayRange:
    if over := re.search(rf"({YEAR})\s?[-–/]\s?\d", words):  # the winter of 2023-24
        return _months(int(over[1]), 12, 3)
    name = next(season for season in _SEASONS if season in words)
    year = _year_in(words, today)
    if not re.search(YEAR, words):
        has_begun = _months(year, _SEASONS[name], 3).first <= today  # type: ignore[operator]
        is_over = (_months(year, _SEASONS[name], 3).last or today) < today
        year -= 0 if (is_over or (has_begun and not words.startswith("last"))) else 1
    return _months(year, _SEASONS[name], 3)


def _weekend(words: str, today: date) -> DayRange:
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    if words.startswith("this") and today.weekday() < 5:
        saturday += timedelta(days=7)
    if words.startswith("last") and today.weekday() >= 5:
        saturday -= timedelta(days=7)
    return DayRange(first=saturday, last=saturday + timedelta(days=1))


def _week_of(words: str, today: date) -> DayRange | None:
    day = _read(re.sub(r"^week \w+ (?:on )?(?:monday,? )?(?:the )?", "", words), today)
    return _week(day.first) if day and day.first else None


def _named_quarter(words: str, today: date) -> DayRange:
    """A fortnight is the two weeks that end with this one, or those before."""
    is_now = words.startswith(("this", "current"))
    if words.endswith("fortnight"):
        sunday = today + timedelta(days=6 - today.weekday()) - timedelta(days=0 if is_now else 14)
        return DayRange(first=sunday - timedelta(days=13), last=sunday)
    begin = today.replace(day=1, month=today.month - (today.month - 1) % 3)
    begin = begin if is_now else begin - relativedelta(months=3)
    return _months(begin.year, begin.month, 3)


def _week(day: date) -> DayRange:
    monday = day - timedelta(days=day.weekday())
    return DayRange(first=monday, last=monday + timedelta(days=6))


def _short(words: str, today: date) -> DayRange | None:
    """A year of two digits is the latest that has begun."""
    year = 2000 + int(words[-2:])
    return parse_period(f"{words[:-3].strip()} {year if year <= today.year else year - 100}", today)


def _before_last(words: str, today: date) -> DayRange | None:
    unit = words.split()[0]
    if unit == "day":
        return DayRange(first=today - timedelta(days=2), last=today - timedelta(days=2))
    if unit in _SEASONS:
        year = (_season(f"last {unit}", today).first or today).year
        return _months(year - 1, _SEASONS[unit], 3)
    steps = {"week": relativedelta(weeks=2), "month": relativedelta(months=2), "year": relativedelta(years=2)}
    day = today - steps.get(unit, relativedelta(months=6))
    if unit == "week":
        return _week(day)
    if unit == "quarter":
        return _months(day.year, day.month - (day.month - 1) % 3, 3)
    return _months(day.year, day.month, 1) if unit == "month" else _months(day.year, 1, 12)


_FEASTS = {"christmas eve": (12, 24), "christmas": (12, 25), "boxing": (12, 26), "halloween": (10, 31)}


def _feast(words: str, today: date) -> DayRange:
    plain = words.replace("'", "").replace("’", "")
    month, day = (12, 31) if "years eve" in plain else (1, 1) if "years day" in plain else (0, 0)
    if "easter" in plain:
        sunday = easter(_year_in(words, today))
        sunday = sunday if sunday <= today or re.search(YEAR, words) else easter(today.year - 1)
        return DayRange(first=sunday, last=sunday)
    if not month:
        month, day = next(when for name, when in _FEASTS.items() if name in plain)
    year = _year_in(words, today)
    if not re.search(YEAR, words) and date(year, month, day) > today:
        year -= 1
    return DayRange(first=date(year, month, day), last=date(year, month, day))


def _ordinal(words: str, today: date) -> DayRange:
    """The latest day of this number."""
    number = int(re.sub(r"\D", "", words))
    day = (
        today.replace(day=number)
        if number <= today.day
        else (today.replace(day=1) - timedelta(days=1)).replace(day=number)
    )
    return DayRange(first=day, last=day)


def _week_number(words: str, today: date) -> DayRange:
    """Weeks as ISO 8601 counts them; without a year the latest that has begun."""
    number = int(words.split()[1])
    year = _year_in(words, today)
    monday = date.fromisocalendar(year, number, 1)
    if monday > today and not re.search(YEAR, words):
        monday = date.fromisocalendar(year - 1, number, 1)
    return _week(monday)


def _week_in(words: str, today: date) -> DayRange | None:
    """Seven days each from the first of the month on; the last week is its last seven days."""
    ordinal, _, month = words.partition(" week ")
    whole = _read(month.split(" ", 1)[1], today)
    if whole is None or whole.first is None or whole.last is None:
        return None
    if ordinal == "last":
        return DayRange(first=whole.last - timedelta(days=6), last=whole.last)
    first = whole.first + timedelta(
        weeks=("fi1s", "se2n", "th3r", "fo4t").index(
            next(n for n in ("fi1s", "se2n", "th3r", "fo4t") if ordinal[:2] in n)
        )
    )
    return DayRange(first=first, last=first + timedelta(days=6))


_DECADES = {"sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990, "noughties": 2000}


def _decade(words: str, today: date) -> DayRange:
    digits = re.sub(r"\D", "", words)
    year = _DECADES.get(words) or (
        int(digits) if len(digits) == 4 else 1900 + int(digits) + 100 * (int(digits) < 30)
    )
    return DayRange(first=date(year, 1, 1), last=date(year + 9, 12, 31))


_OWN = {"rolling": _rolling, "half": _half, "quarter": _quarter, "part": _part, "season": _season}
_OWN |= {"weekend": _weekend, "decade": _decade, "week_of": _week_of, "named_quarter": _named_quarter}
_OWN |= {"short": _short, "before_last": _before_last, "feast": _feast, "ordinal": _ordinal}
_OWN |= {"week_number": _week_number, "week_in": _week_in, "to_date": _to_date, "century": _century}
_OWN |= {"part_of_day": _part_of_day, "bare_season": _season}


def _year_in(words: str, today: date) -> int:
    found = re.search(YEAR, words)
    return int(found.group()) if found else today.year - ("last year" in words)


def _months(year: int, first: int, count: int) -> DayRange:
    begin = date(year, first, 1)
    return DayRange(first=begin, last=begin + relativedelta(months=count) - timedelta(days=1))


def _read(words: str, today: date) -> DayRange | None:
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
        return DayRange(first=day.replace(day=1), last=day.replace(day=calendar.monthrange(day.year, day.month)[1]))
    if found.period == "quarter":
        return _months(day.year, day.month - (day.month - 1) % 3, 3)
    if found.period == "year":
        return _months(day.year, 1, 12)
    return DayRange(first=day, last=day)


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
