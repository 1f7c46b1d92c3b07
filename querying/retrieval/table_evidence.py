"""Rows of tables as evidence: each stands for the cell of it that the question asks for, read by itself.

In a row all columns of a table are said, so whatever column is asked for, every row matches it; and what the model
reads of a row of figures is mostly other figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from knowledge.embedders.local import LocalEmbedder
from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.search.passages import Passage
from querying.retrieval.asked_column import AskedCells, Grid, find_asked_cells
from querying.retrieval.asked_values import ValueRows, rows_asked_by_value
from querying.retrieval.late_interaction import QuestionWords
from querying.retrieval.passage_tables import NO_PAGES, Table, read_tables, stems_of
from querying.retrieval.table_cells import COLUMN_PENALTY, ROW_PENALTY, CellMatch, best_cells, caption_stems
from querying.retrieval.token_states import token_states
from querying.types.evidence import Evidence, Sentence, TableCell, best_first

Place = tuple[int, int, int]

# How many cells the model reads, a line each; the words alone choose them.
MAX_READ_CELLS = 12
# So much off the match: for a row of which nothing is asked for, and for years that others have.
_UNNAMED_ROW_PENALTY = 0.15
_UNSAID_YEAR_PENALTY, _OTHER_YEAR_PENALTY = 0.2, 0.3
# A cell's words match more than a sentence's, for its caption is one of them: the strength is the match less this.
_STRENGTH_OFFSET = 0.2
_SCORE_BONUS = 0.05
# A longer line above a table says something by itself.
_MAX_CAPTION_LINE = 120
_BEHIND_ROW = 0.001
# How far a cell must be ahead of the others of its row to be quoted alone.
_MIN_LEAD = 0.02


@dataclass(frozen=True, kw_only=True)
class _ReadCell:
    """A cell that the model read: how well it matches, less what speaks against it."""

    match: CellMatch
    fit: float
    weakest: float

    @property
    def place(self) -> Place:
        return (self.match.row.source, *self.match.row.span)

    @property
    def strength(self) -> float:
        """That of evidence whose best row is this cell's."""
        return min(1.0, max(0.0, self.fit - _STRENGTH_OFFSET))


@dataclass(frozen=True, kw_only=True)
class AskedTable:
    """A table as it is asked, and the rows of it that a question asks for by what their cells say."""

    table: Table
    grid: Grid
    value_rows: ValueRows


def read_asked_tables(
    question: str, passages: Sequence[Passage], pages: Mapping[int, str] = NO_PAGES
) -> list[AskedTable]:
    """The tables of these passages. `pages` has texts of pages by their ids."""
    found = [(table, _grid_of(table)) for table in read_tables(passages, pages)]
    return [AskedTable(table=table, grid=grid, value_rows=rows_asked_by_value(question, grid)) for table, grid in found]


def judge_rows(
    evidence: Evidence,
    *,
    question: str,
    words: QuestionWords,
    weights: Mapping[str, float],
    embedder: LocalEmbedder,
    tables: Sequence[AskedTable],
) -> Evidence:
    """The evidence with rows of its tables scored by their cells, rows that were not scored included. Where a row is
    best, the evidence is as strong as that."""
    if any(one.ranges.included for one in evidence.sentences if CELL_SEPARATOR in one.text):
        return evidence  # a row with a range is found by it
    if not tables:
        return evidence
    asked_cells = _asked_cells(question, tables, known=partial(stems_of, evidence.passages))
    matches = best_cells(
        question,
        weights,
        [one.table for one in tables],
        most=MAX_READ_CELLS,
        asked_cells=asked_cells,
        value_rows=[one.value_rows for one in tables],
    )
    if not matches:
        return evidence
    rows: dict[Place, list[_ReadCell]] = {}
    for one in sorted(_read_cells(matches, words, embedder), key=lambda one: -one.fit):
        rows.setdefault(one.place, []).append(one)
    known = {(one.source, one.start, one.end): one for one in evidence.sentences}
    judged = {place: _row_sentence(evidence, known.get(place), cells) for place, cells in rows.items()}
    least = min(one.score for one in judged.values())
    captions = {cells[0].match.table.caption: judged[place].score for place, cells in reversed(rows.items())}
    others = (
        replace(one, score=max(0.0, min(one.score, _most(one, captions, least))))
        for place, one in known.items()
        if place not in judged
    )
    sentences = best_first([*judged.values(), *others])
    best = rows.get((sentences[0].source, sentences[0].start, sentences[0].end))
    strength = best[0].strength if best else evidence.strength
    return replace(evidence, sentences=sentences, strength=strength)


