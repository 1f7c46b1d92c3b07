"""Excel workbooks: each sheet that is shown, its rows as pages. Formulas are read by the values that the file holds of
them; macros, links to other files and pictures are never opened."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import IO, Any

from knowledge.readers.metadata_titles import given_title
from knowledge.readers.office_package import open_transitional, with_plain_styles
from knowledge.readers.sheets.cells import rows_of_cells
from knowledge.readers.sheets.headers import SheetRow
from knowledge.readers.sheets.layout import DeclaredLabels, read_layout
from knowledge.readers.sheets.number_formats import cell_text
from knowledge.readers.sheets.pages import MAX_COLUMNS, SheetPager
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import (
    DamagedDocument,
    DocumentHeader,
    EmptyDocument,
    Limits,
    ReaderEvent,
    UnreadableDocument,
    UnsupportedDocument,
)
from knowledge.readers.zip_checks import check_archive

# A formula whose value was never computed, as programs write it that only make workbooks.
_FORMULA_WITHOUT_VALUE = re.compile(rb"(?:</f>|<f/>)(?:<v\s?/>|<v></v>)?</c>")
_SCAN_BYTES, _SCAN_OVERLAP_BYTES = 1024 * 1024, 32


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    check_archive(path)
    pager = SheetPager(limits)
    with open_transitional(path) as file:
        title = _add_sheets(pager, _open_workbook(file, path))
    missing = _count_formulas_without_value(path)
    if not pager.pages:
        raise _nothing_to_read(missing)
    metadata = {"formulas without a value": str(missing)} if missing else {}
    yield DocumentHeader(title=title or None, page_total=len(pager.pages), paged=True, metadata=metadata)
    yield from pager.pages


def _add_sheets(pager: SheetPager, workbook: Any) -> str:
    """Add the sheets that are shown. Gives the title that the workbook says it has."""
    try:
        for sheet in workbook.worksheets:
            if sheet.sheet_state == "visible":
                pager.add_sheet(_rows_of_sheet(sheet), name=one_line(clean_text(sheet.title)))
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:
        # A broken part surfaces as KeyError, ParseError, ValueError and more, when its rows are read.
        raise DamagedDocument() from error
    return given_title(workbook.properties.title)


def _open_workbook(file: IO[bytes], path: Path) -> Any:
    """Raises `DamagedDocument` or `UnsupportedDocument`."""
    # Imported late, so that the check of the archive above costs nothing to test or to fail.
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        return _loaded(file)
    except InvalidFileException as error:
        raise UnsupportedDocument() from error
    except MemoryError:
        raise
    except Exception:
        return _open_without_looks(path)


def _open_without_looks(path: Path) -> Any:
    """A colour or a border that is none is no reason not to read the cells. Raises `DamagedDocument`."""
    try:
        return _loaded(with_plain_styles(path))
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:
        # Broken packages surface as KeyError, ParseError, BadZipFile and more, depending on the part.
        raise DamagedDocument() from error


def _loaded(file: IO[bytes]) -> Any:
    import openpyxl

    # As a stream: the library judges a path by its ending.
    return openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)


def _rows_of_sheet(sheet: Any) -> Iterator[SheetRow]:
    """The rows with the texts of their cells; those that the file leaves out come as empty ones."""
    layout = read_layout(sheet)
    declared = DeclaredLabels(layout.tables)
    tall = _TallCells(layout.heights)
    for number, cells in rows_of_cells(sheet):
        if not cells:
            if number not in layout.hidden_rows:
                yield SheetRow(number, ())
            continue
        texts = _texts(cells, layout.hidden_columns)
        above = tall.reaching(number, texts)
        if number in layout.hidden_rows:
            continue
        spans = {start: end for start, end in layout.spans.get(number, {}).items() if start < len(texts)}
        after_hidden = number - 1 in layout.hidden_rows
        yield SheetRow(number, _fitted(texts, spans), spans, after_hidden, declared.at(number), above)


class _TallCells:
    """The texts of cells over several rows."""

    def __init__(self, heights: Mapping[int, Mapping[int, int]]) -> None:
        self._heights = heights
        self._open: dict[int, tuple[int, str]] = {}

    def reaching(self, row: int, texts: Sequence[str]) -> dict[int, str]:
        """The texts that reach into this row from above, by column. Rows must be asked for in their order."""
        self._open = {column: cell for column, cell in self._open.items() if cell[0] >= row}
        found = {column: text for column, (_, text) in self._open.items()}
        begun = ((column, last) for column, last in self._heights.get(row, {}).items() if column < len(texts))
        self._open |= {column: (last, texts[column]) for column, last in begun if texts[column]}
        return found


def _texts(cells: Sequence[Any], hidden_columns: AbstractSet[int]) -> list[str]:
    """The texts of the cells that are shown, each in its column."""
    shown = [cell for cell in cells if cell.value is not None and cell.column - 1 not in hidden_columns]
    texts = [""] * max((cell.column for cell in shown), default=0)
    for cell in shown:
        texts[cell.column - 1] = _text(cell)
    return texts


def _fitted(texts: list[str], spans: Mapping[int, int]) -> list[str]:
    """The texts up to the last filled cell, or to the end of the wide cell that it is."""
    while texts and not texts[-1]:
        texts.pop()
    end = min(max((end + 1 for start, end in spans.items() if start < len(texts)), default=0), MAX_COLUMNS)
    return [*texts, *[""] * (end - len(texts))]


def _text(cell: Any) -> str:
    from openpyxl.utils.escape import unescape

    text = cell_text(cell.value, cell.number_format)
    return one_line(clean_text(unescape(text) if "_x" in text else text))


def _count_formulas_without_value(path: Path) -> int:
    count = 0
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                with archive.open(name) as part:
                    count += _count_in(part)
    return count


def _count_in(part: Any) -> int:
    count, rest = 0, b""
    while piece := part.read(_SCAN_BYTES):
        searched = rest + piece
        last = 0
        for match in _FORMULA_WITHOUT_VALUE.finditer(searched):
            count, last = count + 1, match.end()
        rest = searched[max(last, len(searched) - _SCAN_OVERLAP_BYTES) :]
    return count


def _nothing_to_read(formulas: int) -> UnreadableDocument:
    if not formulas:
        return EmptyDocument()
    return EmptyDocument(
        "The workbook holds formulas, and no value of any of them.",
        hint="Open it in Excel or LibreOffice, save it there and upload the new file.",
    )
