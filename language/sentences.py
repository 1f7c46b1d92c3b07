"""Splits text from PDFs and web pages into sentences.

A line break is mostly just a space there, but a blank line, a heading, a list item, a numbered clause and a table row
each end what came before. Every rule looks at one line and its neighbours, or at the few characters around one full
stop, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TITLE_ABBREVIATIONS = (
    "e.g i.e eg ie cf viz vs dr mr mrs ms prof rev hon gen lt col capt sgt st messrs approx incl resp"
)
_REFERENCE_ABBREVIATIONS = """
    c ca no nos fig figs cl cls sec secs sect art arts para paras par ch chap vol vols p pp pg eq eqs eqn tab table
    ref refs app annex sch item pt cap reg regs ss ser ed eds nr dept est tel ext
    jan feb mar apr jun jul aug sep sept oct nov dec
"""
_SUFFIX_ABBREVIATIONS = "inc ltd co corp llc plc jr sr etc al ph.d bros ave"
_OPENING_WORD_LIST = """
    the a an this that these those it its he she they we you i in on at if when where while as for from to by
    with after before since although however but and or so there here each all any no such not what who how
    why
"""
# Never the end of a sentence; not the end before a number or a letter ("No. 5", "Fig. A", "cl. (b)"); the end
# only before a word that opens a sentence ("Acme Inc. The …" against "Acme Inc. Agreement").
_NEVER_LAST = frozenset(_TITLE_ABBREVIATIONS.split())
_BEFORE_A_NUMBER = frozenset(_REFERENCE_ABBREVIATIONS.split())
_LAST_BEFORE_AN_OPENER = frozenset(_SUFFIX_ABBREVIATIONS.split())
_OPENING_WORDS = frozenset(_OPENING_WORD_LIST.split())

# Full stops that mean nothing else, and that need no space behind them: of Chinese and Japanese, of Hindi and its
# sisters (danda), Urdu, Arabic, Armenian, Amharic, Burmese and Khmer.
WIDE_STOPS = "\u3002\uff01\uff1f\uff61\u0964\u0965\u06d4\u061f\u0589\u1362\u104b\u17d4"
_SENTENCE_STOP = re.compile(
    rf"""[.!?\u2026]["'\u2019\u201d)\]]{{0,4}}(?=\s)|\?[*_]{{1,3}}(?=\s)|[{WIDE_STOPS}][\u300d\u300f\u201d\u2019)\]]{{0,4}}"""
)
_WHITE_SPACE = re.compile(r"\s*")
_NEXT_WORD = re.compile(r"""\s*["'\u2018\u201c\[]{0,4}(\(?\w{0,24})""")
# What stands before the full stop in "Do this: 1. Open the cover".
_FIRST_OF_A_LIST = re.compile(r"[:;]\s{1,3}\(?\d{1,2}$")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]|[A-Z]")
_DIVISION_WORDS = r"(?:article|section|clause|chapter|part|annex|appendix|schedule|exhibit|table|figure)"
# What may stand before the first full stop without being a sentence: "1.", "IV.", "Section 4.2."
_NUMBERING = re.compile(rf"(?:{_DIVISION_WORDS}\s)?(?:[\d.]{{1,12}}|[ivxlc]{{1,6}}|[a-z])", re.IGNORECASE)

_MARKDOWN_HEADING = re.compile(r"#{1,6}\s")
_BULLET = re.compile(
    r"(?:[-*+\u2022\u2023\u2043\u25aa\u25cf\u25e6\u2013\u2014\u00b7\uf0b7]|\(?(?:[a-z]|[ivx]{1,6}|\d{1,3})\))\s",
    re.IGNORECASE,
)
_CLAUSE_START = re.compile(
    r"(?:(?:\d{1,3}\.){1,6}\d{0,3}|[a-z]\.|[A-Z]\.\d{1,3}(?:\.\d{1,3}){0,4})(?:\([a-z0-9]{1,3}\)){0,2}\s+"
)
_NUMBERED = re.compile(r"\d{1,2}\.\s")
_DIVISION_START = re.compile(rf"{_DIVISION_WORDS}\s+(?:\d|[IVX]+\b|[A-Z]\b)", re.IGNORECASE)
_MAX_HEADING_LENGTH = 90
_WRAP_SLACK = 10
_MIN_PAGE_WIDTH = 80

# "Do this: 1. Open the cover": a sentence that runs into the first item of a list.
_FIRST_ITEM = re.compile(r":\s{1,3}(?:\(?1[.)]|[\u2022-])\s")

TextSpan = tuple[int, int]


def sentence_spans(text: str) -> list[TextSpan]:
    """`(start, end)` of every sentence, in order. Trimmed, not empty, never overlapping; together they hold
    every character that is not white space. A heading, a list item and a table row count as sentences."""
    return [span for block in sentences_by_block(text) for span in block]


def sentences_by_block(text: str) -> Iterator[list[TextSpan]]:
    """The same spans, those of one paragraph, heading, list item, numbered clause or table row together."""
    for start, end in _block_spans(text):
        # "2015 est.: 209" ends no sentence: a row is one, whatever stops it has.
        is_row = " | " in text[start:end]
        yield [(start, end)] if is_row else list(_split_sentences(text, start, end))


