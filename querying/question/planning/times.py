"""Finds the times in a question: "in March", "since last week", "between 2014 and 2016", "older than a year".

Each word is replaced by a letter for its kind (M a month, Y a year, U a unit; see times.txt), and a time is a short
pattern of letters. The library dateparser reads dates; periods, seasons and ranges are computed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from pathlib import Path

from dateutil.relativedelta import relativedelta

from language.month_names import MONTHS, WEEKDAYS
from language.number_words import ORDINALS, SMALL_NUMBERS
from querying.question.planning.query_plan import DayRange, Mention
from querying.question.planning.spelling import correct_spelling


@dataclass(frozen=True)
class _Word:
    letter: str
    value: int
    name: str
    start: int = 0
    end: int = 0


_Words = Sequence[_Word]
_Period = tuple[int, DayRange, _Words]

_TABLE = [line.split() for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines() if line[0] != "#"]
_TABLE += [["M", str(number), name, name[:3]] for number, name in enumerate(MONTHS, 1)]
_TABLE += [["W", str(number), name] for number, name in enumerate(WEEKDAYS)]
_TABLE += [["O", str(number), name] for number, name in enumerate(ORDINALS[:4], 1)]
_TABLE += [["N", str(number), name] for number, name in enumerate(SMALL_NUMBERS[4:13], 4)]
_LETTER_BY_WORD = {word: (row[0], int(row[1]), row[2]) for row in _TABLE for word in row[2:]}
_LONG = [word for word, (letter, _, _) in _LETTER_BY_WORD.items() if letter in "MWSUVy"]
_UNITS = [name for letter, _, name in (row[:3] for row in _TABLE) if letter == "U"]
_WRITTEN = r"\d{4}-(?:0\d|1[0-2])(?:-\d\d)?(?!\d)|(?:\d\d?[/.]){1,2}\d{4}"
_WORD = re.compile(rf"{_WRITTEN}|['’]\d\ds?|[^\W_]+|[^\w\s]")
_YEAR = r"(?:f?T?(?:Y|[tl]?U))"
_DATE = rf"(?:W,?)?(?:T?[NO]f?M|MT?[NO])(?:,?{_YEAR})?"
_OPENINGS = {"since": "s[fp]?|zf|zzpz|!v|!oc|paj", "after": "j|nc|mrc", "until": "u[fp]?|i[-u]|![jn]c?|pa[uv]"}
_OPENINGS |= {"before": "v-?|oc"}
_CLOSING = re.compile(r"(?P<since>w|a[njs]|p(?=$|[,;]))|(?P<until>a[ov])")
_AGED = re.compile(r"(?P<sense>[omnk])c?A?N?f?[UV](?P<ago>g?)")
_JOINT = re.compile(r",?a|[-,/u]")
_LASTING = frozenset("in during over through for since before after until by from excluding except not".split())


def find_times(text: str, *, today: date) -> list[Mention]:
    """The times in the text, in their order; of overlapping ones the longest. `today` is the caller's day."""
    words = [_word(match) for match in _WORD.finditer(text)]
    found, at = [], 0
    while at < len(words):
        read = [one for reader in _RANGE_READERS for one in reader(words, at, today)]
        end, days = max(read, key=lambda one: one[0], default=(at + 1, None))
        if days:
            begin = at
            while begin and (words[begin - 1].letter in "fpb" or words[begin - 1].name in ("over", "through")):
                begin -= 1
            found.append(Mention(kind="time", days=days, start=words[begin].start, end=words[end - 1].end))
        at = end
    return found


def find_time(text: str, *, today: date) -> Mention | None:
    """The first time in the text, or None. `today` is the caller's day."""
    return next(iter(find_times(text, today=today)), None)


def _word(match: re.Match[str]) -> _Word:
    word = match.group().lower()
    is_genitive = word.endswith("s") and _LETTER_BY_WORD.get(word[:-1], ".")[0] in "yWM"  # "todays", "fridays"
    name = word if word in _LETTER_BY_WORD else word[:-1] if is_genitive else correct_spelling(word, _LONG)
    digits = re.sub(r"\D", "", word)
    if name is None and digits:
        return _Word(*_digits_letter(word, int(digits)), word, *match.span())
    letter, value, name = _LETTER_BY_WORD.get(name or "", (".", 0, word))
    is_mark = letter == "." and not word[0].isalnum()
    return _Word(";" if is_mark else letter, value, name if letter in "MWyUV" else word, *match.span())


