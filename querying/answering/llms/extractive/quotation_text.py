"""How a quotation reads in the answer: in one line, without bullets, rows of tables in words, its source at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from knowledge.search.passages import Passage
from language.sentences import WIDE_STOPS
from querying.answering.grounding.supporting_spans import SupportingSpan, as_one_line, best_span, item_spans
from querying.answering.llms.extractive import table_rows
from querying.answering.llms.extractive.statements import (
    BULLET,
    is_list_item,
    is_statement,
    leads_in,
    without_reply_label,
)
from querying.retrieval.passage_tables import is_row
from querying.sanitize import sanitize
from querying.types.evidence import Evidence, Sentence

# What another wording must share with its passage, as verification will ask.
_MIN_SUPPORT = 0.6
_WIDE_STOPS = frozenset(WIDE_STOPS)
_MAX_LIST_CHARACTERS = 1500
# Items that are quoted one by one, where the list as a whole is too long.
_MAX_SEPARATE_ITEMS = 3
_TRAILING_PUNCTUATION = ".,;: "
# What ties a sentence to the one before, and says nothing where that one is not quoted.
_CONNECTIVE = re.compile(
    r"(?:However|Nevertheless|Nonetheless|Therefore|Thus|Hence|Consequently|Accordingly|As\s+a\s+result|Further(?:more)?"
    r"|Moreover|Additionally|In\s+addition|Also|Likewise|Similarly|Finally|Lastly|First(?:ly)?|Second(?:ly)?|Third(?:ly)?),"
    r"\s{1,8}(?=\w)"
)


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


def cited_pieces(quotation: Quotation, evidence: Evidence, *, question: str, goes_on: bool) -> list[str]:
    """The quotation as sentences that each name their source and will stand verification. `goes_on` says whether the
    sentence before it was quoted just before it."""
    passage = evidence.passages[quotation.source]
    if quotation.header:
        pieces = _row_with_headers(quotation.first, quotation.header, passage, question)
        return [with_source_mark(piece, quotation.source) for piece in pieces]
    if quotation.items and (listed := _list_in_one_line(quotation, passage)):
        return [with_source_mark(listed, quotation.source)]
    first, *others = _first_items(quotation)
    if others and (listed := _items_behind_lead_in([first, *others], passage)):
        return [with_source_mark(listed, quotation.source)]
    wordings = [_best_wording(first, passage, question, keeps_connective=goes_on)]
    wordings += [_best_wording(sentence, passage, question) for sentence in others]
    if quotation.items and first != quotation.first:
        under_heading = f"{_lead_in_text(quotation.first.text)} {wordings[0]}"
        if _passes_verification(under_heading, [first], passage):
            wordings[0] = under_heading
    return [with_source_mark(wording, quotation.source) for wording in wordings]


def _first_items(quotation: Quotation) -> list[Sentence]:
    """The line that leads in to the list and its first items, with the sentences that go on from them; the items alone
    under a heading, which says nothing by itself."""
    shown, items = [quotation.first], 0
    for item in quotation.items:
        items += is_list_item(item.text)
        if items <= _MAX_SEPARATE_ITEMS:
            shown.append(item)
    is_heading = len(shown) > 1 and not leads_in(quotation.first.text) and is_list_item(shown[1].text)
    return shown[1:] if is_heading else shown


def _list_in_one_line(quotation: Quotation, passage: Passage) -> str:
    """ "Not covered are: a; b; c", or as it stands on the page; nothing where neither would stand."""
    first, last = quotation.first, quotation.items[-1]
    lead_in, entries = _lead_in_text(first.text), _entries(quotation.items)
    worded = "; ".join(entry.rstrip(_TRAILING_PUNCTUATION) for entry in entries)
    texts = [f"{lead_in} {worded}", "\n".join([lead_in, *(f"- {entry}" for entry in entries)])]
    if _is_section_heading(first, passage):  # it says nothing by itself, and numbers say the order
        texts.append("\n".join(_entries(quotation.items, worded=as_one_line)))
    if not passage.content[first.end : quotation.items[0].start].strip():  # no item between them is left out
        texts.append(as_one_line(passage.content[first.start : last.end]))
    standing = (text for text in texts if len(text) <= _MAX_LIST_CHARACTERS)
    return next((text for text in standing if _passes_verification(text, quotation.sentences, passage)), "")


def _is_section_heading(sentence: Sentence, passage: Passage) -> bool:
    return sentence.text.strip("# \n").casefold() in {heading.casefold() for heading in passage.section_path}


def _items_behind_lead_in(shown: Sequence[Sentence], passage: Passage) -> str:
    """The line that leads in to the list and the items that are shown, in one sentence, where verification finds each
    of them below this line; nothing where it does not."""
    lead_in, *items = shown
    entries = [entry.rstrip(_TRAILING_PUNCTUATION) for entry in _entries(items)]
    text = f"{_lead_in_text(lead_in.text)} {'; '.join(entries)}"
    return text if item_spans(sanitize(text), passage) else ""


def _lead_in_text(text: str) -> str:
    """The line above a list as it leads in to it; a heading gets a colon."""
    bare = _without_bullet(text.lstrip("# "))
    return bare if bare.endswith((":", "?")) else f"{bare}:"


def _entries(items: Sequence[Sentence], *, worded: Callable[[str], str] | None = None) -> list[str]:
    """The items in these words, or without their bullets, each with the sentences that go on from it."""
    entries: list[str] = []
    for item in items:
        text = (worded or _without_bullet)(item.text)
        if entries and not is_list_item(item.text):
            entries[-1] = f"{entries[-1]} {text}"
        else:
            entries.append(text)
    return entries


def _row_with_headers(row: Sentence, header: Sentence, passage: Passage, question: str) -> list[str]:
    """The row with its headers in one sentence, or the headers in a line that leads in to it."""
    whole = table_rows.row_text(table_rows.with_headers(row.text, header.text))
    if _passes_verification(whole, [row], passage):
        return [whole]
    headers = f"{table_rows.cells_text(header.text)}:"
    alone = _best_wording(row, passage, question)
    return [headers, alone] if _passes_verification(headers, [header], passage) else [alone]


def _best_wording(sentence: Sentence, passage: Passage, question: str, *, keeps_connective: bool = True) -> str:
    """The best wording that will stand: that of the page does, without the lines that hold what is never shown, such as
    an image."""
    lines = [line for line in sentence.text.splitlines() if sanitize(line).strip() == line.strip()]
    literal = _without_lone_quote(" ".join(" ".join(lines or [sentence.text]).split()))
    said = without_reply_label(literal, above=passage.content[: sentence.start])
    bare = [_without_heading(_without_bullet(said), passage), _without_bullet(said)]
    if not keeps_connective:
        bare[:0] = map(_without_connective, bare)
    wordings = table_rows.row_wordings(literal, question, sentence.cell) if is_row(literal) else bare
    standing = (text for text in wordings if text == literal or _passes_verification(text, [sentence], passage))
    return next(standing, literal)


def _without_connective(text: str) -> str:
    """The text without a word that ties it to a sentence that is not quoted: "Therefore, …"."""
    found = _CONNECTIVE.match(text)
    rest = text[found.end() :] if found else ""
    return rest[:1].upper() + rest[1:] if rest and is_statement(rest) else text


def _without_heading(text: str, passage: Passage) -> str:
    """A heading that the page runs together with its first sentence is no part of it."""
    for heading in passage.section_path:
        rest = text[len(heading) :].lstrip(" :–—-")
        if heading and text.casefold().startswith(heading.casefold()) and rest[:1].isupper() and is_statement(rest):
            text = rest
    return text


def _without_lone_quote(text: str) -> str:
    """The text without a quotation mark whose other half is in another sentence."""
    for opening, closing in ('""', "“”"):
        is_even = text.count(opening) % 2 == 0 if opening == closing else text.count(opening) == text.count(closing)
        if not is_even and (text.startswith(opening) or text.endswith(closing)):
            text = text.removeprefix(opening) if text.startswith(opening) else text.removesuffix(closing)
    return text


def _passes_verification(claim: str, sentences: Sequence[Sentence], passage: Passage) -> bool:
    """Whether verification will find the claim, and find it here."""
    span = best_span(sanitize(claim), passage, least=_MIN_SUPPORT)
    return span is not None and any(_shares_text(one, span, passage) for one in sentences)


def _shares_text(sentence: Sentence, span: SupportingSpan, passage: Passage) -> bool:
    """Whether the sentence has text of the span; of a row of a table, whether it or a copy of it has."""
    if span.start < sentence.end and sentence.start < span.end:
        return True
    text = sentence.text.strip()
    return is_row(text) and 0 <= passage.content.find(text, max(0, span.start - len(text) + 1)) < span.end


def _without_bullet(text: str) -> str:
    mark = BULLET.match(text)
    return " ".join(text[mark.end() if mark else 0 :].split())


def with_source_mark(text: str, source: int) -> str:
    """The text with the mark of this source before its stop; behind it in scripts whose stops need no space."""
    if text[-1:] in _WIDE_STOPS:
        return f"{text} [Source {source + 1}]"
    body, stop = (text[:-1], text[-1]) if text[-1:] in (".", "!", "?", ":") else (text.rstrip(",;"), ".")
    return f"{body} [Source {source + 1}]{stop}"
