"""All tables of a page, row by row: typed ones, those with lines, those of words in columns, those of figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from knowledge.readers.pdf.ascii_tables import inline_typed_tables
from knowledge.readers.pdf.borderless_tables import find_aligned_grids
from knowledge.readers.pdf.filled_tables import CellGrid, PlacedTable, has_merged_rows, inline_tables
from knowledge.readers.pdf.framed_tables import find_framed_tables
from knowledge.readers.pdf.headed_tables import find_headed_tables
from knowledge.readers.pdf.numeric_tables import inline_numeric_tables
from knowledge.readers.pdf.page_layout import PageLayout
from knowledge.readers.pdf.rotated_pages import direction_of, turned_back, turned_rules, turned_upright
from knowledge.readers.pdf.ruling_lines import Rule
from knowledge.readers.pdf.table_head import TableHead
from knowledge.readers.pdf.word_lines import free_lines


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
    direction = direction_of(page)
    upright_rules = turned_rules(rules, direction)
    framed = _framed(page, turned_upright(page, direction), upright_rules)
    framed = [table for table in framed if not any(has_merged_rows(grid, table) for grid in ruled)]
    shown, head = inline_tables(page, ruled, placed=framed, before=before)
    page, last = _inline_upright(turned_upright(shown, direction), upright_rules, before)
    return turned_back(page, shown) if direction else page, last or head


def _inline_upright(
    page: PageLayout, rules: Sequence[Rule], before: TableHead | None
) -> tuple[PageLayout, TableHead | None]:
    """With the tables that are found by the places of words."""
    lines = free_lines(page)
    found, first = inline_tables(page, find_aligned_grids(page, lines, before=before), before=before)
    found, second = inline_numeric_tables(found, before=before)
    lines = lines if found is page else free_lines(found)
    headed = find_headed_tables(found, lines, rules, before=before)
    found, third = inline_tables(found, (), placed=headed, before=before)
    return found, third or second or first


def _framed(page: PageLayout, upright: PageLayout, rules: Sequence[Rule]) -> list[PlacedTable]:
    """Tables whose columns alone have lines, with the words as they stand on the page."""
    tables = find_framed_tables(upright, rules)
    if not tables or page is upright:
        return tables
    words = {word.character: word for word in page.words}
    return [
        replace(
            table,
            rows=[[[words[word.character] for word in cell] for cell in row] for row in table.rows],
            labels=[[words[word.character] for word in label] for label in table.labels],
        )
        for table in tables
    ]
