"""Whether tables of a PDF keep their rows and columns: `python -m benchmarks.pdf_tables` (a minute).

Draws the tables of pdf_tables.txt between paragraphs of prose, each in four ways: with a full grid, with a rule below
each row, with three rules as books have them, and without any. What does not fit goes on over the page, once with its
head on each page and once with the first alone. A cell is right where a line of a page names its row, its column's
head and, after that, what stands in it. Questions on cells (`--questions`) are right where a citation does.

`--set FILE --documents FOLDER` reads real PDFs instead, whose tables the file says (see `_annotated_tables`).
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import _annotated_tables
from benchmarks._harness import temporary_database
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import Limits, PageText

TABLES = Path(__file__).with_suffix(".txt")
LAYOUTS = ("grid", "rows", "book", "plain")
QUESTIONS_OF_TABLE, SEED = 3, 5


@dataclass(frozen=True)
class Table:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def cells(self) -> Iterator[tuple[str, str, str]]:
        """The row's name, the column's head and the text of each cell."""
        for name, *texts in self.rows:
            yield from ((name, head, text) for head, text in zip(self.head[1:], texts, strict=True))


def read_tables(path: Path = TABLES) -> list[Table]:
    tables = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        title, *lines = block.splitlines()
        head, *rows = (tuple(line.split(" | ")) for line in lines)
        tables.append(Table(title.removeprefix("# "), head, tuple(rows)))
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=Path, default=TABLES)
    parser.add_argument("--layouts", nargs="+", choices=LAYOUTS, default=LAYOUTS)
    parser.add_argument("--questions", action="store_true", help="ask for three cells of each table too")
    parser.add_argument("--misses", action="store_true", help="print each cell and question that went wrong")
    parser.add_argument("--set", type=Path, metavar="FILE", help="tables of real PDFs in place of drawn ones")
    parser.add_argument("--documents", type=Path, default=Path(), help="where the files of the set are")
    options = parser.parse_args()
    if options.set:
        _annotated_tables.measure(options.set, options.documents, options)
        return
    tables = read_tables(options.tables)
    for layout in options.layouts:
        for repeated in (True, False):
            with tempfile.TemporaryDirectory(prefix="tables-") as folder:
                _measure(tables, Path(folder), layout, repeated=repeated, options=options)


def _measure(
    tables: Sequence[Table], folder: Path, layout: str, *, repeated: bool, options: argparse.Namespace
) -> None:
    (folder / "documents").mkdir()
    path = draw_tables(tables, folder / "documents" / "tables.pdf", layout=layout, repeated=repeated)
    pages = [event for event in read_pages(path, source_type="pdf", limits=Limits()) if isinstance(event, PageText)]
    lines = [line for page in pages for line in page.text.splitlines()]
    wrong = [
        (table, cell) for table in tables for cell in table.cells() if not any(_says(line, cell) for line in lines)
    ]
    count = sum(len(list(table.cells())) for table in tables)
    head = "each page" if repeated else "first page"
    print(f"{layout:6} head on {head:11} {len(pages)} pages, {count - len(wrong)} of {count} cells right", flush=True)
    for table, cell in wrong if options.misses else ():
        print(f"    {table.title}: {cell}")
    if options.questions:
        _ask(tables, folder, with_misses=options.misses)


def _says(line: str, cell: tuple[str, str, str]) -> bool:
    name, head, text = cell
    parts = line.split(" | ")
    return f"{head}: {text}" in parts and any(part.split(": ")[-1] == name for part in parts)


def _ask(tables: Sequence[Table], folder: Path, *, with_misses: bool) -> None:
    asked = [
        (cell, f"{table.title}: what is the {cell[1].lower()} of {cell[0]}?")
        for table in tables
        for cell in random.Random(SEED).sample(list(table.cells()), QUESTIONS_OF_TABLE)
    ]
    rows = [{"id": str(at), "question": question} for at, (_, question) in enumerate(asked)]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with temporary_database(with_redis=True):
        from evaluation import dataset, eval_corpus, run_question

        data = dataset.read_dataset(folder)
        corpus = eval_corpus.build_corpus(data, on_progress=lambda done, total: None)
        answered = right = 0
        for (cell, question), each in zip(asked, data.questions, strict=True):
            given = run_question.run_pipeline(run_question.build_question(each, corpus))
            cited = [line for one in given.citations for line in one.text.splitlines()]
            is_right = given.outcome == "answered" and any(_names(line, cell) for line in cited)
            answered += given.outcome == "answered"
            right += is_right
            if with_misses and not is_right:
                print(f"    {question} {given.outcome}: {' '.join(given.text.split())[:160]}")
    print(f"       {len(asked)} questions, {answered} answered, {right} with row, column and cell", flush=True)


def _names(text: str, cell: tuple[str, str, str]) -> bool:
    return all(part in text for part in cell)


# --- Drawing ----------------------------------------------------------------------------------------------


def draw_tables(tables: Sequence[Table], path: Path, *, layout: str, repeated: bool) -> Path:
    """A report of these tables with a paragraph before each."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer
    from reportlab.platypus import Table as DrawnTable

    styles = getSampleStyleSheet()
    parts = []
    for table in tables:
        wrapped = [
            [Paragraph(text, styles["Normal"]) if len(text) > 24 else text for text in row] for row in table.rows
        ]
        widths = [150 if any(len(row[at]) > 24 for row in table.rows) else None for at in range(len(table.head))]
        drawn = DrawnTable([table.head, *wrapped], colWidths=widths, repeatRows=int(repeated))
        drawn.setStyle(_style(layout))
        prose = (
            f"The following table was put together for this report. It lists {len(table.rows)} entries, and each of "
        )
        prose += "them was checked by two people before it was printed, as all tables of the report were."
        parts += [Paragraph(table.title, styles["Heading2"]), Paragraph(prose, styles["Normal"]), Spacer(1, 8)]
        parts += [drawn, Spacer(1, 14)]
    SimpleDocTemplate(str(path), title="Tables").build(parts)
    return path


def _style(layout: str) -> list[tuple[object, ...]]:
    black = (0, 0, 0)
    lines: dict[str, list[tuple[object, ...]]] = {
        "grid": [("GRID", (0, 0), (-1, -1), 0.5, black)],
        "rows": [("LINEBELOW", (0, 0), (-1, -1), 0.5, black)],
        "book": [
            ("LINEABOVE", (0, 0), (-1, 0), 1, black),
            ("LINEBELOW", (0, 0), (-1, 0), 0.5, black),
            ("LINEBELOW", (0, -1), (-1, -1), 1, black),
        ],
        "plain": [],
    }
    return [("VALIGN", (0, 0), (-1, -1), "TOP"), ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"), *lines[layout]]


if __name__ == "__main__":
    main()
