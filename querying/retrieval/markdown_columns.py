"""Rows of Markdown tables whose columns a question asks for in other words than their heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.search.passages import Passage
from language.cache_sizes import CACHED_PASSAGES
from language.terms import terms
from querying.retrieval.asked_column import AskedCells, Grid, find_asked_cells
from querying.retrieval.late_interaction import NO_WORDS
from querying.retrieval.markdown_tables import Span, row_cells, table_layout
from querying.retrieval.sentence_windows import title_prefix


@dataclass(frozen=True, kw_only=True)
class AskedRow:
    """The words that ask for a cell of a row in other words than its head, and how well the cell matches them; whether
    it is empty."""

    words: Mapping[str, float]
    is_empty: bool

    @property
    def covered(self) -> Mapping[str, float]:
        """The words, which an empty cell does not match."""
        return NO_WORDS if self.is_empty else self.words


AskedRows = Mapping[Span, AskedRow]


def asked_words_by_row(
    question: str, passages: Sequence[Passage], *, known: Callable[[], frozenset[str]]
) -> list[AskedRows]:
    """For each passage the rows that the question names, with the words that ask for a cell of them; `known` gives the
    stems of all that was found. The best passages come first. Raises `EmbedderError`."""
    tables = [(at, table) for at, one in enumerate(passages) for table in markdown_tables_of(one)]
    found: list[dict[Span, AskedRow]] = [{} for _ in passages]
    grids = [table.grid(title_prefix(passages[at])) for at, table in tables]
    for (at, table), asked in zip(tables, find_asked_cells(question, grids, known=known), strict=True):
        if asked:
            found[at] |= table.asked_rows(asked)
    return list(found)


@dataclass(frozen=True, kw_only=True)
class MarkdownTable:
    """The heads of a table, its header row, and its rows with as many cells."""

    heads: Sequence[str]
    header: str
    rows: Sequence[tuple[Span, list[str]]]

    def grid(self, title: str) -> Grid:
        """The table as it is asked below this title."""
        name, *columns = self.heads
        return Grid(
            labels=[f"{name} {cells[0]}" for _, cells in self.rows],
            heads=columns,
            cells=[cells[1:] for _, cells in self.rows],
            caption=frozenset(terms(title)),
        )

    def asked_rows(self, asked: AskedCells) -> dict[Span, AskedRow]:
        """The rows that the question names, by where they stand."""
        best = asked.best_column
        return {
            span: AskedRow(words=words, is_empty=not cells[best + 1])
            for at, (span, cells) in enumerate(self.rows)
            if (words := asked.words_for(at, best)) is not None
        }


def markdown_tables_of(passage: Passage) -> tuple[MarkdownTable, ...]:
    """The tables of the passage whose header rows it shows."""
    return _read_tables(passage.content, passage.source_type)


@lru_cache(maxsize=CACHED_PASSAGES)
def _read_tables(content: str, source_type: str) -> tuple[MarkdownTable, ...]:
    tables: dict[Span, list[Span]] = {}
    for span, header in table_layout(content, source_type).headers.items():
        tables.setdefault(header, []).append(span)
    return tuple(_read_table(content, header, spans) for header, spans in tables.items())


def _read_table(content: str, header: Span, spans: Sequence[Span]) -> MarkdownTable:
    text = content[slice(*header)]
    heads = row_cells(text)
    rows = [(span, row_cells(content[slice(*span)])) for span in spans]
    return MarkdownTable(heads=heads, header=text, rows=[one for one in rows if len(one[1]) == len(heads)])
