"""The fields of a tree's facts: declared by its author, or derived from the nodes that use them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from language.units import are_units_comparable
from trees.definition.nodes import (
    NUMBER_OPERATORS,
    Condition,
    FieldDeclaration,
    FieldType,
    QuestionNode,
    Scalar,
    Synonyms,
    Tree,
)
from trees.quantities import (
    CURRENCY_SYMBOLS,
    DAY,
    WORKDAY,
    NumberWithUnit,
    Unit,
    convert_to_unit,
    find_unit,
    parse_quantity,
)
from trees.words import normalise, split_identifier

YES = frozenset({"yes", "true", "y"})
NO = frozenset({"no", "false", "n"})
# Words that make a name a sentence but say nothing themselves.
_FILLER_WORDS = frozenset({"is", "has", "are", "does", "do", "the", "a"})
_WORKDAYS = re.compile(r"\b(?:(?:working|business) days?|workdays?)\b")
_COUNTED_WORKDAYS = re.compile(r"\bhow many (?:(?:working|business) days|workdays)\b")
_COUNTED_ANYWHERE = (*CURRENCY_SYMBOLS, "%")
# “How old is the driver?” asks for years.
_UNITS_OF_WORDS = {"old": "year", "age": "year"}


@dataclass(frozen=True, kw_only=True)
class FactField:
    """A named value that a tree reads.

    `closed`: only the options count as answers. `question_text` is the question to ask when it is missing.
    `named`: its name was chosen to be read (it is not the id of a question node), so a text may mention it.
    `counted_units`: a number in one of these units counts as it is written; None: in any, where the field has no unit.
    """

    name: str
    type: FieldType
    unit: Unit | None = None
    options: tuple[str, ...] = ()
    synonyms: Synonyms = field(default_factory=dict)
    closed: bool = False
    question_text: str = ""
    choices: tuple[str, ...] = ()
    named: bool = True
    counted_units: frozenset[Unit] | None = None

    def number_of(self, quantity: NumberWithUnit) -> float | None:
        """The number in the field's unit; None where the quantity measures something else."""
        if self.counts_as_written(quantity.unit):
            return quantity.number
        return convert_to_unit(quantity, self.unit)

    def counts_as_written(self, unit: Unit | None) -> bool:
        return self.unit is None if self.counted_units is None else unit in self.counted_units

    @property
    def words(self) -> list[str]:
        """The words of its name, without the ones that only fill it and without a unit behind a name of its own: of
        “span_m” the span is meant, of “spacing_inches” the spacing, of “working_days” the days."""
        found = split_identifier(self.name)
        while len(found) > 1 and found[0] in _FILLER_WORDS:
            found = found[1:]
        unit = find_unit(found[-1]) if self.type == "number" and len(found) > 1 else None
        if not unit:
            return found
        is_counted = found[-2].endswith("ing") and found[-1].endswith("s") and are_units_comparable(unit.name, DAY)
        return found if is_counted else found[:-1]


def collect_fields(tree: Tree) -> dict[str, FactField]:
    """Every field the tree declares or reads, by name."""
    conditions: dict[str, list[Condition]] = {}
    for node in tree.conditions:
        conditions.setdefault(node.condition.field, []).append(node.condition)
    questions: dict[str, list[QuestionNode]] = {}
    for question in tree.questions:
        questions.setdefault(question.field, []).append(question)
    names = [*tree.fields, *questions, *conditions]
    return {
        name: _build_field(name, tree.fields.get(name), questions.get(name, []), conditions.get(name, []))
        for name in dict.fromkeys(names)
    }


def units_among(words: Iterable[str], tree: Tree) -> set[str]:
    """The words that are a unit of something that the tree asks a number of: “weeks” where it asks for days, of work as
    well."""
    units = {word: unit.name for word in words if (unit := find_unit(word))}
    if not units:
        return set()
    names = [field.unit.name for field in collect_fields(tree).values() if field.unit]
    own = {DAY if name == WORKDAY else name for name in names}
    return {word for word, unit in units.items() if any(are_units_comparable(name, unit) for name in own)}


