"""Facts: the named values a tree decides by, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lexic.errors import InvalidInput
from trees.definition.fields import FactField, collect_fields
from trees.definition.nodes import Scalar, Tree
from trees.facts.fact_limits import MAX_VALUE_LENGTH
from trees.facts.field_mentions import FieldMention, find_mentions
from trees.facts.field_values import Value, format_value, parse_value
from trees.facts.measurements import NumberReading, read_bound, read_numbers
from trees.facts.number_ranges import NumberRange
from trees.facts.short_replies import option_of_reply
from trees.quantities import parse_quantity

FactSource: TypeAlias = Literal["request", "question", "context", "default"]

MAX_READ_LENGTH = 20_000
_UNKNOWN_VALUES = frozenset({"", "unknown", "n/a", "none", "null", "not specified", "unspecified"})


class InvalidFact(InvalidInput):
    """A fact has to be a text, a number, or true or false."""

    code = "invalid_fact"
    hint = 'Send facts as {"field": value}, each value a short text, a number, or true or false.'


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A value of a field, where it was said, and the words that said it.

    `default` is the source of what a caller assumes unless told otherwise. Of a `bound`, the range in which a number
    lies, the value is the words that say it.
    """

    value: Scalar
    source: FactSource
    span: str = ""
    bound: NumberRange | None = None


# None marks a field that was spoken of without a clear value: to be asked, not to be looked for elsewhere.
_FactsByField: TypeAlias = dict[str, Fact | None]


def extract_facts(tree: Tree, *, question: str, context: Sequence[str] = ()) -> dict[str, Fact]:
    """What the question says about the tree's fields; then what earlier turns of the same person said.

    `context` holds their earlier messages, oldest first; the latest that speaks of a field decides.
    An option that is denied (“not severe”), or named beside another one, is not a fact.
    """
    fields = collect_fields(tree)
    said = _facts_in_text(question, fields, "question")
    for message in reversed(context):
        open_fields = {name: field for name, field in fields.items() if name not in said}
        if not open_fields:
            break
        # Every field reads along, so that a longer phrase of another field still counts.
        earlier = _facts_in_text(message, fields, "context")
        said |= {name: fact for name, fact in earlier.items() if name in open_fields}
    return {name: fact for name, fact in said.items() if fact is not None}


def _facts_in_text(text: str, fields: Mapping[str, FactField], source: FactSource) -> _FactsByField:
    text = text[:MAX_READ_LENGTH]
    by_field: dict[str, list[FieldMention]] = {}
    for mention in find_mentions(text, fields, is_reply=source == "request"):
        by_field.setdefault(mention.field, []).append(mention)
    said: _FactsByField = {
        name: _fact_of_mentions(fields[name], found, text, source) for name, found in by_field.items()
    }
    numbers = read_numbers(text, fields)
    return said | {name: _fact_of_number(reading, text, source) for name, reading in numbers.items()}


def _fact_of_number(reading: NumberReading, text: str, source: FactSource) -> Fact | None:
    if not reading.is_clear:
        return None
    span = text[reading.start : reading.end]
    value = span if reading.number is None else _integral_as_int(reading.number)
    return Fact(value=value, source=source, span=span, bound=reading.bound)


def _fact_of_mentions(field: FactField, found: list[FieldMention], text: str, source: FactSource) -> Fact | None:
    span = text[found[0].start : found[0].end]
    if field.type == "boolean":
        sides = {None if one.stance == "unclear" else one.value == (one.stance == "affirmed") for one in found}
        side = sides.pop() if len(sides) == 1 else None
        return None if side is None else Fact(value=side, source=source, span=span)
    values = list(dict.fromkeys(format_value(one.value) for one in found))
    if any(one.stance != "affirmed" for one in found):
        return None
    if field.type == "text":
        return Fact(value=", ".join(values), source=source, span=span)
    return Fact(value=values[0], source=source, span=span) if len(values) == 1 else None


def options_by_words(tree: Tree, facts: Mapping[str, Fact], *, text: str) -> dict[str, list[str]]:
    """The words of the text that state these facts, each with the options that they stand for; a number has none."""
    fields, found = collect_fields(tree), dict[str, list[str]]()
    for mention in find_mentions(text, fields):
        fact = facts.get(mention.field)
        if fact and isinstance(mention.value, str) and mention.value == fact.value and mention.stance == "affirmed":
            found.setdefault(text[mention.start : mention.end], []).append(mention.value)
    for name, reading in read_numbers(text, fields).items():
        if name in facts and reading.is_clear:
            found.setdefault(text[reading.start : reading.end], [])
    return found