def leads_into_list(sentence: str) -> bool:
    """Whether list items belong to what comes after it: it ends with a colon, or holds the first item already."""
    return sentence.rstrip().endswith(":") or _FIRST_ITEM.search(sentence) is not None


@dataclass(frozen=True, slots=True)
class _SourceLine:
    start: int
    text: str  # trimmed


def _source_lines(text: str) -> Iterator[_SourceLine]:
    at = 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        yield _SourceLine(at + line.find(stripped), stripped)
        at += len(line)


def _block_spans(text: str) -> Iterator[TextSpan]:
    lines = [_SourceLine(0, ""), *_source_lines(text), _SourceLine(len(text), "")]
    start = end = 0
    was_alone, item = False, ""
    for before, line, after in zip(lines, lines[1:], [*lines[2:], lines[0]], strict=False):
        is_row = " | " in line.text or line.text[:2] == "| " or _MARKDOWN_HEADING.match(line.text) is not None
        is_alone = is_row or _is_heading(line.text, before=before.text, after=after.text)
        opens = _opens_block(line.text, before=before.text) or _leads_in_below(item, line, text)
        if is_alone or was_alone or opens:
            if start < end:
                yield start, end
            start = end = line.start
            item = line.text
        if start == end:
            start = line.start
        end = line.start + len(line.text)
        was_alone = is_alone


def _leads_in_below(item: str, line: _SourceLine, text: str) -> bool:
    """A line below the first one of a list item that leads in to the next list: it is not set in and begins with no
    small letter. A clause with a number may go on so, where both lines would not fit into one."""
    if not line.text.endswith(":") or line.text[0].islower() or text[line.start - 1 : line.start] in (" ", "\t"):
        return False
    is_short = len(item) + len(line.text) < _MIN_PAGE_WIDTH
    return bool(_BULLET.match(item) or (is_short and _NUMBERED.match(item)))


def _opens_block(line: str, *, before: str) -> bool:
    if not line or _BULLET.match(line):
        return True
    if clause := _CLAUSE_START.match(line):
        # "as given in / 26.4.2 of the standard" goes on; a clause begins with a capital or after a full stop.
        return _is_complete(before) or line[clause.end() : clause.end() + 1].isupper()
    if _DIVISION_START.match(line):
        return _is_complete(before)
    # The author made this line break where the next word had room on the line before.
    needed = len(before) + len(line.split(None, 1)[0])
    return line[0].isupper() and needed + _WRAP_SLACK < 0.85 * len(line)


def _is_complete(line: str) -> bool:
    return not line or line[-1] in ".!?:;\u2026\u3002"


def _is_heading(line: str, *, before: str, after: str) -> bool:
    """A short line without a full stop that reads like a title and is not the middle of a sentence."""
    if not line or len(line) > _MAX_HEADING_LENGTH or line[-1] in ".,;:?!-":
        return False
    if after and after[0].islower() and not _BULLET.match(after) and not _CLAUSE_START.match(after):
        return False
    if line.isupper() and len(line) > 3:
        return not before.isupper() and not after.isupper()
    words = line.split()
    if _CLAUSE_START.match(line):
        return len(words) <= 8
    long_words = [word for word in words if len(word) > 3]
    is_title = len(words) <= 8 and all(word[0].isupper() for word in [words[0], *long_words])
    return is_title and bool(long_words) and _is_complete(before)


def _split_sentences(text: str, start: int, end: int) -> Iterator[TextSpan]:
    for stop in _SENTENCE_STOP.finditer(text, start, end):
        if _ends_sentence(text, start, stop, end):
            yield start, stop.end()
            space = _WHITE_SPACE.match(text, stop.end(), end)
            start = space.end() if space else stop.end()
    if start < end:
        yield start, end


def _ends_sentence(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    """Whether this stop ends the sentence that began at `start`."""
    following = _NEXT_WORD.match(text, stop.end(), end)
    after = following[1] if following else ""
    if after[:1].islower():
        return False
    if text[stop.start()] != ".":
        return True
    if stop.start() - start <= 24 and _NUMBERING.fullmatch(text, start, stop.start()):
        return False
    if _FIRST_OF_A_LIST.search(text[max(start, stop.start() - 8) : stop.start()]):
        return False
    return _ends_after_word(_word_before(text, start, stop.start()), after)


def _word_before(text: str, start: int, stop: int) -> str:
    """The last word before a full stop, without the brackets and quotes it began with."""
    words = text[max(start, stop - 24) : stop].split()
    return words[-1].lstrip("([\"'\u2018\u201c").rstrip(".") if words else ""


def _ends_after_word(word: str, after: str) -> bool:
    lowered = word.lower()
    if lowered in _NEVER_LAST:
        return False
    if lowered in _BEFORE_A_NUMBER and (after[:1].isdigit() or after[:1] == "(" or len(after) == 1):
        return False
    if lowered in _LAST_BEFORE_AN_OPENER or _INITIALS.fullmatch(word):
        return after.lower() in _OPENING_WORDS
    return True
