"""The table that a row stands in: its header row, where the passage shows it."""

from __future__ import annotations

from querying.llms.extractive import rows
from querying.llms.extractive.neighbours import Neighbours
from querying.types import Sentence

# A table is read upwards so far.
_MOST_ROWS = 60


def header_of(row: Sentence, neighbours: Neighbours) -> Sentence | None:
    """The header row above a row that does not name its cells itself. None where there is none."""
    if not rows.is_row(row.text) or rows.has_headers(row.text):
        return None
    below, first = row, row
    for steps, above in enumerate(neighbours.backwards(row)):
        if steps >= _MOST_ROWS or not (rows.is_row(above.text) or rows.is_rule(above.text)):
            break
        below, first = first, above
    return first if first is not row and rows.is_rule(below.text) else None


def is_header(sentence: Sentence, neighbours: Neighbours) -> bool:
    """It names the columns of the rows below, and says nothing itself."""
    below = neighbours.after(sentence)
    if not rows.is_row(sentence.text) or rows.has_headers(sentence.text) or below is None:
        return False
    return rows.is_rule(below.text) or (rows.is_row(below.text) and rows.has_headers(below.text))
