"""The JSON schema of a caller as the fields that an answer fills. It knows nothing of questions or storage.

What can be filled from sentences is read: objects, arrays, texts, numbers, dates, true and false, and lists of choices,
each of which may be null. What cannot be filled, or whose check would take a pattern of the caller's, is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from language.lazy_pattern import lazy_pattern
from language.units import UNIT_PATTERN, parse_unit
from lexic.errors import InvalidInput

MAX_FIELDS, MAX_DEPTH, MAX_SCHEMA_CHARACTERS = 24, 5, 20_000
MAX_CHOICES = 200
# A label is searched for like a question.
_MAX_LABEL = 400
# What says more than can be kept: a pattern of the caller's could take for ever, the others have no one value.
_UNSUPPORTED = (
    *("pattern", "patternProperties", "propertyNames", "not", "if", "then", "else", "prefixItems", "contains"),
    *("dependentSchemas", "dependentRequired", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef"),
    *("minProperties", "maxProperties", "contentEncoding", "contentSchema"),
)
# What a value is held against when it was found.
_LIMITS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "format",
)
_DATE_FORMATS = {"date": "date", "date-time": "datetime"}
_REFERENCE = re.compile(r"#/(\$defs|definitions)/([^/]{1,200})")
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_STATED_UNIT = lazy_pattern(rf"(?:\bin |\()({UNIT_PATTERN})(?![\w/])")


class UnsupportedSchema(InvalidInput):
    """This schema asks for something that cannot be filled from sentences."""

    code = "unsupported_schema"
    hint = (
        "Use objects, arrays, strings, numbers, integers, booleans, dates and enums; let what may be unknown be null,"
        " and describe each field in its `description`."
    )


class InvalidSchema(InvalidInput):
    """This is no JSON schema."""

    code = "invalid_schema"
    hint = "Send a JSON schema (draft 2020-12) whose root is an object."


class FieldKind(StrEnum):
    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    CHOICE = "choice"


@dataclass(frozen=True, kw_only=True)
class ValueSchema:
    """A field with one value. `label` says in words what the value is. `unit` is the unit of its numbers, as pint calls
    it. `choices` are the values that it may have. `limits` is the part of the schema that it must fit."""

    kind: FieldKind
    label: str = ""
    unit: str = ""
    choices: tuple[Any, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    is_nullable: bool = False

    def fits(self, value: Any) -> bool:
        """Whether the value is what the schema allows."""
        import jsonschema  # slow import

        checker = jsonschema.FormatChecker()
        try:
            return jsonschema.Draft202012Validator(dict(self.limits), format_checker=checker).is_valid(value)
        except OverflowError:  # an integer that no float can hold, as a divisor
            return False


@dataclass(frozen=True, kw_only=True)
class ObjectSchema:
    """An object of fields, each by its name; `required` are those that must not be left out."""

    fields: Mapping[str, ValueSchema | ObjectSchema | ArraySchema]
    required: frozenset[str] = frozenset()
    is_nullable: bool = False


@dataclass(frozen=True, kw_only=True)
class ArraySchema:
    """An array, each of whose items is like `item`."""

    item: ValueSchema | ObjectSchema
    label: str = ""
    min_items: int = 0
    max_items: int | None = None
    is_nullable: bool = False


Node = ValueSchema | ObjectSchema | ArraySchema


def read_schema(schema: Any) -> ObjectSchema:
    """The fields of a schema. Raises `InvalidSchema`, `UnsupportedSchema`; `param` names the place in the schema."""
    import jsonschema  # slow import

    if not isinstance(schema, Mapping):
        raise InvalidSchema
    if len(json.dumps(schema)) > MAX_SCHEMA_CHARACTERS:
        raise UnsupportedSchema(f"A schema has at most {MAX_SCHEMA_CHARACTERS} characters.")
    try:
        # Without formats: one of them would compile the caller's patterns.
        jsonschema.Draft202012Validator.check_schema(schema, format_checker=None)
    except jsonschema.SchemaError as error:
        raise InvalidSchema(f"This is no JSON schema: {error.message[:200]}") from None
    root = _Reader(schema).read(schema, name="", at="")
    if not isinstance(root, ObjectSchema):
        raise UnsupportedSchema("The root of the schema is an object.")
    return root


def leaves(node: Node) -> Iterator[ValueSchema]:
    """All fields with one value, at any depth."""
    if isinstance(node, ValueSchema):
        yield node
    else:
        for inner in node.fields.values() if isinstance(node, ObjectSchema) else [node.item]:
            yield from leaves(inner)


def words_of_name(name: str) -> str:
    """The words of a field's name, which is written in camel case or with underscores."""
    return " ".join(part.lower() if len(part) > 3 else part for part in _NAME_PART.findall(name[:200]))


