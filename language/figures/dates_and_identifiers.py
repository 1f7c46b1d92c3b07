"""Dates, and numbers that name: clauses, tables, grades, standards. They are compared exactly, never converted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from language.figures.figure_types import Identifier, StatedDate
from language.lazy_pattern import lazy_pattern
from language.month_names import MONTH_PATTERN, month_number
from language.units import CURRENCY_CODES, UNIT_PATTERN, parse_unit

_MONTH = rf"(?P<month>{MONTH_PATTERN})\b\.?"
YEAR_PATTERN = r"(?:1[5-9]|20|21)\d\d"
_NAMED_YEAR, _DAY_PATTERN = rf"(?P<year>{YEAR_PATTERN})", r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_DATE_PATTERNS = [
    lazy_pattern(rf"\b{_NAMED_YEAR}-(?P<month>[01]\d)-{_DAY_PATTERN}\b"),
    lazy_pattern(rf"\b{_DAY_PATTERN}[ -](?:day )?(?:of )?{_MONTH}(?:(?:,?\s|-){_NAMED_YEAR})?(?!\d)", re.IGNORECASE),
    lazy_pattern(rf"\b{_MONTH} {_DAY_PATTERN}\b(?:,?\s{_NAMED_YEAR})?(?![\d.]\d)", re.IGNORECASE),
    lazy_pattern(rf"\b{_MONTH},?\s(?:of )?{_NAMED_YEAR}\b", re.IGNORECASE),
]

# "Until 1 April" and "after 1 April" are opposite sides of the day.
_DATE_SIDES = dict.fromkeys(["before", "until", "till", "by"], "before")
_DATE_SIDES |= dict.fromkeys(["after", "since", "from"], "after") | {"than": ""}
_DATE_SIDE = lazy_pattern(rf"\b((?a:{'|'.join(_DATE_SIDES)}))\s(?:the\s)?$", re.IGNORECASE)

# What a number in a text may name, each with its other spellings.
_LABEL_SPELLINGS = """
clause clauses cl cls|section sections sec secs|article articles art arts|table tables tab|figure figures fig figs
chapter chapters|part parts|annex annexes appendix appendices|schedule schedules exhibit|page pages pp p
equation equations eq eqn|rule rules regulation regulations|paragraph paragraphs para paras|item items
number no nos|type types|class classes|grade grades|category categories|zone zones|step steps|phase phases|version
source sources|note
"""
_LABEL_BY_SPELLING = {
    spelling: row.split()[0]
    for row in _LABEL_SPELLINGS.strip().replace("\n", "|").split("|")
    for spelling in row.split()
}
_CODE_PATTERN = (
    r"(?:\d{1,9}(?:\.\d{1,9}){0,6}[A-Za-z]?|[IVXLC]{1,7}|[A-Z](?:[.-]?\d{1,4}){0,3}(?! \d))"
    r"(?:\([a-z0-9]{1,4}\)){0,3}(?![\w%]|[.,]\d)"
)
_LABEL_PATTERN = "|".join(sorted(_LABEL_BY_SPELLING, key=len, reverse=True))
_LABELLED_CODES = lazy_pattern(
    rf"(?:\b(?ai:(?P<label>{_LABEL_PATTERN})\b\.?) ?|§§? ?)"
    rf"(?P<codes>{_CODE_PATTERN}(?:(?:, ?|,? (?:and|or|to) |-){_CODE_PATTERN}){{0,8}})"
)
_SINGLE_CODE = lazy_pattern(_CODE_PATTERN)
_UNIT_AHEAD = lazy_pattern(rf"[ -]?({UNIT_PATTERN})")
# "IS 456", "IS 456:2000", "BS EN 1992-1-1": what standards are called by. Not in a line of capitals; "CHF 20" is money.
_STANDARD = lazy_pattern(
    rf"(?<![A-Z] )\b(?!(?:{'|'.join(CURRENCY_CODES)}) )"
    r"(?:[A-Z]{2,6}[ /-]){1,3}\d{2,6}(?:-\d{1,4}){0,3}(?::\d{4})?(?![\w%]|[.,]\d)"
)
_NUMBERING = lazy_pattern(
    r"(?<![\w.,:])(?:\d{1,2}:\d{2}[ap]m|\d{1,4}(?:\.\d{1,4}){2,6}(?:\([a-z0-9]{1,4}\)){0,3}"
    r"|\d{1,6}(?:\.\d{1,4})?(?: ?: ?\d{1,6}(?:\.\d{1,4})?){1,4}|\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4})(?!\w|[.,:]\d)"
)
# Letters and digits in one word: M30, Fe415, C25/30, H2O, 4th.
_ALPHANUMERIC = lazy_pattern(r"(?<![\w.,/$€£₹¥])(?:[^\W\d_]{1,20}-?\d|\d{1,15}[^\W\d_])[\w/-]{0,40}")
_QUANTITY_WORD = lazy_pattern(rf"\d{{1,15}}(?:[eE]-?\d{{1,2}}|-?(?P<unit>{UNIT_PATTERN}))(?:[-/].{{0,20}})?")
_ORDINAL = lazy_pattern(r"(\d{1,6})(?:st|nd|rd|th)", re.IGNORECASE)
# "M 30" is M30, but "In 1977" opens a sentence.
_DETACHED_CODE = lazy_pattern(
    r"(?<![\w.])(?!(?:A[mnst]|B[ey]|Do|Go|He|I[fnst]|M[ey]|No|O[fnr]|So|To|U[ps]|We)\b)"
    r"(?:[B-HJ-Z]|[A-Z][a-z])[ -]\d{1,4}(?!\w|[.,]\d)"
)
# "World War II", "Elizabeth I": the numeral tells it from others of the name.
_ROMAN_NUMBERED = lazy_pattern(r"\b(?P<label>[A-Z][a-z]{2,20}) (?P<code>I{1,3}|I?V|VI{1,3}|IX|XI{0,3})\b(?!['’])")
_CODE_JOINTS = lazy_pattern(r"[\s-]+")

FoundFigures = Iterator[Identifier | StatedDate]


def read_dates(text: str) -> FoundFigures:
    """The dates in the text. `12/03/2024` is not read, because its day and month cannot be told apart."""
    taken = -1
    places = sorted(
        ((match.start(), -match.end(), match) for pattern in _DATE_PATTERNS for match in pattern.finditer(text)),
        key=lambda place: place[:2],
    )
    for start, _, match in places:
        # "21 may not": a verb, unless a year or its capital says otherwise.
        is_verb = match["month"] in ("may", "march", "mar") and not match.groupdict().get("year")
        if start >= taken and not is_verb:
            taken = match.end()
            yield _read_date(text, match)


def _read_date(text: str, match: re.Match[str]) -> StatedDate:
    given = match.groupdict()
    before = _DATE_SIDE.search(text[max(0, match.start() - 24) : match.start()])
    month = given["month"].lower()
    number = int(month) if month.isdigit() else month_number(month)
    return StatedDate(
        written=match.group(),
        start=match.start(),
        end=match.end(),
        year=int(given.get("year") or 0),
        month=number,
        day=int(given.get("day") or 0),
        side=_DATE_SIDES[before[1].lower()] if before else "",
    )


def read_labelled_codes(text: str) -> FoundFigures:
    for match in _LABELLED_CODES.finditer(text):
        if _unit_follows(text, match.end()):  # "section 45 mm thick"
            continue
        label = _LABEL_BY_SPELLING[match["label"].lower()] if match["label"] else "section"
        for code in _SINGLE_CODE.findall(match["codes"]):
            # "Grade M30" is M30: the code says it all.
            is_whole = any(map(str.isalpha, code)) and any(map(str.isdigit, code))
            yield _identifier(match, code=code, label="" if is_whole else label)


def _unit_follows(text: str, at: int) -> bool:
    ahead = _UNIT_AHEAD.match(text, at)
    return ahead is not None and bool(parse_unit(ahead[1]))


def read_standards(text: str) -> FoundFigures:
    return _read_unlabelled(text, _STANDARD)


def read_numberings(text: str) -> FoundFigures:
    """Clause numbers of three parts and more, ratios and times of day, dates in figures alone."""
    return _read_unlabelled(text, _NUMBERING)


def _read_unlabelled(text: str, pattern: re.Pattern[str]) -> FoundFigures:
    for match in pattern.finditer(text):
        if not _unit_follows(text, match.end()):
            yield _identifier(match, code=match.group())


def read_roman_numbered(text: str) -> FoundFigures:
    """Names with a Roman numeral behind them."""
    for match in _ROMAN_NUMBERED.finditer(text):
        if match["label"].lower() not in _LABEL_BY_SPELLING:
            yield _identifier(match, code=match["code"], label=match["label"].lower())


def read_alphanumeric(text: str) -> FoundFigures:
    """Words of letters and digits, "M 30" as M30 among them."""
    for match in _ALPHANUMERIC.finditer(text):
        written = match.group().rstrip("/-")
        if ordinal := _ORDINAL.fullmatch(written):
            yield _identifier(match, code=ordinal[1], label="ordinal")
        elif not _is_quantity(written):
            yield _identifier(match, code=written)
    for match in _DETACHED_CODE.finditer(text):
        if not _unit_follows(text, match.end()):
            yield _identifier(match, code=match.group())


def _is_quantity(written: str) -> bool:
    if parse_unit(written):  # "m2"
        return True
    match = _QUANTITY_WORD.fullmatch(written)
    return match is not None and (match["unit"] is None or bool(parse_unit(match["unit"])))


def _identifier(match: re.Match[str], *, code: str, label: str = "") -> Identifier:
    code = _CODE_JOINTS.sub("", code).lower()
    return Identifier(written=match.group(), start=match.start(), end=match.end(), label=label, code=code)
