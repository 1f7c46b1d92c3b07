"""Tables of real PDFs that somebody has read off the pages, for `benchmarks.pdf_tables --set`.

The set is JSON: `tables` with `file`, `pages`, `header` (empty names where it has none), `rows` and `questions`
(`question`, `cell`, `row`, `column`), and `no_tables` with a `file` and a `page` that has none. Letters and figures are
compared, whatever their case and what stands between them.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import ask_questions, temporary_database
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.readers.types import Limits, PageText

if TYPE_CHECKING:
    from evaluation.eval_types import PipelineOutcome

# By file, the text of each page.
Texts = dict[str, dict[int, str]]


@dataclass(frozen=True, kw_only=True)
class Cell:
    row: str  # its first text
    column: str
    text: str


def measure(path: Path, documents: Path, options: argparse.Namespace) -> None:
    given = json.loads(path.read_text(encoding="utf-8"))
    texts = _read(documents, {one["file"] for one in [*given["tables"], *given["no_tables"]]})
    _print_cells(given["tables"], texts, with_misses=options.misses)
    marked = [one for one in given["no_tables"] if CELL_SEPARATOR in texts[one["file"]].get(one["page"], "")]
    print(f"{len(marked)} of {len(given['no_tables'])} pages without a table have rows", flush=True)
    for one in marked if options.misses else ():
        print(f"    {one['file']} page {one['page']}: {one['why']}")
    if options.questions:
        _ask(given["tables"], documents, with_misses=options.misses)


def _read(documents: Path, files: set[str]) -> Texts:
    return {
        file: {
            event.number: event.text
            for event in read_pages(documents / file, source_type="pdf", limits=Limits())
            if isinstance(event, PageText)
        }
        for file in sorted(files)
    }


def _print_cells(tables: Sequence[dict[str, Any]], texts: Texts, *, with_misses: bool) -> None:
    right = count = 0
    for table in tables:
        lines = [line for page in table["pages"] for line in texts[table["file"]].get(page, "").splitlines()]
        cells = list(_cells(table))
        wrong = [cell for cell in cells if not any(says(line, cell) for line in lines)]
        right, count = right + len(cells) - len(wrong), count + len(cells)
        print(f"{len(cells) - len(wrong):4} of {len(cells):3} {Path(table['file']).name[:50]} {table['pages']}")
        for cell in wrong if with_misses else ():
            print(f"        {cell}")
    print(f"{right} of {count} cells right, {right / count:.3f}", flush=True)


def _cells(table: dict[str, Any]) -> Iterator[Cell]:
    """Each that says something, but for the one that names the row."""
    for row in table["rows"]:
        at = next(at for at, text in enumerate(row) if text)
        named = zip(table["header"][at + 1 :], row[at + 1 :], strict=True)
        yield from (Cell(row=row[at], column=column, text=text) for column, text in named if text)


def says(line: str, cell: Cell) -> bool:
    """Whether the line names the row, and has the cell behind its column's head."""
    if _plain(cell.row) not in _plain(line):
        return False
    parts = line.split(CELL_SEPARATOR)
    if cell.column:
        return any(_plain(part) == _plain(cell.column + cell.text) for part in parts)
    return any(_plain(part).removeprefix(_plain(cell.row)) == _plain(cell.text) for part in parts)


def _plain(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _ask(tables: Sequence[dict[str, Any]], documents: Path, *, with_misses: bool) -> None:
    """Each question of its own document."""
    by_file = defaultdict[str, list[dict[str, Any]]](list)
    for table in tables:
        by_file[table["file"]] += table["questions"]
    asked = answered = cell = right = 0
    with temporary_database(with_redis=True):
        for file, questions in by_file.items():
            for question, given in zip(questions, _answers(documents / file, questions), strict=True):
                lines = [_plain(line) for one in given.citations for line in one.text.splitlines()]
                named = [line for line in lines if _plain(question["cell"]) in line]
                is_whole = any(_plain(question["row"]) in line and _plain(question["column"]) in line for line in named)
                asked, answered = asked + 1, answered + (given.outcome == "answered")
                cell, right = cell + bool(named), right + is_whole
                if with_misses and not is_whole:
                    print(f"    {question['question']} {given.outcome}: {' '.join(given.text.split())[:160]}")
    print(f"{asked} questions, {answered} answered, {cell} cite the cell, {right} with row and column", flush=True)


def _answers(path: Path, questions: Sequence[dict[str, Any]]) -> list[PipelineOutcome]:
    rows = [{"id": str(at), "question": one["question"]} for at, one in enumerate(questions)]
    return list(ask_questions(rows, [path]))
