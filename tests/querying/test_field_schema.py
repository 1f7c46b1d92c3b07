"""Which schemas are read, as what, and which are refused."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from lexic.errors import InvalidInput
from querying.field_schema import ArraySchema, FieldKind, ObjectSchema, ValueSchema, read_schema


class Beam(BaseModel):
    cover_mm: float | None
    exposure: Literal["mild", "severe"] | None = None
    since: date | None = None
    spacing: float = Field(description="Distance between spacers in m.")


class Member(BaseModel):
    beam: Beam
    notes: list[str]
    is_safe: bool


def of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def leaf(properties: dict[str, Any], name: str = "a") -> ValueSchema:
    found = read_schema(of(properties)).fields[name]
    assert isinstance(found, ValueSchema)
    return found


def test_a_model_of_pydantic_is_read() -> None:
    member = read_schema(Member.model_json_schema())
    beam, notes = member.fields["beam"], member.fields["notes"]
    assert isinstance(beam, ObjectSchema)
    assert isinstance(notes, ArraySchema)
    assert member.required == {"beam", "notes", "is_safe"}
    assert beam.fields["cover_mm"] == ValueSchema(
        kind=FieldKind.NUMBER, label="beam cover", unit="millimeter", limits={"type": "number"}, is_nullable=True
    )
    exposure, since, spacing = (beam.fields[name] for name in ("exposure", "since", "spacing"))
    assert isinstance(exposure, ValueSchema)
    assert isinstance(since, ValueSchema)
    assert isinstance(spacing, ValueSchema)
    assert (exposure.kind, exposure.choices, exposure.is_nullable) == (FieldKind.CHOICE, ("mild", "severe"), True)
    assert since.kind == FieldKind.DATE
    assert (spacing.label, spacing.unit) == ("Distance between spacers", "meter")


@pytest.mark.parametrize(
    ("name", "part", "unit", "label"),
    [
        ("noticeDays", {"type": "integer"}, "day", "notice"),
        ("weight_kg", {"type": "number"}, "kilogram", "weight"),
        ("fee", {"type": "number", "description": "The fee in EUR"}, "euro", "The fee"),
        ("share", {"type": "number", "description": "Share (%)"}, "per_cent", "Share"),
        ("days", {"type": "integer"}, "", "days"),
        ("cover", {"type": "number"}, "", "cover"),
    ],
)
def test_the_unit_is_that_of_the_description_or_of_the_end_of_the_name(
    name: str, part: dict[str, Any], unit: str, label: str
) -> None:
    found = leaf({name: part}, name)
    assert (found.unit, found.label) == (unit, label)


@pytest.mark.parametrize(
    "part",
    [
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/text"}]},
        {"enum": ["a", None]},
    ],
)
def test_what_may_be_null(part: dict[str, Any]) -> None:
    schema = of({"a": part}, **{"$defs": {"text": {"type": "string"}}})
    found = read_schema(schema).fields["a"]
    assert found.is_nullable


def test_what_a_value_has_to_fit() -> None:
    found = leaf({"a": {"type": "integer", "minimum": 3, "maximum": 9}})
    assert [found.fits(value) for value in (2, 3, 9, 10)] == [False, True, True, False]


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = of({"a": schema})
    return schema


REFUSED: list[tuple[Any, str]] = [
    (None, "invalid_schema"),
    ([], "invalid_schema"),
    ("string", "invalid_schema"),
    (of({"a": {"type": "text"}}), "invalid_schema"),
    (of({"a": 7}), "invalid_schema"),
    ({"type": "string"}, "unsupported_schema"),
    ({"type": "array", "items": {"type": "string"}}, "unsupported_schema"),
    ({"type": "object"}, "unsupported_schema"),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "unsupported_schema"),
    (of({"a": {}}), "unsupported_schema"),
    (of({"a": True}), "unsupported_schema"),
    (of({"a": {"type": "null"}}), "unsupported_schema"),
    (of({"a": {"type": ["string", "number"]}}), "unsupported_schema"),
    (of({"a": {"type": "string", "pattern": "(a+)+$"}}), "unsupported_schema"),
    (of({"a": {"anyOf": [{"type": "string"}, {"type": "number"}]}}), "unsupported_schema"),
    (of({"a": {"not": {"type": "string"}}}), "unsupported_schema"),
    (of({"a": {"enum": [{"b": 1}]}}), "unsupported_schema"),
    (of({"a": {"$ref": "https://example.org/schema"}}), "unsupported_schema"),
    (of({"a": {"$ref": "#/$defs/missing"}}), "unsupported_schema"),
    (of({"a": {"$ref": "#/$defs/a"}}, **{"$defs": {"a": {"$ref": "#/$defs/a"}}}), "unsupported_schema"),
    (of({"a": {"$ref": "#/$defs/a"}}, **{"$defs": {"a": of({"a": {"$ref": "#/$defs/a"}})}}), "unsupported_schema"),
    (of({"a": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}), "unsupported_schema"),
    (of({"a": {"type": "string"}}, required=["b"]), "unsupported_schema"),
    (of({f"a{n}": {"type": "string"} for n in range(25)}), "unsupported_schema"),
    (of({"a": {"type": "string", "description": "x" * 20_001}}), "unsupported_schema"),
    (deep(7), "unsupported_schema"),
]


@pytest.mark.parametrize(("schema", "code"), REFUSED)
def test_what_cannot_be_filled_is_refused(schema: Any, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_schema(schema)
    assert refused.value.code == code
    assert refused.value.hint


def test_references_that_stand_for_very_many_fields_are_refused_at_once() -> None:
    # Read to its end it would be a hundred million fields.
    definitions: dict[str, Any] = {
        f"level{level}": of({f"p{at}": {"$ref": f"#/$defs/level{level + 1}"} for at in range(100)})
        for level in range(3)
    }
    definitions["level3"] = of({f"p{at}": {"type": "string"} for at in range(100)})
    with pytest.raises(InvalidInput, match="at most 24 fields"):
        read_schema(of({"a": {"$ref": "#/$defs/level0"}}, **{"$defs": definitions}))


@pytest.mark.parametrize("pattern", ["(" * 5000 + ")" * 5000, "a{99999999999999999999}", "("])
def test_a_pattern_is_refused_without_being_compiled(pattern: str) -> None:
    with pytest.raises(InvalidInput, match="“pattern” is not supported"):
        read_schema(of({"a": {"type": "string", "pattern": pattern}}))


def test_a_list_of_very_many_choices_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 200 choices"):
        read_schema(of({"a": {"enum": ["beam"] * 201}}))


def test_a_description_is_searched_for_up_to_a_limit() -> None:
    shape = read_schema(of({"a": {"type": "string", "description": "cover " * 2000}}))
    [leaf] = shape.fields.values()
    assert isinstance(leaf, ValueSchema)
    assert len(leaf.label) <= 400


def test_a_divisor_that_no_number_can_be_held_against_allows_nothing() -> None:
    assert not ValueSchema(kind=FieldKind.NUMBER, limits={"type": "number", "multipleOf": 10**400}).fits(1.5)
