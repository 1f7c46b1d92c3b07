"""What one cited sentence gives a field."""

from __future__ import annotations

from typing import Any

import pytest

from querying.answering.structured.field_values import best_value, find_values, label_fit
from querying.field_schema import FieldKind, ValueSchema
from querying.types.answer import Citation
from tests.querying.passages import passage


def cite(excerpt: str, *, section: str = "") -> Citation:
    above = (section,) if section else ()
    return Citation(
        number=1, passage=passage(excerpt, section_path=above), start=0, end=len(excerpt), excerpt=excerpt, score=1.0
    )


def number(label: str, unit: str = "", kind: FieldKind = FieldKind.NUMBER, **limits: Any) -> ValueSchema:
    return ValueSchema(kind=kind, label=label, unit=unit, limits={"type": kind.value, **limits})


def value(leaf: ValueSchema, excerpt: str, *, about: str = "") -> Any:
    found = best_value(leaf, cite(excerpt), about=about)
    return found.value if found else None


BEAM = "For severe exposure the nominal cover of a beam is 45 mm."
SEVERAL = "The nominal cover of beams is 45 mm, and the cover of footings is 50 mm."
MIX = "A beam needs at least grade M30, at least 320 kg of cement, and a free water-cement ratio of no more than 0.45."


@pytest.mark.parametrize(
    ("leaf", "excerpt", "expected"),
    [
        (number("nominal cover"), BEAM, 45),
        (number("nominal cover", "millimeter"), BEAM, 45),
        (number("nominal cover", "centimeter"), BEAM, 4.5),
        (number("nominal cover", "day"), BEAM, None),
        (number("nominal cover", "millimeter", maximum=40), BEAM, None),
        (number("cover of footings", "millimeter"), SEVERAL, 50),
        (number("cover of beams", "millimeter"), SEVERAL, 45),
        (number("cover", "millimeter"), SEVERAL, None),
        (number("water cement ratio"), MIX, 0.45),
        (number("cement", "kilogram"), MIX, 320),
        (number("cover", "centimeter", FieldKind.INTEGER), BEAM, None),
        (number("nominal cover", "millimeter"), "The nominal cover may be reduced by 5 mm.", None),
        (number("cover", "millimeter"), "The cover is between 40 and 60 mm.", None),
        (number("notice", "day", FieldKind.INTEGER), "Either party may end it with thirty (30) days' notice.", 30),
    ],
)
def test_a_number_in_the_unit_that_is_asked_for(leaf: ValueSchema, excerpt: str, expected: float | None) -> None:
    assert value(leaf, excerpt) == expected


def test_a_bound_and_a_unit_stay_with_the_number() -> None:
    found = best_value(number("cover"), cite("Footings have a nominal cover of at least 50 mm."), about="")
    assert found
    assert (found.value, found.unit, found.bound) == (50, "millimeter", ">=")


@pytest.mark.parametrize(
    ("excerpt", "expected"),
    [
        ("The agreement begins on 3 May 2024.", "2024-05-03"),
        ("The agreement begins on 2024-05-03.", "2024-05-03"),
        ("The agreement begins in May 2024.", None),
        ("The agreement begins on 31 February 2024.", None),
        ("The agreement begins on 3 May 2024 and the lease ends on 4 June 2025.", "2024-05-03"),
        ("It begins on 03/04/2024.", None),
    ],
)
def test_a_whole_date(excerpt: str, expected: str | None) -> None:
    assert value(ValueSchema(kind=FieldKind.DATE, label="agreement begins"), excerpt) == expected


EXPOSURES = ("mild", "severe", "very_severe")


@pytest.mark.parametrize(
    ("excerpt", "expected"),
    [
        (BEAM, "severe"),
        ("A pier has very severe exposure.", "very_severe"),
        ("A wall is in mild or in severe exposure.", None),
        ("The exposure is not severe.", None),
        ("A severed cable is dangerous.", None),
    ],
)
def test_a_choice_that_is_named_and_not_denied(excerpt: str, expected: str | None) -> None:
    assert value(ValueSchema(kind=FieldKind.CHOICE, label="exposure", choices=EXPOSURES), excerpt) == expected


@pytest.mark.parametrize(
    ("label", "excerpt", "expected"),
    [
        ("footings need an inspection", "All footings need an inspection before concrete is placed.", True),
        ("footings need an inspection", "Footings do not need an inspection.", False),
        ("footings need an inspection", "Beams need an inspection.", None),
        ("smoking allowed in the hall", "Smoking is not allowed in the hall.", False),
    ],
)
def test_true_false_or_neither(label: str, excerpt: str, expected: bool | None) -> None:
    assert value(ValueSchema(kind=FieldKind.BOOLEAN, label=label), excerpt) is expected


def test_text_is_the_sentence_on_one_line_or_the_name_that_is_asked_for() -> None:
    assert (
        value(ValueSchema(kind=FieldKind.STRING, label="spacers"), "Spacers hold\nthe bars.")
        == "Spacers hold the bars."
    )
    assert value(ValueSchema(kind=FieldKind.STRING, label="grade of concrete"), MIX) == "grade M30"


def test_every_value_of_a_sentence_for_an_array() -> None:
    found = find_values(number("cover", "millimeter"), cite(SEVERAL), about="")
    assert [one.value for one in found] == [45, 50]


def test_how_much_of_a_label_is_said() -> None:
    assert label_fit("nominal cover", cite(BEAM)) == 1.0
    assert label_fit("tails of a cat", cite(BEAM)) == 0.0
    assert label_fit("cover of spacers", cite("It is 45 mm.", section="Spacers and cover")) == 1.0
