"""How a quotation reads in the answer: in one line, without bullets, rows of tables in words, its source at the end."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.search import Passage
from querying.llms.extractive import rows
from querying.llms.extractive.statements import BULLET, is_statement
from querying.plain import plain
from querying.types import Evidence, Sentence
from querying.verify.spans import best_span, in_one_line

# What another wording must share with its passage, as verification will ask.
_SUPPORT = 0.6
_LONGEST_LIST = 1500
# Items that are quoted one by one, where the list as a whole is too long.
_MOST_APART = 3
_STOPS = ".,;: "


class Quotation:
    """A sentence; a line with the list items that it leads in to; or a table's row with its header row."""

    def __init__(self, first: Sentence, *items: Sentence, header: Sentence | None = None) -> None:
        self.first, self.items, self.header = first, items, header

    @property
    def source(self) -> int:
        return self.first.source

    @property
    def start(self) -> int:
        return self.first.start

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        return (self.first, *self.items)

    @property
    def places(self) -> set[tuple[int, int]]:
        return {(sentence.source, sentence.start) for sentence in self.sentences}


def pieces_of(quotation: Quotation, evidence: Evidence) -> list[str]:
    """The quotation as sentences that each name their source and will stand verification."""
    passage = evidence.passages[quotation.source]
    if quotation.header:
        pieces = _row_with_headers(quotation.first, quotation.header, passage)
        return [_cited(piece, quotation.source) for piece in pieces]
    if quotation.items and (listed := _in_one_line(quotation, passage)):
        return [_cited(listed, quotation.source)]
    few = quotation.sentences[: 1 + _MOST_APART]
    return [_cited(_worded(sentence, passage), quotation.source) for sentence in few]


def _in_one_line(quotation: Quotation, passage: Passage) -> str:
    """ "Not covered are: a; b; c", or as it stands on the page; nothing where neither would stand."""
    first, last = quotation.first, quotation.items[-1]
    entries = [_bare(item.text).rstrip(_STOPS) for item in quotation.items]
    worded = f"{_bare(first.text)} {'; '.join(entries)}"
    for text in (worded, in_one_line(passage.content[first.start : last.end])):
        if len(text) <= _LONGEST_LIST and _stands(text, quotation.sentences, passage):
            return text
    return ""


def _row_with_headers(row: Sentence, header: Sentence, passage: Passage) -> list[str]:
    """The row with its headers in one sentence, or the headers in a line that leads in to it."""
    whole = rows.readable(rows.with_headers(row.text, header.text))
    if _stands(whole, [row], passage):
        return [whole]
    headers = f"{rows.listed(header.text)}:"
    alone = _worded(row, passage)
    return [headers, alone] if _stands(headers, [header], passage) else [alone]


def _worded(sentence: Sentence, passage: Passage) -> str:
    """The best wording that will stand: that of the page always does."""
    literal = " ".join(sentence.text.split())
    bare = [_without_heading(_bare(literal), passage), _bare(literal)]
    wordings = rows.wordings(literal) if rows.is_row(literal) else bare
    standing = (text for text in wordings if text == literal or _stands(text, [sentence], passage))
    return next(standing, literal)


def _without_heading(text: str, passage: Passage) -> str:
    """A heading that the page runs together with its first sentence is no part of it."""
    for heading in passage.section_path:
        rest = text[len(heading) :].lstrip(" :–—-")
        if heading and text.casefold().startswith(heading.casefold()) and rest[:1].isupper() and is_statement(rest):
            text = rest
    return text


def _stands(claim: str, sentences: Sequence[Sentence], passage: Passage) -> bool:
    """Whether verification will find the claim, and find it here."""
    span = best_span(plain(claim), passage, least=_SUPPORT)
    return span is not None and any(span.start < one.end and one.start < span.end for one in sentences)


def _bare(text: str) -> str:
    mark = BULLET.match(text)
    return " ".join(text[mark.end() if mark else 0 :].split())


def _cited(text: str, source: int) -> str:
    body, stop = (text[:-1], text[-1]) if text[-1:] in (".", "!", "?", ":") else (text.rstrip(",;"), ".")
    return f"{body} [Source {source + 1}]{stop}"
