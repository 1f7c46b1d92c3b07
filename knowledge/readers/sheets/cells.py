"""Reads the cells of a sheet, which a file may store in any order and with invalid values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any


def rows_of_cells(sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet that openpyxl opened read-only, each with its number and its cells. A row that the file
    leaves out has no cells. Rows that are out of order are dropped."""
    from openpyxl.cell.read_only import ReadOnlyCell

    workbook, following = sheet.parent, 1
    with workbook._archive.open(sheet._worksheet_path) as part:
        parser = _parser_class()(
            part,
            sheet._shared_strings,
            data_only=True,
            epoch=workbook.epoch,
            date_formats=workbook._date_formats,
            timedelta_formats=workbook._timedelta_formats,
        )
        for number, cells in parser.parse():
            yield from ((missing, []) for missing in range(following, number))
            if number >= following:
                yield number, [ReadOnlyCell(sheet, **cell) for cell in cells]
                following = number + 1


@cache
def _parser_class() -> type:
    # Imported late: openpyxl is slow to import, and most documents are no workbooks.
    from openpyxl.utils.cell import coordinate_to_tuple
    from openpyxl.worksheet._reader import VALUE_TAG, WorkSheetParser

    class LenientParser(WorkSheetParser):
        """Takes a number or a date that is none for text, where openpyxl gives up the whole workbook."""

        def parse_cell(self, element: Any) -> dict[str, Any]:
            try:
                return super().parse_cell(element)
            except (ValueError, OverflowError):
                place = element.get("r")
                row, column = coordinate_to_tuple(place) if place else (self.row_counter, self.col_counter)
                text = element.findtext(VALUE_TAG)
                return {"row": row, "column": column, "value": text, "data_type": "s", "style_id": 0}

    return LenientParser