def _build_field(
    name: str,
    declared: FieldDeclaration | None,
    questions: list[QuestionNode],
    conditions: list[Condition],
) -> FactField:
    asked = _unique_texts(option for node in questions for option in node.options)
    tested = _unique_texts(str(value) for condition in conditions for value in condition.values)
    kind = declared.type if declared else _infer_type(asked, conditions)
    options = _field_options(kind, declared.options if declared else (), asked, tested)
    choices = ("yes", "no") if kind == "boolean" else (declared.options if declared else ()) or asked
    measured = _field_unit(name, declared, questions, conditions) if kind == "number" else None
    question_text = _field_question(name, kind, declared, questions, measured)
    return FactField(
        name=name,
        type=kind,
        unit=measured,
        options=options,
        synonyms=_merge_synonyms(
            [*([declared.synonyms] if declared else []), *(node.question.synonyms for node in questions)]
        ),
        closed=kind == "choice" and bool(choices),
        question_text=question_text,
        choices=choices,
        named=bool(declared or conditions or any(node.question.extract_from for node in questions)),
        counted_units=_counted_units(f"{name} {question_text}", measured, choices) if kind == "number" else None,
    )


def _field_options(
    kind: FieldType, declared: tuple[str, ...], asked: tuple[str, ...], tested: tuple[str, ...]
) -> tuple[str, ...]:
    if kind == "boolean":
        return ("yes", "no")
    if kind == "number":
        return ()
    return declared or _unique_texts([*asked, *tested])


def _infer_type(asked: tuple[str, ...], conditions: list[Condition]) -> FieldType:
    values: list[Scalar] = [value for condition in conditions for value in condition.values]
    operators = {condition.operator for condition in conditions}
    if operators & NUMBER_OPERATORS:
        return "number"
    if asked or not values:
        return "boolean" if asked and all(map(is_yes_or_no, asked)) else "choice"
    if operators == {"contains"}:
        return "text"
    if all(map(is_yes_or_no, values)):
        return "boolean"
    return "number" if all(parse_quantity(value) for value in values) else "choice"


def is_yes_or_no(value: Scalar) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and normalise(value) in YES | NO)


def _field_unit(
    name: str, declared: FieldDeclaration | None, questions: list[QuestionNode], conditions: list[Condition]
) -> Unit | None:
    """The declared unit, or the first one that a condition compares with. Of working days the author writes “days”."""
    unit = find_unit(declared.unit) if declared and declared.unit else _first_unit(conditions)
    asked = [declared.question] if declared and declared.question else [node.question.text for node in questions]
    return find_unit(WORKDAY) if _counts_workdays(name, " ".join(asked), unit) else unit


def _first_unit(conditions: list[Condition]) -> Unit | None:
    quantities = [parse_quantity(value) for condition in conditions for value in condition.values]
    return next((quantity.unit for quantity in quantities if quantity and quantity.unit), None)


def _counts_workdays(name: str, asked: str, unit: Unit | None) -> bool:
    spoken, asked = " ".join(split_identifier(name)), normalise(asked)
    if unit is None:
        return bool(_WORKDAYS.search(spoken) or _COUNTED_WORKDAYS.search(asked))
    is_said = bool(_WORKDAYS.search(f"{spoken} . {asked}"))
    return unit.name == DAY and is_said and "calendar day" not in asked


def _counted_units(spoken: str, unit: Unit | None, choices: tuple[str, ...]) -> frozenset[Unit] | None:
    """Of working days “10 days” says how many. Without a unit of its own, a field counts in the units that its name,
    its question or its options say, in money and in percent; where none says any and no things are counted (“How many
    rooms?”), in whatever unit a number comes."""
    if unit is not None:
        days = find_unit(DAY) if unit.name == WORKDAY else None
        return frozenset({days} if days else ())
    words = [_UNITS_OF_WORDS.get(word, word) for word in split_identifier(spoken) if word != "in"]
    offered = [quantity.unit for quantity in map(parse_quantity, choices) if quantity]
    said = set(filter(None, [*map(find_unit, words), *offered]))
    if not said and "how many" not in normalise(spoken):
        return None
    return frozenset(said.union(filter(None, map(find_unit, _COUNTED_ANYWHERE))))


def _field_question(
    name: str,
    kind: FieldType,
    declared: FieldDeclaration | None,
    questions: list[QuestionNode],
    measured: Unit | None,
) -> str:
    if declared and declared.question:
        return declared.question
    if questions:
        return questions[0].question.text
    spoken = " ".join(split_identifier(name)) or name
    if kind == "boolean":
        return f"Yes or no: {spoken}?"
    return f"What is the {spoken}{f' (in {measured.symbol})' if measured else ''}?"


def _merge_synonyms(several: Iterable[Synonyms]) -> Mapping[str, tuple[str, ...]]:
    merged: dict[str, tuple[str, ...]] = {}
    for synonyms in several:
        for option, others in synonyms.items():
            merged[option] = _unique_texts([*merged.get(option, ()), *others])
    return merged


def _unique_texts(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