def _digits_letter(word: str, value: int) -> tuple[str, int]:
    """The letter of a word with digits: a written date, a quarter or half, a decade, a day, a year or a number."""
    short = 2000 + value if value <= 30 else 1900 + value
    if re.fullmatch(_WRITTEN, word):
        return "I", 0
    if re.fullmatch(r"[qh][1-4]|['’]\d\ds?", word):
        return (word[0], value) if word[0] in "qh" else ("D" if word.endswith("s") else "Y", short)
    if word.endswith("0s") and (value < 100 or 1500 <= value < 2100):
        return "D", value if value >= 100 else short
    if word.endswith(("st", "nd", "rd", "th")):
        return "O", value
    is_year = word.isdigit() and 1500 <= value < 2100
    return ("Y" if is_year else "N" if word.isdigit() and value < 1000 else "."), value


def _letters(words: _Words) -> str:
    return "".join(word.letter for word in words)


def _read_open_range(words: _Words, at: int, today: date) -> Iterator[tuple[int, DayRange]]:
    """A time that is open on one side: "since March", "older than 2015", "2019 or later", "from May onwards"."""
    letters = _letters(words[at : at + 5])
    for sense, pattern in _OPENINGS.items():
        opening = re.match(f"b?(?:{pattern})", letters)
        for end, days, part in _periods(words, at + opening.end(), today) if opening else ():
            # "Before the end of March" reaches as far as "until March".
            is_end = sense == "before" and any(word.name == "end" for word in part)
            yield end, _open_range("until" if is_end else sense, days)
    for end, days, _ in _periods(words, at + (words[at].letter == "b"), today):
        closing = _CLOSING.match(_letters(words[end : end + 2]))
        if closing and (closing.group() != "p" or words[at].letter == "b"):
            yield end + closing.end(), _open_range(closing.lastgroup or "", days)


def _open_range(sense: str, days: DayRange) -> DayRange:
    assert days.first is not None and days.last is not None
    if sense == "since":
        return DayRange(first=days.first)
    if sense == "after":
        return DayRange(first=days.last + timedelta(days=1))
    return DayRange(last=days.last if sense == "until" else days.first - timedelta(days=1))


def _read_age(words: _Words, at: int, today: date) -> Iterator[tuple[int, DayRange]]:
    """A time by age: "older than a year", "more than two weeks ago", "less than a month old"."""
    found = _AGED.match(_letters(words[at : at + 7]))
    if found and (found["sense"] in "on" or found["ago"]):
        day = today - _length_of_time(words[at : at + found.end()])
        is_older = found["sense"] in "om"
        yield at + found.end(), DayRange(last=day - timedelta(days=1)) if is_older else DayRange(first=day)


def _read_joined_periods(words: _Words, at: int, today: date) -> Iterator[tuple[int, DayRange]]:
    """One period, or several joined: "from March to May 2016", "2014, 2015 and 2016", "9-13 March"."""
    begin = at + (words[at].letter == "b")
    found = _day_of_month(words, begin, today) or next(_periods(words, begin, today), None)
    if found is None:
        return
    parts = [found]
    while (joint := _JOINT.match(_letters(words[parts[-1][0] : parts[-1][0] + 2]))) and len(parts) < 9:
        after = parts[-1][0] + joint.end()
        then = next(_periods(words, after, today), None) or _shortened_end(words, after, found, today)
        is_range = joint.group() in "-/u" or words[at].name == "between"
        if then is None or not (is_range or _letters_without_year(then[2]) == _letters_without_year(found[2])):
            break
        parts.append(then)
    if len(parts) > 1:
        yield parts[-1][0], _join_periods(parts, today)
    elif _means_time(words, begin, found[2]):
        yield found[:2]


def _day_of_month(words: _Words, at: int, today: date) -> _Period | None:
    """The "9" of "9 to 13 March"."""
    found = re.match(r"(T?[NO])[-ua](T?[NO]f?M(?:,?Y)?)", _letters(words[at : at + 9]))
    if found is None:
        return None
    part = [
        *words[at : at + found.end(1)],
        *(word for word in words[at + found.start(2) : at + found.end()] if word.letter in "MY"),
    ]
    return next(((at + found.end(1), days, part) for _, days, _ in _periods(part, 0, today)), None)


