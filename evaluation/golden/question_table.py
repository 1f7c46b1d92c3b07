"""Golden questions as a table: each row one question, under a first row that names the columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError

from evaluation.golden import expectation_text
from evaluation.golden.golden_file import InvalidGoldenRow, validated_row
from evaluation.models import GoldenQuestion
from lexic.spreadsheet_cells import escape_formula
from plugins.models import Plugin

# The column of each field, as people call it; the first row may also use the names of the fields.
COLUMNS: Mapping[str, str] = {
    "question": "Question",
    "expectation": "Expectation",
    "must_cite": "Must cite",
    "must_contain": "Must contain",
    "must_reach": "Tree end",
    "facts": "Facts",
    "is_public": "Sample",
}
# What separates several places, phrases or facts in one cell, beside a line break.
CELL_SEPARATOR = "|"
_DELIMITERS = (",", ";", "\t")
_MAX_CELL_CHARACTERS = 100_000
_EXPECTATIONS = {
    "": "answer",
    "answer": "answer",
    "answers": "answer",
    "answered": "answer",
    "refuse": "refuse",
    "refuses": "refuse",
    "refused": "refuse",
    "clarify": "clarify",
    "asks back": "clarify",
    "ask back": "clarify",
}
_TRUTHS = {"": False, "no": False, "false": False, "0": False, "yes": True, "true": True, "1": True, "x": True}


class UnknownColumn(ValueError):
    """A column that golden questions do not have."""


class EndlessCell(ValueError):
    """A cell without end, as after a quotation mark that is not closed. Its argument is the line."""


@dataclass(frozen=True, kw_only=True)
class QuestionRow:
    """The cells of one row by field, and the line of the text on which it begins, from 1."""

    line: int
    cells: dict[str, str]


def read_table(text: str) -> list[QuestionRow] | None:
    """The rows of a table whose first row names its columns, cut at commas, semicolons or tabs, whichever names them;
    None where no column of the first row is called “Question”. Raises `UnknownColumn` and `EndlessCell`."""
    for delimiter in _DELIMITERS:
        rows = _numbered_rows(text, delimiter)
        _, names = next(rows, (0, []))
        fields = [_field_of(name) for name in names]
        if "question" in fields:
            return [
                QuestionRow(line=line, cells=_cells_by_field(_known_fields(names, fields), row))
                for line, row in rows
                if any(cell.strip() for cell in row)
            ]
    return None


def write_table(plugin: Plugin) -> str:
    """All golden questions of the plugin as CSV, in the order in which they were made."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS.values())
    for golden in plugin.golden_questions.order_by("pk"):
        writer.writerow([escape_formula(cell) for cell in _golden_cells(golden)])
    return out.getvalue()


def parse_row(row: QuestionRow, *, ends: Mapping[str, str]) -> dict[str, Any]:
    """The columns of a golden question. `ends` maps what a tree end may be called to its id. Raises
    `InvalidGoldenRow`."""
    cells = row.cells
    if not cells.get("question"):
        raise InvalidGoldenRow("the question is empty. Write it in the column “Question”, or delete the line.")
    reach = cells.get("must_reach", "")
    return validated_row(
        {
            "question": cells["question"],
            "expectation": _choice(cells, "expectation", _EXPECTATIONS, "“answers”, “refuses” or “asks back”"),
            "must_cite": _parsed(cells, "must_cite", expectation_text.parse_places, "Write “Cover handbook, p. 3”."),
            "must_contain": _parsed(
                cells, "must_contain", expectation_text.parse_phrases, "Write a short phrase such as “45 mm”."
            ),
            "must_reach": ends.get(reach.casefold(), reach),
            "facts": _parsed(cells, "facts", expectation_text.parse_facts, "Write “exposure = severe”."),
            "is_public": _choice(cells, "is_public", _TRUTHS, "“yes” or “no”"),
        }
    )


def _numbered_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not blank with the line on which it begins. A cell in quotation marks may go over lines."""
    csv.field_size_limit(_MAX_CELL_CHARACTERS)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    begins = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begins, row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise EndlessCell(begins) from error


def _field_of(name: str) -> str:
    plain = " ".join(name.replace("_", " ").split()).casefold()
    known = {title.casefold(): field for field, title in COLUMNS.items()}
    known |= {field.replace("_", " "): field for field in COLUMNS}
    return known.get(plain, "")


def _known_fields(names: Sequence[str], fields: Sequence[str]) -> Sequence[str]:
    unknown = [name for name, field in zip(names, fields, strict=True) if name.strip() and not field]
    if unknown:
        raise UnknownColumn(unknown[0].strip()[:60])
    return fields


def _cells_by_field(fields: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    return {field: _without_escape(cell.strip()) for field, cell in zip(fields, row, strict=False) if field}


def _without_escape(cell: str) -> str:
    """The cell without the apostrophe that `escape_formula` has put before it."""
    plain = cell.removeprefix("'")
    return plain if plain != cell and escape_formula(plain) == cell else cell


def _choice(cells: Mapping[str, str], field: str, choices: Mapping[str, Any], allowed: str) -> Any:
    said = cells.get(field, "")
    try:
        return choices[said.casefold()]
    except KeyError:
        raise InvalidGoldenRow(f"{COLUMNS[field]} is “{said[:60]}”. Write {allowed}.") from None


def _parsed(cells: Mapping[str, str], field: str, parse: Callable[[str], Any], instead: str) -> Any:
    """All parts of a cell at once, and where that fails the first part that fails by itself."""
    parts = cells.get(field, "").replace(CELL_SEPARATOR, "\n")
    try:
        return parse(parts)
    except ValidationError as error:
        wrong = next((part.strip() for part in parts.splitlines() if not _is_parsable(part, parse)), "")
        said = f"“{wrong[:60]}” cannot be read. {instead}" if wrong else " ".join(error.messages)
        raise InvalidGoldenRow(f"{COLUMNS[field]}: {said}") from None


def _is_parsable(part: str, parse: Callable[[str], Any]) -> bool:
    try:
        parse(part)
    except ValidationError:
        return False
    return True


def _golden_cells(golden: GoldenQuestion) -> list[str]:
    return [
        golden.question,
        golden.get_expectation_display(),
        expectation_text.format_places(golden.must_cite),
        "\n".join(golden.must_contain),
        golden.must_reach,
        expectation_text.format_facts(golden.facts),
        "yes" if golden.is_public else "no",
    ]
