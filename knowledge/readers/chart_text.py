"""A chart of a slide as rows of numbers, whatever kind of chart it is: a row for each category, a column for each
series. The numbers are those that the file keeps with the chart, in the formats that it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from knowledge.readers.sheets.number_formats import cell_text
from knowledge.readers.tables import cut_label, row_line
from knowledge.readers.text_cleaning import clean_text, one_line

_MAX_SERIES = 1_000


class _Values(NamedTuple):
    """What is drawn along one axis, by its place, and how its numbers are written."""

    texts: dict[int, str]
    number_format: str


class _Series(NamedTuple):
    name: str
    categories: _Values
    values: _Values


def chart_text(chart: Any) -> str:
    """Series that are drawn over the same categories share their rows."""
    series = [one for one in _series(chart._chartSpace) if one.values.texts]
    groups: dict[tuple[tuple[int, str], ...], list[_Series]] = {}
    for one in series:
        groups.setdefault(tuple(one.categories.texts.items()), []).append(one)
    title, epoch = _chart_title(chart), _epoch(chart)
    return (
        "\n".join(line for group in groups.values() for line in _chart_lines(title or "Category", group, epoch))
        or title
    )


def _chart_lines(corner: str, group: list[_Series], epoch: datetime) -> Iterator[str]:
    header = [corner, *(one.name for one in group)]
    labels = list(map(cut_label, header))
    yield row_line(header, [])
    categories = group[0].categories
    places = sorted(set(categories.texts).union(*(one.values.texts for one in group)))
    for place in places:
        row = [_shown(values, place, epoch) for values in (categories, *(one.values for one in group))]
        if line := row_line(row, labels):
            yield line


def _chart_title(chart: Any) -> str:
    drawn = chart._chartSpace.xpath("./c:chart/c:title//a:p")
    return one_line(clean_text(" ".join("".join(one.xpath(".//a:t/text()")) for one in drawn)))


def _series(space: Any) -> Iterator[_Series]:
    for one in space.xpath("./c:chart/c:plotArea/*/c:ser")[:_MAX_SERIES]:
        name = one_line(clean_text(" ".join(one.xpath("./c:tx//c:v/text()"))))
        yield _Series(name, _values(one.xpath("./c:cat | ./c:xVal")), _values(one.xpath("./c:val | ./c:yVal")))


def _values(drawn: list[Any]) -> _Values:
    """Of categories within categories the innermost ones."""
    if not drawn:
        return _Values({}, "")
    levels = drawn[0].xpath(".//c:lvl")
    points = levels[0].xpath("./c:pt") if levels else drawn[0].xpath(".//c:pt")
    texts = dict(_point_texts(points))
    return _Values(
        texts, "".join(drawn[0].xpath("./*/c:numCache/c:formatCode/text() | ./c:numLit/c:formatCode/text()"))
    )


def _point_texts(points: Iterable[Any]) -> Iterator[tuple[int, str]]:
    for point in points:
        place, text = point.get("idx", ""), "".join(point.xpath("./c:v/text()"))
        if place.isascii() and place.isdigit() and len(place) < 10 and text:
            yield int(place), text


def _epoch(chart: Any) -> datetime:
    """The day from which the dates of a chart are counted."""
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900

    stated = chart._chartSpace.xpath("./c:date1904[not(@val) or @val='1' or @val='true']")
    return CALENDAR_MAC_1904 if stated else CALENDAR_WINDOWS_1900


def _shown(values: _Values, place: int, epoch: datetime) -> str:
    text = values.texts.get(place, "")
    try:
        number = float(text)
    except ValueError:
        return one_line(clean_text(text))
    # What was stored as text has no format, and stays as it is.
    return _formatted(number, values.number_format, epoch) if values.number_format else one_line(clean_text(text))


def _formatted(value: float, number_format: str, epoch: datetime) -> str:
    from openpyxl.styles.numbers import is_date_format, is_timedelta_format
    from openpyxl.utils.datetime import from_excel

    if is_date_format(number_format):
        with suppress(ValueError, OverflowError):
            return cell_text(from_excel(value, epoch, timedelta=is_timedelta_format(number_format)), "")
        number_format = ""
    return one_line(clean_text(cell_text(value, number_format)))