def facts_from_request(tree: Tree, given: Mapping[str, Any]) -> tuple[dict[str, Fact], list[str]]:
    """The facts a caller gave, and the names among them that the tree does not read.

    A value is understood as its field holds it where that is possible (“a beam” is the option Beam) and kept
    as given otherwise, so that the walk can ask again. Raises InvalidFact for anything but a short text,
    a finite number, or true or false.
    """
    fields = collect_fields(tree)
    for name, value in given.items():
        _check_fact_value(name, value)
    facts = {
        name: _given_fact(value, fields[name], shown=_options_shown(tree, fields[name]))
        for name, value in given.items()
        if name in fields
    }
    return facts, [name for name in given if name not in fields]


def _check_fact_value(name: str, value: object) -> None:
    is_text = isinstance(value, str) and len(value) <= MAX_VALUE_LENGTH
    if not (is_text or isinstance(value, bool) or (not isinstance(value, str) and parse_quantity(value))):
        raise InvalidFact(f"The fact “{name:.100}” has to be a short text, a number, or true or false.")


def _options_shown(tree: Tree, field: FactField) -> tuple[str, ...]:
    """The options of the field in the order in which the tree shows them; empty where it has several orders."""
    orders = {field.choices, *(node.options for node in tree.questions if node.field == field.name)}
    return orders.pop() if len(orders) == 1 else ()


def _given_fact(value: Scalar, field: FactField, *, shown: Sequence[str]) -> Fact:
    """The fact that this value, as a caller gave it, is for the field."""
    understood = parse_value(value, field)
    if understood is not None and (field.type != "choice" or understood in field.options):
        return Fact(value=_integral_as_int(understood), source="request", span=str(value))
    # It may be an answer in a sentence, such as “it is a beam”.
    found = _fact_in_answer(value, field, shown=shown) if isinstance(value, str) else None
    if found is None:
        return Fact(value=value, source="request", span=str(value))
    return found if found.bound else Fact(value=found.value, source="request", span=str(value))


def _fact_in_answer(text: str, field: FactField, *, shown: Sequence[str]) -> Fact | None:
    reading = read_bound(text, field)
    if reading is not None:
        return _fact_of_number(reading, text, "request")
    said = _facts_in_text(text, {field.name: field}, "request")
    if field.name in said or not field.closed:
        return said.get(field.name)
    option = option_of_reply(text, field, shown=shown)
    return None if option is None else Fact(value=option, source="request", span=text)


def _integral_as_int(value: Value) -> Scalar:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def facts_as_json(facts: Mapping[str, Fact]) -> dict[str, Scalar]:
    """Each fact's value by the name of its field. A bound that a text says is no value, and is read there again."""
    return {name: fact.value for name, fact in facts.items() if not fact.bound or fact.source == "request"}


def fields_json_schema(tree: Tree) -> dict[str, Any]:
    """A JSON schema of the tree's fields, for a language model that fills them in by a tool call.

    Nothing is required: what the question does not say is left out, and asked.
    """
    properties = {name: _field_json_schema(field) for name, field in collect_fields(tree).items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _field_json_schema(field: FactField) -> dict[str, Any]:
    described = {"description": field.question_text}
    if field.type == "number":
        return {"type": "number", **described}
    if field.type == "boolean":
        return {"type": "boolean", **described}
    if field.closed:
        return {"type": "string", "enum": list(field.options), **described}
    return {"type": "string", **described}


def facts_from_tool_call(tree: Tree, arguments: Mapping[str, Any]) -> dict[str, Fact]:
    """The facts in a language model's tool call. What the tree does not read or understand is left out."""
    fields = collect_fields(tree)
    understood = {
        name: parse_value(value, fields[name])
        for name, value in arguments.items()
        if name in fields and _is_known_value(value)
    }
    return {
        name: Fact(value=_integral_as_int(value), source="question", span=str(arguments[name]))
        for name, value in understood.items()
        if value is not None
    }


def _is_known_value(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_VALUE_LENGTH and value.strip().casefold() not in _UNKNOWN_VALUES
    return isinstance(value, bool) or parse_quantity(value) is not None
