"""Rows of Markdown tables whose columns a question asks for in other words than their heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from language.terms import terms
from querying.retrieval.asked_column import Grid, find_asked_cells
from querying.retrieval.markdown_tables import Span, TableLayout, row_cells


def asked_words_by_row(
    question: str, content: str, layout: TableLayout, *, title: str, known: frozenset[str]
) -> dict[Span, Mapping[str, float]]:
    """For each row of a passage that has a cell which the question asks for, the words that ask for it and how well the
    cell's column matches them; `known` are the stems of all passages. Raises `EmbedderError`."""
    tables: dict[Span, list[Span]] = {}
    for span, header in layout.headers.items():
        tables.setdefault(header, []).append(span)
    found: dict[Span, Mapping[str, float]] = {}
    for header, spans in tables.items():
        heads = row_cells(content[slice(*header)])
        rows = [(span, cells) for span in spans if len(cells := row_cells(content[slice(*span)])) == len(heads)]
        found |= _asked_rows(question, heads, rows, caption=frozenset(terms(title)), known=known)
    return found


def _asked_rows(
    question: str,
    heads: Sequence[str],
    rows: Sequence[tuple[Span, list[str]]],
    *,
    caption: frozenset[str],
    known: frozenset[str],
) -> dict[Span, Mapping[str, float]]:
    name, *columns = heads
    grid = Grid(
        labels=[f"{name} {cells[0]}" for _, cells in rows],
        heads=columns,
        cells=[cells[1:] for _, cells in rows],
        caption=caption,
        known=known,
    )
    asked = find_asked_cells(question, grid)
    if asked is None:
        return {}
    best = max(asked.columns, key=lambda column: asked.columns[column])
    return {rows[at][0]: words for at in asked.rows if rows[at][1][best + 1] and (words := asked.words_for(at, best))}
