from __future__ import annotations

import pytest

from querying.question.column_questions import ColumnKind
from querying.retrieval.column_kinds import figure_kind, word_kind


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (("€58", "€52"), ColumnKind.MONEY),
        (("EUR 48,000", "on request", "EUR 9,600"), ColumnKind.MONEY),
        (("15 minutes", "2 h"), ColumnKind.DURATION),
        (("2027-03-31", "12 January 2027"), ColumnKind.DATE),
        (("08:00 - 18:00", "closed", "09:00 - 15:30"), ColumnKind.HOURS),
        (("60 cm", "90 cm"), ColumnKind.MEASURE),
        (("140", "31"), ColumnKind.COUNT),
        (("Kiln house", "Workshop 2"), ColumnKind.OTHER),
        ((), ColumnKind.OTHER),
    ],
)
def test_figures_tell_what_most_cells_hold(values: tuple[str, ...], kind: ColumnKind) -> None:
    assert figure_kind(values) == kind


@pytest.mark.parametrize(
    ("head", "values", "kind"),
    [
        ("Owner", ("Sofia Grant", "Peter Holm"), ColumnKind.PERSON),
        ("Site", ("Leeds", "York"), ColumnKind.PLACE),
        ("State", ("in review", "closed"), ColumnKind.OTHER),
        ("Colour", ("red", "blue"), ColumnKind.OTHER),
    ],
)
def test_words_are_people_places_or_something_else(head: str, values: tuple[str, ...], kind: ColumnKind) -> None:
    assert word_kind(head, values) == kind
