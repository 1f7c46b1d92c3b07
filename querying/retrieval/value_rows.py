"""Marks the rows that a question asks for by what their cells say, so that they are quoted together and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from knowledge.search.passages import Passage
from language.terms import terms
from language.topic_words import topic_stems
from querying.retrieval.asked_column import Grid
from querying.retrieval.asked_values import ValueRows, rows_asked_by_value
from querying.retrieval.markdown_columns import MarkdownTable, markdown_tables_of
from querying.retrieval.markdown_tables import row_cells
from querying.retrieval.passage_tables import has_table_rows, is_row, parse_cells, row_name
from querying.retrieval.sentence_windows import title_prefix
from querying.retrieval.table_evidence import AskedTable, Place
from querying.types.evidence import Evidence, Sentence, best_first

# A row that is asked for by a cell comes before another row of its table that is so little ahead of it, by this much.
_MAX_LAG, _LEAD = 0.1, 0.03
_BEHIND = 0.03


@dataclass(frozen=True, kw_only=True)
class _PlacedTable:
    """A table by its name, the place and the header row of each of its rows, and which of them the question asks
    for."""

    name: str
    rows: Sequence[tuple[Place, str]]
    asked: ValueRows


def prefer_asked_cells(evidence: Evidence, *, question: str) -> Evidence:
    """The evidence in which a row without the column that is asked for comes behind one of the same name that has it:
    a table of fees does not say where the course is."""
    best = {row_name(one.text): one for one in reversed(evidence.sentences) if _has_asked_cell(one)}
    if not best:
        return evidence
    asked = topic_stems(question)
    sentences = [
        _behind(one, best.get(row_name(one.text))) if is_row(one.text) and asked.isdisjoint(_head_stems(one)) else one
        for one in evidence.sentences
    ]
    first, *others = best_first(sentences)
    has_changed = first != evidence.sentences[0]
    strength = first.strength if has_changed else evidence.strength
    return replace(evidence, sentences=(first, *others), strength=strength)


def _behind(one: Sentence, other: Sentence | None) -> Sentence:
    if other is None or _has_asked_cell(one):
        return one
    return replace(one, score=min(one.score, max(0.0, other.score - _BEHIND)))


def _has_asked_cell(one: Sentence) -> bool:
    return one.asked_words is not None and not one.is_cell_empty


def _head_stems(one: Sentence) -> frozenset[str]:
    """The stems of the heads of a row's cells, without that of its name."""
    heads = row_cells(one.header)[1:] if one.header else [cell.header for cell in parse_cells(one.text)[1:]]
    return frozenset(terms(" ".join(heads)))


def with_value_rows(evidence: Evidence, *, question: str, tables: Sequence[AskedTable]) -> Evidence:
    """The evidence with a mark on the rows that the English question asks for by their cells: of these tables, and of
    the Markdown tables of its passages. They come before the other rows of their table, and those that were not scored
    join the others of them that were. Of several tables those count that leave least of the question unsaid. Excluded
    rows are no evidence."""
    placed = [*map(_placed, tables), *_markdown_tables(question, evidence.passages)]
    evidence = _without_excluded(evidence, placed)
    with_rows = [one for one in placed if one.asked.columns]
    if not with_rows:
        return evidence
    least = min(one.asked.unsaid for one in with_rows)
    known = {(one.source, one.start, one.end): one for one in evidence.sentences}
    marked: dict[Place, Sentence] = {}
    for table in with_rows:
        if table.asked.unsaid == least:
            marked |= _marked_rows(table, known, evidence.passages)
    return replace(evidence, sentences=best_first({**known, **marked}.values())) if marked else evidence


