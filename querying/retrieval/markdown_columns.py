"""Rows of Markdown tables whose columns a question asks for in other words than their heads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from language.terms import terms
from querying.retrieval.asked_column import AskedCells, Grid, find_asked_cells
from querying.retrieval.late_interaction import NO_WORDS
from querying.retrieval.markdown_tables import Span, TableLayout, row_cells


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


@dataclass(frozen=True)
class TitledText:
    """A passage with the layout of its tables, and the title that stands above it."""

    content: str
    layout: TableLayout
    title: str


def asked_words_by_row(
    question: str, texts: Sequence[TitledText], *, known: Callable[[], frozenset[str]]
) -> list[AskedRows]:
    """For each text the rows that the question names, with the words that ask for a cell of them; `known` gives the
    stems of all that was found. The best texts come first. Raises `EmbedderError`."""
    tables = [(at, table) for at, text in enumerate(texts) for table in read_markdown_tables(text)]
    found: list[dict[Span, AskedRow]] = [{} for _ in texts]
    asked_cells = find_asked_cells(question, [table.grid() for _, table in tables], known=known)
    for (at, table), asked in zip(tables, asked_cells, strict=True):
        if asked:
            found[at] |= table.asked_rows(asked)
    return list(found)


@dataclass(frozen=True, kw_only=True)
class MarkdownTable:
    """The heads of a table, and its rows with as many cells."""

    heads: Sequence[str]
    rows: Sequence[tuple[Span, list[str]]]
    title: str

    def grid(self) -> Grid:
        """The table as it is asked."""
        name, *columns = self.heads
        return Grid(
            labels=[f"{name} {cells[0]}" for _, cells in self.rows],
            heads=columns,
            cells=[cells[1:] for _, cells in self.rows],
            caption=frozenset(terms(self.title)),
        )

    def asked_rows(self, asked: AskedCells) -> dict[Span, AskedRow]:
        """The rows that the question names, by where they stand."""
        best = asked.best_column
        return {
            span: AskedRow(words=words, is_empty=not cells[best + 1])
            for at, (span, cells) in enumerate(self.rows)
            if (words := asked.words_for(at, best)) is not None
        }


def read_markdown_tables(text: TitledText) -> Iterator[MarkdownTable]:
    """The tables of the text whose header rows it shows."""
    tables: dict[Span, list[Span]] = {}
    for span, header in text.layout.headers.items():
        tables.setdefault(header, []).append(span)
    for header, spans in tables.items():
        heads = row_cells(text.content[slice(*header)])
        rows = [(span, row_cells(text.content[slice(*span)])) for span in spans]
        same = [(span, cells) for span, cells in rows if len(cells) == len(heads)]
        yield MarkdownTable(heads=heads, rows=same, title=text.title)
