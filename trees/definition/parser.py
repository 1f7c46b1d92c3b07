"""The JSON of a decision tree, read strictly.

A tree is `{"rootNodeId": id, "nodes": {id: node}}`, in camelCase. A node has an `id`, a `label` and a `type`:

- `condition`: `condition {field, operator: eq|gt|gte|lt|lte|contains|in, value}`, `trueChildId`, `falseChildId`;
- `question`: `question {text, options?, extractFrom?}`, `childrenByAnswer {answer: node id}`;
- `action` (the end): `action {recommendation, sourceHint?, severity?: info|warning|critical}`.

`gte` is “at least”, `lte` “at most”. `value` is a text or a number, for `in` a list of them; true and false may be
written for yes/no fields.
Read as well, and allowed beyond that form:

- `question.synonyms`: `{option: [words]}`, other ways to say an option;
- `fields`, beside `nodes`: what a field holds,
  `{name: {type: choice|number|boolean|text, unit?, options?, synonyms?, question?}}`.
  `unit` is the one its bare numbers are in; `question` is asked when the fact is missing. The keys of
  `synonyms` are options; `yes` and `no` for a boolean; for a number the field's own name;
- `name` and `description`, when the tree is kept in a file of its own.

Any other key is ignored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from lexic.errors import InvalidInput
from trees.definition.nodes import (
    FIELD_TYPES,
    IMPORTANCES,
    OPERATORS,
    ActionNode,
    Condition,
    ConditionNode,
    FieldDeclaration,
    FieldType,
    Importance,
    Node,
    Operator,
    Problem,
    QuestionNode,
    Synonyms,
    Tree,
    TreeAction,
    TreeQuestion,
)
from trees.quantities import UNIT_SYMBOLS, find_unit, parse_quantity

MAX_NODES = 2000
MAX_FIELDS = 200
MAX_VALUES = 100_000
MAX_NESTING_DEPTH = 40
MAX_TEXT_LENGTH = 2000
MAX_NAME_LENGTH = 200
MAX_LIST_LENGTH = 200


class InvalidTree(InvalidInput):
    """The decision tree cannot be read."""

    code = "invalid_tree"
    hint = "Correct the problems listed, or run `manage.py check_trees` to see them all."

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__(f"{type(self).__doc__} {problems[0].message}" if problems else None)


@dataclass(frozen=True, kw_only=True)
class ParsedTree:
    """What could be read, and what was wrong with the rest.

    `loose` holds the children of the nodes that could not be read, so that the others can still be judged.
    """

    tree: Tree
    problems: list[Problem]
    loose: Mapping[str, tuple[str, ...]]


def parse_tree(tree_data: object) -> Tree:
    """The tree in this JSON value.

    Raises InvalidTree when a part is missing or of the wrong type. Whether the parts fit together
    (children that exist, no circles) is for `trees.validation.tree_problems`: such a tree can be walked until it ends.
    """
    reading = parse_with_problems(tree_data)
    if reading.problems:
        raise InvalidTree(reading.problems)
    return reading.tree


def parse_with_problems(tree_data: object) -> ParsedTree:
    """Reads as much of the tree as can be read, with every problem of its form. Never raises."""
    if problem := find_storage_problem(tree_data):
        return ParsedTree(tree=Tree(root_id="", nodes={}), problems=[problem], loose={})
    reader = _TreeParser()
    tree = reader.tree(cast("dict[str, Any]", tree_data))
    return ParsedTree(tree=tree, problems=reader.problems, loose=reader.loose)


def find_storage_problem(tree_data: object) -> Problem | None:
    """Why this value cannot even be stored, as a draft to be mended; None when it can."""
    if not isinstance(tree_data, dict):
        return Problem(
            code="not_a_tree",
            message="A tree is a JSON object.",
            hint='Start with {"rootNodeId": "…", "nodes": {…}}.',
        )
    count, stack = 0, [(tree_data, 0)]
    while stack:
        value, depth = stack.pop()
        count += 1
        if count > MAX_VALUES or depth > MAX_NESTING_DEPTH:
            return Problem(code="too_large", message="The tree is too large or nested too deeply.")
        if not _is_storable(value):
            return Problem(
                code="unreadable_text", message="The tree holds a character or number that cannot be stored."
            )
        stack.extend((part, depth + 1) for part in _nested_values(value))
    return None


def _nested_values(value: object) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _is_storable(value: object) -> bool:
    """PostgreSQL keeps neither NUL, nor half of a surrogate pair, nor NaN in JSON."""
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, str) or not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value)


@dataclass
class _TreeParser:
    problems: list[Problem] = field(default_factory=list)
    loose: dict[str, tuple[str, ...]] = field(default_factory=dict)
    node_id: str | None = None

    def report(self, code: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(code=code, message=message, hint=hint, node_id=self.node_id))

    def tree(self, data: dict[str, Any]) -> Tree:
        root = data.get("rootNodeId")
        if not isinstance(root, str) or not root:
            self.report("missing_root", "The tree does not say where it starts.", "Set rootNodeId to a node's id.")
        nodes = self.nodes(data.get("nodes"))
        self.node_id = None
        return Tree(
            root_id=root if isinstance(root, str) else "",
            nodes=nodes,
            fields=self.fields(data.get("fields", {})),
            name=self.text(data, "name", required=False),
            description=self.text(data, "description", required=False),
        )

    def nodes(self, data: object) -> dict[str, Node]:
        if not isinstance(data, dict) or not data:
            self.report("no_nodes", "The tree has no nodes.", "Put them under nodes, each under its id.")
            return {}
        if len(data) > MAX_NODES:
            self.report("too_large", f"A tree has at most {MAX_NODES} nodes.", "Split it into several trees.")
            return {}
        found = {node_id: self.node(str(node_id), value) for node_id, value in data.items()}
        return {node_id: node for node_id, node in found.items() if node is not None}

    def node(self, node_id: str, data: object) -> Node | None:
        self.node_id = node_id
        if not isinstance(data, dict):
            self.report("not_a_node", f"“{node_id}” is not an object.")
            self.loose[node_id] = ()
            return None
        self.check_id(node_id, data.get("id"))
        label = self.text(data, "label", code="missing_label")
        readers = {
            "condition": self.condition_node,
            "question": self.question_node,
            "action": self.action_node,
        }
        kind = data.get("type")
        if isinstance(kind, str) and kind in readers:
            return readers[kind](node_id, label, data)
        self.report(
            "unknown_type",
            f"A node cannot be of the type {_quote_value(kind)}.",
            f"Use {_join_with_or(tuple(readers))}.",
        )
        self.loose[node_id] = _unparsed_children(data)
        return None

    def check_id(self, key: str, node_id: object) -> None:
        if node_id != key:
            self.report(
                "id_mismatch",
                f"The node under “{key}” has the id {_quote_value(node_id)}.",
                "Make the two the same.",
            )
        if not key or len(key) > MAX_NAME_LENGTH:
            self.report("bad_id", f"A node's id has 1 to {MAX_NAME_LENGTH} characters.")

    def condition_node(self, node_id: str, label: str, data: dict[str, Any]) -> Node:
        return ConditionNode(
            id=node_id,
            label=label,
            condition=self.condition(data.get("condition")),
            true_child=self.child(data, "trueChildId"),
            false_child=self.child(data, "falseChildId"),
        )

    def condition(self, data: object) -> Condition:
        if not isinstance(data, dict):
            self.report("missing_condition", "A condition node needs a condition.", "Give field, operator and value.")
            return Condition(field="", operator="eq", value="")
        operator = data.get("operator")
        if not isinstance(operator, str) or operator not in OPERATORS:
            self.report(
                "unknown_operator",
                f"There is no operator {_quote_value(operator)}.",
                f"Use {_join_with_or(OPERATORS)}.",
            )
            operator, value = "eq", ""
        else:
            value = self.condition_value(operator, data.get("value"))
        name = self.text(data, "field", code="missing_field", limit=MAX_NAME_LENGTH)
        return Condition(field=name, operator=cast("Operator", operator), value=value)

    def condition_value(self, operator: str, value: object) -> Any:
        if operator == "in":
            if isinstance(value, list) and 0 < len(value) <= MAX_LIST_LENGTH and all(map(_is_scalar, value)):
                return tuple(value)
            self.report("wrong_value", "`in` needs a list of values.", 'Write, for example, ["beam", "slab"].')
            return ()
        if _is_scalar(value):
            return value
        self.report("wrong_value", f"`{operator}` needs one value, a text or a number.")
        return ""

    def question_node(self, node_id: str, label: str, data: dict[str, Any]) -> Node:
        return QuestionNode(
            id=node_id,
            label=label,
            question=self.question(data.get("question")),
            children_by_answer=self.answers(data.get("childrenByAnswer", {})),
        )

    def question(self, data: object) -> TreeQuestion:
        if not isinstance(data, dict):
            self.report("missing_question", "A question node needs a question.", "Give at least its text.")
            return TreeQuestion(text="")
        return TreeQuestion(
            text=self.text(data, "text", code="missing_question"),
            options=self.texts(data.get("options"), "options"),
            extract_from=self.text(data, "extractFrom", required=False, limit=MAX_NAME_LENGTH) or None,
            synonyms=self.synonyms(data.get("synonyms")),
        )

    def answers(self, data: object) -> dict[str, str]:
        if not isinstance(data, dict) or len(data) > MAX_LIST_LENGTH:
            self.report("wrong_type", f"childrenByAnswer is an object of at most {MAX_LIST_LENGTH} answers.")
            return {}
        bad = [answer for answer, child in data.items() if not isinstance(child, str) or not answer.strip()]
        for answer in bad:
            self.report("wrong_type", f"The answer “{answer:.60}” does not name a node.", "Give the node's id.")
        return {answer: child for answer, child in data.items() if answer not in bad}

    def child(self, data: dict[str, Any], key: str) -> str | None:
        value = data.get(key)
        if value is not None and not isinstance(value, str):
            self.report("wrong_type", f"{key} is not a node's id.")
        return value if isinstance(value, str) and value else None

    def action_node(self, node_id: str, label: str, data: dict[str, Any]) -> Node:
        return ActionNode(id=node_id, label=label, action=self.action(data.get("action")))

    def action(self, data: object) -> TreeAction:
        if not isinstance(data, dict):
            self.report("missing_recommendation", "An action node needs an action with a recommendation.")
            return TreeAction(recommendation="")
        severity = data.get("severity")
        if severity is not None and severity not in IMPORTANCES:
            self.report(
                "unknown_severity",
                f"There is no severity {_quote_value(severity)}.",
                f"Use {_join_with_or(IMPORTANCES)}.",
            )
            severity = None
        return TreeAction(
            recommendation=self.text(data, "recommendation", code="missing_recommendation"),
            source_hint=self.text(data, "sourceHint", required=False),
            severity=cast("Importance | None", severity),
        )

    def fields(self, data: object) -> dict[str, FieldDeclaration]:
        if not isinstance(data, dict) or len(data) > MAX_FIELDS:
            self.report("bad_field", f"fields is an object of at most {MAX_FIELDS} declarations.")
            return {}
        return {name: self.declaration(name, declared) for name, declared in data.items()}

    def declaration(self, name: str, data: object) -> FieldDeclaration:
        if not isinstance(data, dict) or data.get("type") not in FIELD_TYPES or not name or len(name) > MAX_NAME_LENGTH:
            self.report("bad_field", f"The field “{name:.60}” has no known type.", f"Use {_join_with_or(FIELD_TYPES)}.")
            return FieldDeclaration(type="text")
        symbol = self.text(data, "unit", required=False, limit=MAX_NAME_LENGTH)
        if symbol and (data["type"] != "number" or find_unit(symbol) is None):
            hint = f"Only numbers have a unit: {', '.join(UNIT_SYMBOLS)}."
            self.report("bad_field", f"The field “{name:.60}” cannot have the unit “{symbol:.60}”.", hint)
            symbol = ""
        return FieldDeclaration(
            type=cast("FieldType", data["type"]),
            unit=symbol or None,
            options=self.texts(data.get("options"), "options"),
            synonyms=self.synonyms(data.get("synonyms")),
            question=self.text(data, "question", required=False),
        )

    def synonyms(self, data: object) -> Synonyms:
        if data is None:
            return {}
        if not isinstance(data, dict) or len(data) > MAX_LIST_LENGTH:
            self.report("wrong_type", "synonyms is an object: option to list of words.")
            return {}
        return {option: self.texts(others, "synonyms") for option, others in data.items()}

    def texts(self, data: object, name: str) -> tuple[str, ...]:
        if data is None:
            return ()
        texts = [item for item in data if isinstance(item, str) and item.strip()] if isinstance(data, list) else []
        is_valid = isinstance(data, list) and len(texts) == len(data) <= MAX_LIST_LENGTH
        if is_valid and all(len(text) <= MAX_NAME_LENGTH for text in texts):
            return tuple(texts)
        self.report("wrong_type", f"{name} is a list of at most {MAX_LIST_LENGTH} short texts, none of them empty.")
        return ()

    def text(
        self,
        data: dict[str, Any],
        key: str,
        *,
        required: bool = True,
        code: str = "wrong_type",
        limit: int = MAX_TEXT_LENGTH,
    ) -> str:
        value = data.get(key)
        if value is None and not required:
            return ""
        if not isinstance(value, str) or (required and not value.strip()):
            self.report(code if required else "wrong_type", f"{key} is missing or is not a text.")
            return ""
        if len(value) > limit:
            self.report("too_long", f"{key} has {len(value)} characters; at most {limit} are allowed.")
        return value


def _join_with_or(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _is_scalar(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip()) and len(value) <= MAX_TEXT_LENGTH
    return isinstance(value, bool) or parse_quantity(value) is not None


def _unparsed_children(data: dict[str, Any]) -> tuple[str, ...]:
    answers = data.get("childrenByAnswer")
    candidates = [data.get("trueChildId"), data.get("falseChildId")]
    candidates += answers.values() if isinstance(answers, dict) else []
    return tuple(child for child in candidates if isinstance(child, str))


def _quote_value(value: object) -> str:
    """The value as text. The keys of an object are in the database's order, so that the text is always the same."""
    return (
        f"{json.dumps(value, sort_keys=True, default=str):.60}" if isinstance(value, dict | list) else f"{value!r:.60}"
    )