def _shortened_end(words: _Words, at: int, first: _Period, today: date) -> _Period | None:
    """A shortened end of a range: the "15" of "2014/15", the "13" of "March 9 to 13"."""
    part = [word for word in words[at : at + 1] if word.letter in "NO"]
    day = first[1].first
    if not part or day is None or not part[0].name[0].isdigit():
        return None
    last = part[0].value
    if _letters_without_year(first[2]) == "" and (last > 12 or words[at - 1].letter == "/"):
        return at + 1, _month_range(day.year // 100 * 100 + last, 1, 12), first[2]
    is_day = first[2][0].letter == "M" and day == first[1].last and day.day < last < 29
    return (at + 1, _unit_around("day", day.replace(day=last)), first[2]) if is_day else None


def _join_periods(parts: Sequence[_Period], today: date) -> DayRange:
    """Joins periods. The year of the last one counts for the first; if the range would then end before it begins, it
    begins a year earlier."""
    first, last, year = parts[0][1], parts[-1][1], _year_words(parts[-1][2])
    if year and not _year_words(parts[0][2]):
        part = [*parts[0][2], *year]
        first = next((days for end, days, _ in _periods(part, 0, today) if end == len(part)), first)
    assert first.first and first.last and last.first and last.last
    if first.first > last.last and not year:
        return DayRange(first=first.first - relativedelta(years=1), last=last.last)
    return DayRange(first=min(first.first, last.first), last=max(first.last, last.last))


def _letters_without_year(part: _Words) -> str:
    return _letters(part).replace("T", "").replace("Y", "")


def _year_words(part: _Words) -> _Words:
    """The year at the end of a period: "2016", "this year", "of the year"."""
    year = re.search(r"(?:Y|[tlT]U)$", _letters(part))
    is_year = year and (year.group() == "Y" or part[-1].name == "year")
    return part[year.start() :] if year and is_year else ()


def _means_time(words: _Words, at: int, part: _Words) -> bool:
    """Whether the word means a time: "May", "march" and "the spring" do so only after "in" and similar words."""
    before, letters = words[at - 1].name if at else "", _letters(part).replace("T", "")
    is_other = letters == "S" or (letters == "M" and part[0].name in ("march", "may", "august"))
    return before in _LASTING or not is_other


def _periods(words: _Words, at: int, today: date) -> Iterator[_Period]:
    """The periods that begin at this word, the longest first. None is longer than twelve words."""
    letters = _letters(words[at : at + 12])
    found = [(match.end(), read) for pattern, read in _READERS if (match := pattern.match(letters))]
    for end, read in sorted(found, key=lambda one: -one[0]):
        try:
            days = read(words[at : at + end], today)
        except (ValueError, OverflowError):
            continue
        if days:
            yield at + end, days, words[at : at + end]


def _read_date(words: _Words, today: date) -> DayRange | None:
    """A date: "3 May 2016", "May the 3rd", "Monday 9 March", "5 October last year", "12/03/2024", "Tuesday"."""
    if any(word.letter == "N" and not word.name.isdigit() for word in words):
        return None
    said = [re.sub(r"(?<=\d)[a-z]+$", "", word.name) for word in words if word.letter in "INOMWy"]
    year = [str(_year(words, today))] if _year_words(words) else []
    return _parse_date(" ".join([*said, *year]), today)


@lru_cache(maxsize=1024)
def _parse_date(said: str, today: date) -> DayRange | None:
    settings = {
        "RELATIVE_BASE": datetime.combine(today, time(12)),
        "PREFER_DATES_FROM": "past",
        "DATE_ORDER": "DMY",
    }
    from dateparser.date import DateDataParser  # imported here, because only the planner needs it and it is slow

    found = DateDataParser(languages=["en"], settings=settings).get_date_data(said)
    return _unit_around(found.period, found.date_obj.date()) if found and found.date_obj else None


def _read_named_period(words: _Words, today: date) -> DayRange | None:
    """A period that has a name: "March", "last summer", "Q3 2016", "the third quarter of last year", "H1"."""
    one = next((word for word in words if word.letter in "MSqhO"), _Word("O", 4, "last"))
    if one.letter == "O" and not any(word.name == "quarter" for word in words):
        return None
    count = {"M": 1, "h": 6}.get(one.letter, 3)
    month = one.value if one.letter in "MS" else count * (one.value - 1) + 1
    if _year_words(words) or words[0].letter == "Y":
        return _month_range(_year(words, today), month, count)
    # The latest period that has begun; after "last" the latest that has ended.
    days, is_last = _month_range(today.year, month, count), words[0].letter == "l"
    assert days.first and days.last
    is_ahead = (days.last >= today) if is_last else days.first > today and words[0].letter != "t"
    return _month_range(today.year - 1, month, count) if is_ahead else days


def _year(words: _Words, today: date) -> int:
    named = next((word.value for word in words if word.letter == "Y"), 0)
    return named or today.year - (_letters(words)[-2:-1] == "l")


def _read_relative_period(words: _Words, today: date) -> DayRange:
    """A period relative to today: "last week", "this weeks", "two months ago", "the week before last", "the day before
    yesterday"."""
    unit = _UNITS[next(word for word in words if word.letter in "UV").value]
    letters = _letters(words).lstrip("T")
    if letters[-1] == "g":
        return _unit_around(unit, today - _length_of_time(words))
    steps = -2 if "v" in letters else {"l": -1, "x": 1}.get(letters[0], 0)
    return _unit_around(unit, today + steps * _length_of_unit(unit))


def _read_rolling_period(words: _Words, today: date) -> DayRange:
    """A period that ends today: "the last three weeks", "the past year", "lately", "the last half year"."""
    if words[-1].letter == "L":
        return DayRange(first=today - timedelta(days=30), last=today)
    length = relativedelta(months=6) if any(word.letter == "H" for word in words) else _length_of_time(words)
    is_ahead = any(word.letter == "x" for word in words)
    return DayRange(first=today, last=today + length) if is_ahead else DayRange(first=today - length, last=today)


def _length_of_time(words: _Words) -> relativedelta:
    """The length of this many units; a plural without a number means three."""
    unit = next(word for word in reversed(words) if word.letter in "UV")
    count = next((word.value for word in words if word.letter == "N"), 3 if unit.letter == "V" else 1)
    return count * _length_of_unit(_UNITS[unit.value])


def _length_of_unit(unit: str) -> relativedelta:
    days = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}.get(unit, 0)
    return relativedelta(days=days, months={"month": 1, "quarter": 3, "year": 12}.get(unit, 0))