def _without_excluded(evidence: Evidence, tables: Sequence[_PlacedTable]) -> Evidence:
    """The evidence in which excluded rows have no score and are not quoted, wherever a passage shows them. Where no
    table has a row that meets what is asked for, neither is a sentence that does not say all of the days, people and
    places."""
    excluded = {
        evidence.page_place(*table.rows[at][0][:2]): table.asked.words
        for table in tables
        for at in table.asked.excluded
    }
    if not excluded:
        return evidence
    has_rows = any(one.asked.columns for one in tables)
    unmet = frozenset() if has_rows else frozenset(one.asked.unmet for one in tables if one.asked.unmet)
    found, strength = list[Sentence](), 0.0
    for one in evidence.sentences:
        lacking = (words for words in unmet if not _says_all(words, one, evidence))
        if words := excluded.get(evidence.page_place(one.source, one.start)) or next(lacking, None):
            ranges = replace(one.ranges, excluded=one.ranges.excluded | words)
            found.append(replace(one, score=0.0, strength=0.0, ranges=ranges))
        else:
            found.append(one)
            strength = max(strength, one.strength)
    return replace(evidence, sentences=best_first(found), strength=min(evidence.strength, strength))


def _says_all(words: frozenset[str], one: Sentence, evidence: Evidence) -> bool:
    titles = evidence.passages[one.source].titles
    return words <= one.ranges.days.union(terms(f"{titles} {one.header} {one.text}"))


def _marked_rows(
    table: _PlacedTable, known: Mapping[Place, Sentence], passages: Sequence[Passage]
) -> dict[Place, Sentence]:
    asked = table.asked
    scored = [known[table.rows[at][0]] for at in asked.columns if table.rows[at][0] in known]
    if not scored:
        return {}
    best = max(scored, key=lambda one: one.score)
    others = (place for at, (place, _) in enumerate(table.rows) if at not in asked.columns)
    lift = _lift(best.score, max((known[place].score for place in others if place in known), default=0.0))
    found = {}
    for place, header in (table.rows[at] for at in asked.columns):
        one = known.get(place) or _unscored(place, header, best, passages)
        found[place] = replace(one, score=min(1.0, one.score + lift), value_rows=table.name)
    return found


def _lift(best: float, other: float) -> float:
    return other + _LEAD - best if other - _MAX_LAG <= best < other + _LEAD else 0.0


def _unscored(place: Place, header: str, best: Sentence, passages: Sequence[Passage]) -> Sentence:
    """A row that was not scored, as good as the best of those with its value, which is read with no cell of it."""
    source, start, end = place
    text = passages[source].content[start:end]
    return replace(best, source=source, start=start, end=end, text=text, header=header, cell=None)


def _placed(asked: AskedTable) -> _PlacedTable:
    table = asked.table
    name = f"{table.document_id} {table.titles} {table.caption} {table.rows[0].name.header}"
    rows = [((row.source, *row.span), "") for row in table.rows]
    return _PlacedTable(name=name, rows=rows, asked=asked.value_rows)


@dataclass
class _Parts:
    """What passages show of one Markdown table."""

    rows: dict[tuple[int, int], tuple[Place, str]] = field(default_factory=dict)  # by page and place there
    labels: list[str] = field(default_factory=list)
    cells: list[Sequence[str]] = field(default_factory=list)
    caption: frozenset[str] = frozenset()

    def add(self, source: int, passage: Passage, table: MarkdownTable) -> None:
        grid = table.grid(title_prefix(passage))
        self.caption |= grid.caption
        for (span, _), label, cells in zip(table.rows, grid.labels, grid.cells, strict=True):
            on_page = (passage.page_id, passage.start + span[0])
            if on_page not in self.rows:
                self.rows[on_page] = ((source, *span), table.header)
                self.labels.append(label)
                self.cells.append(cells)


def _markdown_tables(question: str, passages: Sequence[Passage]) -> Iterator[_PlacedTable]:
    """Passages overlap, and one shows where another one's table goes on: those with the same heads are one."""
    found: dict[tuple[str, tuple[str, ...]], _Parts] = {}
    for source, passage in enumerate(passages):
        if not has_table_rows(passage):
            continue
        for table in markdown_tables_of(passage):
            key = (f"{passage.document_id} {title_prefix(passage)}", tuple(table.heads))
            found.setdefault(key, _Parts()).add(source, passage, table)
    for (name, heads), parts in found.items():
        grid = Grid(labels=parts.labels, heads=heads[1:], cells=parts.cells, caption=parts.caption)
        yield _PlacedTable(
            name=f"{name} {' | '.join(heads)}",
            rows=list(parts.rows.values()),
            asked=rows_asked_by_value(question, grid),
        )
