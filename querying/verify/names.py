"""Dates, and numbers that name: clauses, tables, grades, standards. They are compared exactly, never converted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from querying.verify.figures import Date, Name
from querying.verify.units import UNIT, unit_of

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_LONG = "january february march april june july august september october november december sept"
_MONTH = rf"(?P<month>{'|'.join([*_LONG.split(), *_MONTHS])})\b\.?"
_YEAR, _DAY = r"(?P<year>(?:1[5-9]|20|21)\d\d)", r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_DATES = [
    re.compile(rf"\b{_YEAR}-(?P<month>[01]\d)-{_DAY}\b"),
    re.compile(rf"\b{_DAY}[ -](?:day )?(?:of )?{_MONTH}(?:(?:,? |-){_YEAR})?(?!\d)", re.IGNORECASE),
    re.compile(rf"\b{_MONTH} {_DAY}\b(?:,? {_YEAR})?(?![\d.]\d)", re.IGNORECASE),
    re.compile(rf"\b{_MONTH},? (?:of )?{_YEAR}\b", re.IGNORECASE),
]

# "Until 1 April" and "after 1 April" are opposite sides of the day.
_SIDES = {
    "before": "before",
    "until": "before",
    "till": "before",
    "by": "before",
    "after": "after",
    "since": "after",
}
_SIDES |= {"from": "after", "than": ""}
_SIDE = re.compile(rf"\b({'|'.join(_SIDES)})\s(?:the\s)?$", re.IGNORECASE)

_LABELS = {
    "clause": "clause clauses cl cls",
    "section": "section sections sec secs",
    "article": "article articles art arts",
    "table": "table tables tab",
    "figure": "figure figures fig figs",
    "chapter": "chapter chapters",
    "part": "part parts",
    "annex": "annex annexes appendix appendices",
    "schedule": "schedule schedules exhibit",
    "page": "page pages pp p",
    "equation": "equation equations eq eqn",
    "rule": "rule rules regulation regulations",
    "paragraph": "paragraph paragraphs para paras",
    "item": "item items",
    "number": "no nos number",
    "type": "type types",
    "class": "class classes",
    "grade": "grade grades",
    "category": "category categories",
    "zone": "zone zones",
    "step": "step steps",
    "phase": "phase phases",
    "version": "version",
    "source": "source sources",
    "note": "note",
}
_LABEL_OF = {spelling: label for label, spellings in _LABELS.items() for spelling in spellings.split()}
_CODE = (
    r"(?:\d{1,9}(?:\.\d{1,9}){0,6}[A-Za-z]?|[IVXLC]{1,7}|[A-Z](?:[.-]?\d{1,4}){0,3}(?! \d))"
    r"(?:\([a-z0-9]{1,4}\)){0,3}(?![\w%]|[.,]\d)"
)
_SPELLED = "|".join(sorted(_LABEL_OF, key=len, reverse=True))
_LABELLED = re.compile(
    rf"(?:\b(?i:(?P<label>{_SPELLED})\b\.?) ?|§§? ?)(?P<codes>{_CODE}(?:(?:, ?|,? (?:and|or|to) |-){_CODE}){{0,8}})"
)
_CODES = re.compile(_CODE)
_UNIT_AHEAD = re.compile(rf"[ -]?({UNIT})")
# "IS 456", "IS 456:2000", "BS EN 1992-1-1": what standards are called by. Not in a line of capitals.
_STANDARD = re.compile(r"(?<![A-Z] )\b(?:[A-Z]{2,6}[ /-]){1,3}\d{2,6}(?:-\d{1,4}){0,3}(?::\d{4})?(?![\w%]|[.,]\d)")
_NUMBERING = re.compile(
    r"(?<![\w.,:])(?:\d{1,4}(?:\.\d{1,4}){2,6}(?:\([a-z0-9]{1,4}\)){0,3}"
    r"|\d{1,6}(?:\.\d{1,4})?(?: ?: ?\d{1,6}(?:\.\d{1,4})?){1,4}|\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4})(?!\w|[.,:]\d)"
)
# Letters and digits in one word: M30, Fe415, C25/30, H2O, 4th.
_MIXED = re.compile(r"(?<![\w.,/$€£₹¥])(?:[^\W\d_]{1,20}-?\d|\d{1,15}[^\W\d_])[\w/-]{0,40}")
_QUANTITY = re.compile(rf"\d{{1,15}}(?:[eE]-?\d{{1,2}}|-?(?P<unit>{UNIT}))(?:[-/].{{0,20}})?")
_ORDINAL = re.compile(r"(\d{1,6})(?:st|nd|rd|th)", re.IGNORECASE)
# "M 30" is M30, but "In 1977" opens a sentence.
_DETACHED = re.compile(
    r"(?<![\w.])(?!(?:A[mnst]|B[ey]|Do|Go|He|I[fnst]|M[ey]|No|O[fnr]|So|To|U[ps]|We)\b)"
    r"(?:[B-HJ-Z]|[A-Z][a-z])[ -]\d{1,4}(?!\w|[.,]\d)"
)
# "World War II", "Elizabeth I": the numeral tells it from others of the name.
_NUMBERED = re.compile(r"\b(?P<label>[A-Z][a-z]{2,20}) (?P<code>I{1,3}|I?V|VI{1,3}|IX|XI{0,3})\b(?!['’])")
_JOINTS = re.compile(r"[\s-]+")

Found = Iterator[Name | Date]


def read_dates(text: str) -> Found:
    """Each date. `12/03/2024` is not read: nobody can tell the day from the month."""
    taken = -1
    places = sorted(
        ((match.start(), -match.end(), match) for pattern in _DATES for match in pattern.finditer(text)),
        key=lambda place: place[:2],
    )
    for start, _, match in places:
        # "21 may not": a verb, unless a year or its capital says otherwise.
        is_verb = match["month"] in ("may", "march", "mar") and not match.groupdict().get("year")
        if start >= taken and not is_verb:
            taken = match.end()
            yield _date(text, match)


def _date(text: str, match: re.Match[str]) -> Date:
    given = match.groupdict()
    before = _SIDE.search(text[max(0, match.start() - 24) : match.start()])
    month = given["month"].lower()
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1
    return Date(
        written=match.group(),
        start=match.start(),
        end=match.end(),
        year=int(given.get("year") or 0),
        month=number,
        day=int(given.get("day") or 0),
        side=_SIDES[before[1].lower()] if before else "",
    )


def read_labelled(text: str) -> Found:
    for match in _LABELLED.finditer(text):
        if _unit_follows(text, match.end()):  # "section 45 mm thick"
            continue
        label = _LABEL_OF[match["label"].lower()] if match["label"] else "section"
        for code in _CODES.findall(match["codes"]):
            # "Grade M30" is M30: the code says it all.
            is_whole = any(map(str.isalpha, code)) and any(map(str.isdigit, code))
            yield _name(match, code=code, label="" if is_whole else label)


def _unit_follows(text: str, at: int) -> bool:
    ahead = _UNIT_AHEAD.match(text, at)
    return ahead is not None and bool(unit_of(ahead[1]))


def read_standards(text: str) -> Found:
    return _unlabelled(text, _STANDARD)


def read_numberings(text: str) -> Found:
    """Clause numbers of three parts and more, ratios and times of day, dates in figures alone."""
    return _unlabelled(text, _NUMBERING)


def _unlabelled(text: str, pattern: re.Pattern[str]) -> Found:
    for match in pattern.finditer(text):
        if not _unit_follows(text, match.end()):
            yield _name(match, code=match.group())


def read_numbered(text: str) -> Found:
    """Names with a Roman numeral behind them."""
    for match in _NUMBERED.finditer(text):
        if match["label"].lower() not in _LABEL_OF:
            yield _name(match, code=match["code"], label=match["label"].lower())


def read_mixed(text: str) -> Found:
    """Words of letters and digits, "M 30" as M30 among them."""
    for match in _MIXED.finditer(text):
        written = match.group().rstrip("/-")
        if ordinal := _ORDINAL.fullmatch(written):
            yield _name(match, code=ordinal[1], label="ordinal")
        elif not _is_quantity(written):
            yield _name(match, code=written)
    for match in _DETACHED.finditer(text):
        if not _unit_follows(text, match.end()):
            yield _name(match, code=match.group())


def _is_quantity(written: str) -> bool:
    if unit_of(written):  # "m2"
        return True
    match = _QUANTITY.fullmatch(written)
    return match is not None and (match["unit"] is None or bool(unit_of(match["unit"])))


def _name(match: re.Match[str], *, code: str, label: str = "") -> Name:
    code = _JOINTS.sub("", code).lower()
    return Name(written=match.group(), start=match.start(), end=match.end(), label=label, code=code)