class _Reader:
    """Reads the parts of one schema, whose references lead into itself."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema
        self.field_count = 0

    def read(self, part: Any, *, name: str, at: str, depth: int = 0, about: str = "") -> Node:
        """One part at this place; `about` is what the parts around it are about."""
        if depth > MAX_DEPTH:
            raise UnsupportedSchema(f"{at}: A schema has at most {MAX_DEPTH} levels, and does not contain itself.")
        part, is_nullable = self._simplify(part, at=at)
        if found := [word for word in _UNSUPPORTED if word in part]:
            raise UnsupportedSchema(f"{at or 'The schema'}: “{found[0]}” is not supported.")
        kind = _type_of(part, at=at)
        label = _label_of(part, name=name, about=about)
        if kind == "object":
            return self._read_object(part, at=at, depth=depth, about=words_of_name(name), is_nullable=is_nullable)
        if kind == "array":
            item = self.read(part.get("items", {}), name=name, at=f"{at}/items", depth=depth + 1, about=about)
            if isinstance(item, ArraySchema):
                raise UnsupportedSchema(f"{at}: Arrays of arrays are not supported.")
            least, most = part.get("minItems", 0), part.get("maxItems")
            return ArraySchema(item=item, label=label, min_items=least, max_items=most, is_nullable=is_nullable)
        # Counted while it is read: a few references can stand for any number of fields.
        self.field_count += 1
        if self.field_count > MAX_FIELDS:
            raise UnsupportedSchema(f"A schema has at most {MAX_FIELDS} fields.")
        return _read_leaf(part, kind=kind, name=name, label=label, is_nullable=is_nullable)

    def _read_object(
        self, part: Mapping[str, Any], *, at: str, depth: int, about: str, is_nullable: bool
    ) -> ObjectSchema:
        properties = part.get("properties", {})
        if not properties:
            raise UnsupportedSchema(f"{at or 'The schema'}: An object says in `properties` what is in it.")
        fields = {
            name: self.read(inner, name=name, at=f"{at}/{name[:60]}", depth=depth + 1, about=about)
            for name, inner in properties.items()
        }
        missing = set(part.get("required", [])) - fields.keys()
        if missing:
            raise UnsupportedSchema(f"{at or 'The schema'}: “{min(missing)[:60]}” is required and is not described.")
        return ObjectSchema(fields=fields, required=frozenset(part.get("required", [])), is_nullable=is_nullable)

    def _simplify(self, part: Any, *, at: str) -> tuple[dict[str, Any], bool]:
        """The part without references and alternatives to null, and whether it may be null."""
        is_nullable = False
        for _ in range(2 * MAX_DEPTH):
            if not isinstance(part, Mapping):
                raise UnsupportedSchema(f"{at or 'The schema'}: This says nothing about the value.")
            joined = next((name for name in ("$ref", "anyOf", "oneOf", "allOf") if name in part), None)
            if joined is None:
                return _without_null(part, is_nullable=is_nullable)
            inner = [self._resolve(part["$ref"], at=at)] if joined == "$ref" else list(part[joined])
            others = [one for one in inner if not _is_null(one)]
            is_nullable = is_nullable or len(others) < len(inner)
            if len(others) != 1:
                raise UnsupportedSchema(f"{at or 'The schema'}: Of alternatives, one may be something else than null.")
            around = {name: value for name, value in part.items() if name != joined}
            part = {**others[0], **around} if isinstance(others[0], Mapping) else others[0]
        raise UnsupportedSchema(f"{at or 'The schema'}: This leads to itself.")

    def _resolve(self, reference: str, *, at: str) -> Any:
        found = _REFERENCE.fullmatch(reference)
        definitions = self.schema.get(found[1]) if found else None
        if found is None or not isinstance(definitions, Mapping) or found[2] not in definitions:
            raise UnsupportedSchema(f"{at or 'The schema'}: A `$ref` leads to `$defs` of the same schema.")
        return definitions[found[2]]


def _is_null(part: Any) -> bool:
    return isinstance(part, Mapping) and (part.get("type") == "null" or part.get("const", 0) is None)


def _without_null(part: Mapping[str, Any], *, is_nullable: bool) -> tuple[dict[str, Any], bool]:
    """The part without null among its types and choices."""
    part = dict(part)
    if isinstance(part.get("type"), list):
        types = [one for one in part["type"] if one != "null"]
        is_nullable = is_nullable or len(types) < len(part["type"])
        # A number is an integer as well.
        part["type"] = "number" if set(types) == {"number", "integer"} else types[0] if len(types) == 1 else types
    if "enum" in part and None in part["enum"]:
        part["enum"], is_nullable = [one for one in part["enum"] if one is not None], True
    return part, is_nullable


def _type_of(part: Mapping[str, Any], *, at: str) -> str:
    if "const" in part or "enum" in part:
        choices = part.get("enum", [part.get("const")])
        if not choices or not all(isinstance(one, (str, int, float, bool)) for one in choices):
            raise UnsupportedSchema(f"{at}: Choices are texts, numbers, true or false.")
        if len(choices) > MAX_CHOICES:
            raise UnsupportedSchema(f"{at}: A field has at most {MAX_CHOICES} choices.")
        return FieldKind.CHOICE
    implied = "object" if "properties" in part else "array" if "items" in part else None
    kind = part.get("type", implied)
    if kind not in ("object", "array", "string", "number", "integer", "boolean"):
        raise UnsupportedSchema(f"{at or 'The schema'}: This has no one `type`.")
    return str(kind)


def _read_leaf(part: Mapping[str, Any], *, kind: str, name: str, label: str, is_nullable: bool) -> ValueSchema:
    limits = {word: part[word] for word in _LIMITS if word in part}
    if kind == FieldKind.CHOICE:
        choices = tuple(part.get("enum", [part.get("const")]))
        return ValueSchema(kind=FieldKind.CHOICE, label=label, choices=choices, is_nullable=is_nullable)
    if kind == "string" and (dated := _DATE_FORMATS.get(part.get("format", ""))):
        return ValueSchema(kind=FieldKind(dated), label=label, limits=limits, is_nullable=is_nullable)
    is_number = kind in ("number", "integer")
    unit, label = _unit_of(part, name=name, label=label) if is_number else ("", label)
    return ValueSchema(
        kind=FieldKind(kind), label=label, unit=unit, limits={"type": kind, **limits}, is_nullable=is_nullable
    )


def _label_of(part: Mapping[str, Any], *, name: str, about: str) -> str:
    """What the field is about: its description, or its name after that of the object that it is in."""
    described = " ".join(_STATED_UNIT.sub(" ", str(part.get("description", ""))).split())
    return described[:_MAX_LABEL].rstrip(" .()") or f"{about} {words_of_name(name)}".strip()


def _unit_of(part: Mapping[str, Any], *, name: str, label: str) -> tuple[str, str]:
    """The unit that the description or the end of the name gives, and the label without one at its end."""
    if stated := _STATED_UNIT.search(str(part.get("description", ""))):
        return parse_unit(stated[1]), label
    words = words_of_name(name).split()
    for count in (2, 1):
        unit = parse_unit(" ".join(words[-count:])) if len(words) > count else ""
        if unit:
            ending = " ".join(words[-count:])
            return unit, label.removesuffix(ending).strip() if label.endswith(ending) else label
    return "", label
