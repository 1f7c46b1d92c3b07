"""The fields of a tree's facts: declared by its author, or derived from the nodes that use them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

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
from trees.quantities import Unit, find_unit, parse_quantity
from trees.words import normalise, split_identifier

YES = frozenset({"yes", "true", "y"})
NO = frozenset({"no", "false", "n"})
# Words that make a name a sentence but say nothing themselves.
_FILLER_WORDS = frozenset({"is", "has", "are", "does", "do", "the", "a"})


@dataclass(frozen=True, kw_only=True)
class FactField:
    """A named value that a tree reads.

    `closed`: only the options count as answers. `question_text` is the question to ask when it is missing.
    `named`: its name was chosen to be read (it is not the id of a question node), so a text may mention it.
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

    @property
    def words(self) -> list[str]:
        """The words of its name, without the ones that only fill it and without a unit behind a name of its own: of
        “span_m” the span is meant, of “working_days” the days."""
        found = split_identifier(self.name)
        while len(found) > 1 and found[0] in _FILLER_WORDS:
            found = found[1:]
        if self.type != "number" or len(found) < 2 or not find_unit(found[-1]):
            return found
        is_counted = found[-2].endswith("ing") and found[-1].endswith("s")
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
    measured = _field_unit(declared, conditions) if kind == "number" else None
    return FactField(
        name=name,
        type=kind,
        unit=measured,
        options=options,
        synonyms=_merge_synonyms(
            [*([declared.synonyms] if declared else []), *(node.question.synonyms for node in questions)]
        ),
        closed=kind == "choice" and bool(choices),
        question_text=_field_question(name, kind, declared, questions, measured),
        choices=choices,
        named=bool(declared or conditions or any(node.question.extract_from for node in questions)),
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


def _field_unit(declared: FieldDeclaration | None, conditions: list[Condition]) -> Unit | None:
    if declared:
        return find_unit(declared.unit or "")
    quantities = [parse_quantity(value) for condition in conditions for value in condition.values]
    return next((quantity.unit for quantity in quantities if quantity and quantity.unit), None)


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
