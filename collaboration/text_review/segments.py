"""A text in segments: its paragraphs, list items and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from collaboration.text_review.review_types import MAX_SEGMENTS, Segment
from language.sentences import sentences_by_block

Span = tuple[int, int]
# A longer paragraph is several segments, cut between sentences.
_MAX_SEGMENT_CHARACTERS = 1000
_MAX_HEADING_CHARACTERS = 120
_HEADING_MARK = re.compile(r"\s{0,3}#{1,6}\s+")


def split_text(text: str) -> list[Segment]:
    """The segments of a text, at most `MAX_SEGMENTS`: of a long text with many short parts several together are one."""
    spans = _merge_neighbours(list(_spans(text)), least=-(-len(text) // MAX_SEGMENTS))
    made: list[Segment] = []
    heading = ""
    for index, (start, end) in enumerate(spans):
        words = text[start:end]
        segment = Segment(index=index, start=start, end=end, text=words, heading=heading)
        if _is_heading(words):
            heading = " ".join(_HEADING_MARK.sub("", words).split())
            segment = replace(segment, heading="", is_heading=True)
        made.append(segment)
    return made


def line_of(text: str, place: int) -> int:
    """The line of this place, counted from 1."""
    return text.count("\n", 0, place) + 1


def _spans(text: str) -> Iterator[Span]:
    for block in sentences_by_block(text):
        start, end = block[0]
        for sentence in block[1:]:
            if sentence[1] - start > _MAX_SEGMENT_CHARACTERS:
                yield start, end
                start = sentence[0]
            end = sentence[1]
        yield start, end


def _merge_neighbours(spans: list[Span], *, least: int) -> list[Span]:
    """Neighbours together until each has so many characters; all as they are where these are few."""
    if len(spans) <= MAX_SEGMENTS:
        return spans
    joined: list[Span] = []
    for start, end in spans:
        if joined and joined[-1][1] - joined[-1][0] < least:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _is_heading(words: str) -> bool:
    """One short line that ends no sentence, or is marked as one."""
    if _HEADING_MARK.match(words):
        return "\n" not in words.strip()
    return "\n" not in words and len(words) <= _MAX_HEADING_CHARACTERS and words.rstrip()[-1:] not in ".!?:;,|"
