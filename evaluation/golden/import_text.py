"""Golden questions from a file or pasted text, whatever their form: a table, one question on a line, or JSON lines.

Everything that is wrong is named at once, by its line, with what to write instead.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from evaluation.golden import question_table
from evaluation.golden.expectation_text import REFUSAL_CONFLICT
from evaluation.golden.golden_file import (
    MAX_GOLDEN_FILE_BYTES,
    MAX_GOLDEN_ROWS,
    GoldenFileTooLarge,
    GoldenImportResult,
    InvalidGoldenFile,
    InvalidGoldenRow,
    document_page_counts,
    parse_json_line,
    save_golden_rows,
    validated_row,
)
from evaluation.golden.question_table import COLUMNS, EndlessCell, UnknownColumn
from evaluation.golden.tree_ends import tree_ends
from evaluation.models import GoldenQuestion
from knowledge.readers.text import decode_bytes
from plugins.models import Plugin
from querying.forms import MAX_QUESTION_CHARACTERS

# The most wrong lines that one error names; a reader mends these first.
MAX_PROBLEMS = 20
# The most names that are searched for a similar one.
_MAX_NAMES_COMPARED = 500

Row = dict[str, Any]


class WrongLines(InvalidGoldenFile):
    """Some lines are wrong, so nothing was imported."""

    code = "wrong_lines"
    hint = "Correct these lines and import again."

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(f"Nothing was imported. {problems[0]}")
        self.problems = list(problems[:MAX_PROBLEMS])
        self.more = len(problems) - len(self.problems)


def text_of_upload(file: UploadedFile) -> str:
    """The text of a file. Raises `GoldenFileTooLarge`, and `WrongLines` where it is not text."""
    if (file.size or 0) > MAX_GOLDEN_FILE_BYTES:
        raise GoldenFileTooLarge
    text = decode_bytes(file.read())
    if "\x00" in text or "\ufffd" in text:
        raise WrongLines(
            ["This file is not text. In your spreadsheet choose “Save as”, then CSV, and import that file."]
        )
    return text


def import_text(plugin: Plugin, text: str) -> GoldenImportResult:
    """Adds the golden questions of the text, and brings those up to date that are there already: all, or none where
    one is wrong. Raises `WrongLines`."""
    names = _PluginNames(plugin)
    problems: list[str] = []
    rows: list[Row] = []
    for line, parse in _parsers(text, names.ends):
        try:
            row = parse()
            names.check(row)
            rows.append(row)
        except InvalidGoldenRow as error:
            problems.append(f"Line {line}: {error}")
    if not problems and not rows:
        problems.append("There is no question in it. Write one question on each line.")
    if len(rows) + len(problems) > MAX_GOLDEN_ROWS:
        problems = [f"There are more than {MAX_GOLDEN_ROWS:,} questions. Import them in several parts."]
    if problems:
        raise WrongLines(problems)
    return save_golden_rows(plugin, rows)


def _parsers(text: str, ends: Mapping[str, str]) -> Iterable[tuple[int, Callable[[], Row]]]:
    """For each question the line on which it begins, and what reads it. Raises `WrongLines`."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if lines and lines[0][1].startswith(("{", "[")):
        return [(number, lambda line=line: parse_json_line(line)) for number, line in lines]  # type: ignore[misc]
    try:
        table = question_table.read_table(text)
    except UnknownColumn as unknown:
        known = ", ".join(COLUMNS.values())
        raise WrongLines([f"Line 1: there is no column “{unknown}”. The columns are: {known}."]) from None
    except EndlessCell as error:
        raise WrongLines([f"Line {error}: this cell has no end. Close its quotation mark."]) from None
    if table is not None:
        return [(row.line, lambda row=row: question_table.parse_row(row, ends=ends)) for row in table]  # type: ignore[misc]
    if lines and "\t" in lines[0][1]:
        first = f"Line {lines[0][0]}: this looks like a table, but no column is called “Question”."
        raise WrongLines([f"{first} Write the names of the columns in the first row: {', '.join(COLUMNS.values())}."])
    return [(number, lambda line=line: validated_row({"question": line})) for number, line in lines]  # type: ignore[misc]


class _PluginNames:
    """What the plugin's documents and tree ends are called, to check a question against."""

    def __init__(self, plugin: Plugin) -> None:
        self._pages = document_page_counts(plugin)
        self._suggestions_left = MAX_PROBLEMS
        found = tree_ends(plugin)
        self._end_ids = {end.node_id for end in found}
        self._labels = [end.label for end in found]
        self.ends = {end.label.casefold(): end.node_id for end in found}
        self.ends |= {end.node_id.casefold(): end.node_id for end in found}

    def check(self, row: Mapping[str, Any]) -> None:
        """Raises `InvalidGoldenRow` for a document, page or tree end that the plugin does not have."""
        if len(row["question"]) > MAX_QUESTION_CHARACTERS:
            limit = f"the question is longer than {MAX_QUESTION_CHARACTERS:,} characters."
            raise InvalidGoldenRow(f"{limit} Shorten it, or close a quotation mark that is left open.")
        for title, page in row["must_cite"]:
            self._check_place(title, page)
        if (reach := row["must_reach"]) and reach not in self._end_ids:
            instead = self._suggest(reach, self._labels) or "Leave the cell empty, or write the words of an end."
            raise InvalidGoldenRow(f"no tree has an end called “{reach}”. {instead}")
        if row["expectation"] == GoldenQuestion.Expectation.REFUSE and (row["must_cite"] or row["must_contain"]):
            raise InvalidGoldenRow(f"{REFUSAL_CONFLICT} Leave “Must cite” and “Must contain” empty.")

    def _check_place(self, title: str, page: int | None) -> None:
        if title not in self._pages:
            instead = self._suggest(title, self._pages) or "Write its title as the tab Knowledge shows it."
            raise InvalidGoldenRow(f"the plugin has no document called “{title}”. {instead}")
        if page is not None and page > self._pages[title]:
            count = self._pages[title]
            has = f"has {count} page{'' if count == 1 else 's'}" if count else "has no pages; leave the page out"
            raise InvalidGoldenRow(f"“{title}” {has}.")

    def _suggest(self, said: str, known: Iterable[str]) -> str:
        """The name that looks most like it, as a sentence; empty where none does."""
        if not self._suggestions_left:
            return ""
        self._suggestions_left -= 1
        names = {name.casefold(): name for name in islice(known, _MAX_NAMES_COMPARED)}
        close = difflib.get_close_matches(said.casefold()[:300], names, n=1)
        return f"Did you mean “{names[close[0]]}”?" if close else ""
