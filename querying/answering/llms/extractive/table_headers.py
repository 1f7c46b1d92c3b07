"""The table that a row stands in: its header row, where the passage shows it."""

from __future__ import annotations

from knowledge.readers.tables import is_separator_row
from querying.answering.llms.extractive import table_rows
from querying.answering.llms.extractive.neighbours import Neighbours
from querying.retrieval.passage_tables import is_row
from querying.types.evidence import Sentence

# A table is read upwards so far.
_MAX_ROWS = 60


def find_header(row: Sentence, neighbours: Neighbours) -> Sentence | None:
    """The header row above a row that does not name its cells itself. None where there is none."""
    if not is_row(row.text) or table_rows.has_headers(row.text):
        return None
    below, first = row, row
    for steps, above in enumerate(neighbours.preceding(row)):
        if steps >= _MAX_ROWS or not (is_row(above.text) or is_separator_row(above.text)):
            break
        below, first = first, above
    return first if first is not row and is_separator_row(below.text) else None


def is_header_row(sentence: Sentence, neighbours: Neighbours) -> bool:
    """It names the columns of the rows below, and says nothing itself."""
    below = neighbours.after(sentence)
    if not is_row(sentence.text) or table_rows.has_headers(sentence.text) or below is None:
        return False
    return is_separator_row(below.text) or (is_row(below.text) and table_rows.has_headers(below.text))
