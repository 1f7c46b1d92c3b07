"""Rows of Markdown tables with the header row that names their cells; rows of other tables name their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.readers.tables import CELL_SEPARATOR, is_separator_row
from knowledge.search.passages import content_spans
from language.cache_sizes import CACHED_PASSAGES

Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class TableLayout:
    """`headers` has the header row of each row below one; `labels` are the header rows and the lines under them, which
    answer nothing by themselves."""

    headers: dict[Span, Span]
    labels: frozenset[Span]

    def row_text(self, content: str, span: Span) -> str:
        """The row with each cell after its header; any other text as it stands."""
        row, header = content[slice(*span)], self.headers.get(span)
        if header is None:
            return row
        names, cells = row_cells(content[slice(*header)]), row_cells(row)
        if len(names) != len(cells):
            return row
        return CELL_SEPARATOR.join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True) if cell)


@lru_cache(maxsize=CACHED_PASSAGES)
def table_layout(content: str, source_type: str) -> TableLayout:
    """What the sentences of a passage are in its Markdown tables. Remembered, for an answer asks several times."""
    return read_layout(content, content_spans(content, source_type))


def read_layout(content: str, spans: Sequence[Span]) -> TableLayout:
    """What the sentences of a passage are in its Markdown tables; `spans` are all of them, in order."""
    headers: dict[Span, Span] = {}
    labels: set[Span] = set()
    header: Span | None = None
    for before, span in zip([None, *spans], spans, strict=False):
        text = content[slice(*span)]
        if not text.startswith("|"):
            header = None
        elif before and is_separator_row(text) and content.startswith("|", before[0]):
            header = before
            labels |= {before, span}
            headers.pop(before, None)
        elif header:
            headers[span] = header
    return TableLayout(headers=headers, labels=frozenset(labels))


def empty_heads(row: str, header: str) -> list[str]:
    """The heads of the columns that this row has nothing in."""
    names, cells = row_cells(header), row_cells(row)
    return [name for name, cell in zip(names, cells, strict=False) if name and not cell]


def row_cells(row: str) -> list[str]:
    """What the cells of a row say, empty ones included."""
    return [" ".join(cell.split()) for cell in row.strip().strip("|").split("|")]