def _unit_around(unit: str, day: date) -> DayRange:
    """The day, week, month or other unit that contains a day."""
    monday = day - timedelta(days=day.weekday())
    if unit in ("week", "fortnight", "weekend"):
        first = monday + timedelta(days={"week": 0, "fortnight": -7, "weekend": 5}[unit])
        return DayRange(first=first, last=monday + timedelta(days=6))
    count = {"month": 1, "quarter": 3, "year": 12}.get(unit)
    return (
        _month_range(day.year, (day.month - 1) // count * count + 1, count) if count else DayRange(first=day, last=day)
    )


def _month_range(year: int, first: int, count: int) -> DayRange:
    begin = date(year, first, 1)
    return DayRange(first=begin, last=begin + relativedelta(months=count) - timedelta(days=1))


def _read_week_of_date(words: _Words, today: date) -> DayRange | None:
    """ "The week of 5 October"."""
    at = next(at for at, word in enumerate(words) if word.letter == "U")
    days = _read_date(words[at + 1 :], today) if words[at].name == "week" else None
    return _unit_around("week", days.first) if days and days.first else None


def _read_part_of_period(words: _Words, today: date) -> DayRange | None:
    """The beginning, middle, end or half of a period: "early 2016", "the second half of May"."""
    head = re.match(r"T?(?:[Ol]H|e)[-fT]*", _letters(words))
    part = words[head.end() if head else 0 :]
    is_unit = len(part) == 1 and part[0].letter == "U"
    found = (1, _unit_around(_UNITS[part[0].value], today), part) if is_unit else next(_periods(part, 0, today), None)
    if found is None or found[0] != len(part) or found[1].first is None or found[1].last is None:
        return None
    piece = next(word for word in words if word.letter in "Ole")
    pieces, at = (3, piece.value) if piece.letter == "e" else (2, piece.value - 1 if piece.letter == "O" else 1)
    first, days = found[1].first, (found[1].last - found[1].first).days + 1
    if days > 3000:  # of a decade: several years
        return _month_range(first.year + (0, 4, 7)[at], 1, (48, 36, 36)[at])
    if days > 300:
        return _month_range(first.year, 1 + 12 // pieces * at, 12 // pieces)
    begin, end = first + timedelta(days=days * at // pieces), first + timedelta(days=days * (at + 1) // pieces - 1)
    return DayRange(first=begin, last=end)


def _read_years(words: _Words, today: date) -> DayRange | None:
    is_year = all(word.name == "year" for word in words if word.letter == "U")
    return _month_range(words[-1].value, 1, 120 if words[-1].letter == "D" else 12) if is_year else None


_RANGE_READERS = (_read_open_range, _read_age, _read_joined_periods)
_READERS: list[tuple[re.Pattern[str], Callable[[_Words, date], DayRange | None]]] = [
    (re.compile(rf"I|[tl]?W|y|{_DATE}"), _read_date),
    (re.compile(rf"[tl]?M(?:,?{_YEAR})?|T?[tl]?R?S{_YEAR}?"), _read_named_period),
    (re.compile(rf"[qh][-/]?{_YEAR}?|Y[-/]?[qh]|T?lU{_YEAR}|T?OU{_YEAR}?"), _read_named_period),
    (re.compile(r"T?[tlx]U|[tl]V|A?N?f?[UV]g|T?Uvl|T?Uvy"), _read_relative_period),
    (re.compile(r"T?[lRrx](?:A?Nf?[UV]|V)|T?RU|L|T?[lR]H-?U"), _read_rolling_period),
    (re.compile(rf"T?U[fes][fp]?{_DATE}"), _read_week_of_date),
    (re.compile(rf"T?(?:[Ol]Hf?|e[f-]{{0,2}})T?[tl]?(?:Sf?Y?|M{_YEAR}?|[UYD])"), _read_part_of_period),
    (re.compile(r"T?U?Y|T?D"), _read_years),
]
