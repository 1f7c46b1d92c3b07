"""All tables of a page, row by row: typed ones, those with lines, those of words in columns, those of figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from knowledge.readers.pdf.aligned_tables import inline_aligned_tables
from knowledge.readers.pdf.ascii_tables import inline_typed_tables
from knowledge.readers.pdf.filled_tables import CellGrid, PlacedTable, inline_tables
from knowledge.readers.pdf.framed_tables import find_framed_tables
from knowledge.readers.pdf.headed_columns import find_headed_tables
from knowledge.readers.pdf.page_layout import PageLayout
from knowledge.readers.pdf.page_rules import Rule
from knowledge.readers.pdf.rotated_pages import turned_back, turned_rules, turned_upright
from knowledge.readers.pdf.table_head import TableHead
from knowledge.readers.pdf.word_columns import find_aligned_grids


def inline_all_tables(
    page: PageLayout,
    *,
    ruled: Sequence[CellGrid] = (),
    rules: Sequence[Rule] = (),
    before: TableHead | None = None,
) -> tuple[PageLayout, TableHead | None]:
    """The page with its tables as rows of named cells, and the heads of the one that may go on on the next page.

    `ruled` are the cells that lines surround, `rules` all lines, `before` the heads of a table at the end of the page
    before.
    """
    page = inline_typed_tables(page)
    shown, head = inline_tables(page, ruled, placed=_framed(page, rules), before=before)
    page, rules = turned_upright(shown), turned_rules(shown, rules)
    page, other = inline_tables(page, find_aligned_grids(page, before=before), before=before)
    page, last = inline_aligned_tables(page, before=before)
    page, headed = inline_tables(page, (), placed=find_headed_tables(page, rules, before=before), before=before)
    return turned_back(page, shown), headed or last or other or head


def _framed(page: PageLayout, rules: Sequence[Rule]) -> list[PlacedTable]:
    """Tables whose columns alone have lines, with the words as they stand on the page."""
    if not rules:
        return []
    words = {word.character: word for word in page.words}
    return [
        replace(
            table,
            rows=[[[words[word.character] for word in cell] for cell in row] for row in table.rows],
            labels=[[words[word.character] for word in label] for label in table.labels],
        )
        for table in find_framed_tables(turned_upright(page), turned_rules(page, rules))
    ]
