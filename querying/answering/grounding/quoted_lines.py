"""A list that is quoted line by line, whole or in part: its place on the page, word for word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from language.cache_sizes import CACHED_SENTENCES
from language.lists import ListItem, TextList, find_lists, without_bullet, without_mark
from language.word_runs import run_starts
from querying.answering.grounding.quotations import normalize_quote
from querying.sanitize import sanitize

Span = tuple[int, int]

_STOPS = " .,;:!?"
_LEADING_IN = (":", "：")


def quoted_lines_span(claim: str, sentences: Sequence[Span], text: str) -> Span | None:
    """From where to where the text has the lines of the claim: whole sentences in their order with nothing left out,
    but for bullets, the breaks of lines and the stop at the end. None where it does not.

    A claim of several lines may also begin, or end, where a line does and the next one begins with a capital: pages
    without blank lines run a heading and a list together with the prose beside them. Each line is read once."""
    *wanted, last = _bare(" ".join(map(without_bullet, claim.splitlines()))).rstrip(_STOPS).split(" ")
    if not last:
        return None
    page = _read_page(list(_split_lines(sentences, text)) if "\n" in claim else sentences, text)
    for start in run_starts(wanted, page.words):
        end = start + len(wanted)
        if start not in page.begins or not page.words[end : end + 1]:
            continue
        first = page.pieces[page.begins[start]]
        is_said = page.words[end].rstrip(_STOPS) == last and _is_edge(text, first)
        if is_said and (close := _closing_piece(page, end, text)):
            return first[0], close[1]
    return None


def listed_item_spans(claim: str, sentences: Sequence[Span], text: str) -> list[Span]:
    """Where the claim is the line that leads in to a list and items of this list, others left out: that line and each
    sentence of the items that is quoted. Empty where it is not, also where an item that leads in to others stands
    between them."""
    said = _said_words(claim)
    return next((spans for one in find_lists(text) if (spans := _spans_of_list(said, one, sentences, text))), [])


def _spans_of_list(said: Sequence[str], found: TextList, sentences: Sequence[Span], text: str) -> list[Span]:
    lead_in = found.before[-1] if found.before else None
    if lead_in is None or not text[slice(*lead_in)].endswith(_LEADING_IN):
        return []
    head = _said_words(text[slice(*lead_in)])
    spans, at = [lead_in], len(head)
    if list(said[:at]) != head:
        return []
    for item in takewhile(lambda one: not _leads_in(one, sentences, text), found.items):
        # Its further sentences may say the contrary of what leads in to it, so they are quoted with the first alone.
        for start, end in (one for one in sentences if item.start <= one[0] < item.end):
            words = _said_words(without_mark(text[start:end]))
            if not words or list(said[at : at + len(words)]) != words:
                break
            spans.append((start, end))
            at += len(words)
    return spans if at == len(said) and len(spans) > 1 else []


def _leads_in(item: ListItem, sentences: Sequence[Span], text: str) -> bool:
    return any(item.start <= start < item.end and text[start:end].endswith(_LEADING_IN) for start, end in sentences)


def _said_words(text: str) -> list[str]:
    """The words without the stops behind them."""
    bare = _bare(" ".join(map(without_bullet, text.splitlines())))
    return [word for one in bare.split(" ") if (word := one.rstrip(_STOPS))]


@dataclass(frozen=True, kw_only=True)
class _PageWords:
    """The words of a text without its bullets; which piece begins with which word, and ends with which."""

    pieces: Sequence[Span]
    words: list[str]
    begins: dict[int, int]
    ends: dict[int, int]


def _read_page(pieces: Sequence[Span], text: str) -> _PageWords:
    page = _PageWords(pieces=pieces, words=[], begins={}, ends={})
    for number, (start, end) in enumerate(pieces):
        if said := _bare(without_bullet(text[start:end])):
            page.begins[len(page.words)] = number
            page.words.extend(said.split(" "))
            page.ends[len(page.words) - 1] = number
    return page


def _closing_piece(page: _PageWords, last: int, text: str) -> Span | None:
    """The first piece from this word on that ends what was said: only stops come before its end, and what follows
    begins something new."""
    for at in range(last, len(page.words)):
        if at > last and page.words[at].strip(_STOPS):
            return None
        piece = page.ends.get(at)
        if piece is not None and (piece + 1 == len(page.pieces) or _is_edge(text, page.pieces[piece + 1])):
            return page.pieces[piece]
    return None


def _split_lines(sentences: Sequence[Span], text: str) -> Iterator[Span]:
    for start, end in sentences:
        at = start
        for line in text[start:end].splitlines(keepends=True):
            if stripped := line.strip():
                begin = at + line.index(stripped)
                yield begin, begin + len(stripped)
            at += len(line)


def _is_edge(text: str, piece: Span) -> bool:
    """Whether the piece goes on from nothing: it has no small letter first."""
    return not text[piece[0]].islower()


@lru_cache(maxsize=CACHED_SENTENCES)
def _bare(text: str) -> str:
    return " ".join(normalize_quote(sanitize(text)).split()).casefold()