def _asked_cells(
    question: str, tables: Sequence[AskedTable], *, known: Callable[[], frozenset[str]]
) -> list[AskedCells | None]:
    """For each table the cells that are asked for in other words; those of the best passages are looked at first."""
    order = sorted(range(len(tables)), key=lambda at: min(row.source for row in tables[at].table.rows))
    asked = find_asked_cells(question, [tables[at].grid for at in order], known=known)
    found = dict(zip(order, asked, strict=True))
    return [found[at] for at in range(len(tables))]


def _grid_of(table: Table) -> Grid:
    """The table as it is asked."""
    return Grid(
        labels=[row.label for row in table.rows],
        heads=table.heads,
        cells=[[cell.value for cell in row.cells] for row in table.rows],
        caption=caption_stems(table),
    )


def _most(sentence: Sentence, captions: Mapping[str, float], of_rows: float) -> float:
    """The highest score that a sentence beside the judged rows may have. Another row scores no more than they do,
    unless it was matched with the header row above it, as those of Markdown tables are: these are not judged. A line of
    a caption scores less than the best row under it, because the row is read with its caption."""
    if CELL_SEPARATOR in sentence.text:
        return 1.0 if sentence.header else of_rows
    text = " ".join(sentence.text.split())
    below = [score for caption, score in captions.items() if len(text) <= _MAX_CAPTION_LINE and text in caption]
    return max(below) - _BEHIND_ROW if below else 1.0


def _read_cells(matches: Sequence[CellMatch], words: QuestionWords, embedder: LocalEmbedder) -> list[_ReadCell]:
    read = token_states(embedder, [match.wording for match in matches])
    found = []
    for match, (states, _) in zip(matches, read, strict=True):
        fit, weakest = words.match_cell(words.states @ states.T, covered=match.covered, unsaid=match.unsaid_years)
        fit -= ROW_PENALTY * match.row_extra + COLUMN_PENALTY * match.column_extra
        fit -= _UNNAMED_ROW_PENALTY * (match.row_extra == 1)
        if match.unsaid_years:
            fit -= _OTHER_YEAR_PENALTY if match.has_other_year else _UNSAID_YEAR_PENALTY
        found.append(_ReadCell(match=match, fit=fit, weakest=weakest))
    return found


def _row_sentence(evidence: Evidence, known: Sentence | None, cells: Sequence[_ReadCell]) -> Sentence:
    """The row as evidence; `cells` are those of it that were read, best first."""
    best = cells[0]
    source, start, end = best.place
    passage = evidence.passages[source]
    text = passage.content[start:end]
    sentence = known or Sentence(source=source, start=start, end=end, text=text, score=0.0, strength=best.strength)
    # A cell that was not read may be the better one.
    are_all_read = best.match.tied <= len(cells)
    is_ahead = are_all_read and (len(cells) == 1 or best.fit - cells[1].fit >= _MIN_LEAD)
    cell = best.match.cell
    is_named = bool(cell.header) and is_ahead
    return replace(
        sentence,
        score=max(0.0, 0.6 * best.fit + 0.4 * passage.score + _SCORE_BONUS),
        weakest=best.weakest,
        cell=TableCell(head=cell.header if is_named else "", value=cell.value, wording=best.match.wording),
        asked_words=best.match.asked_words,
        is_cell_empty=best.match.is_empty,
    )
