"""The parts of a decision tree, and of what can be wrong with one, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

Operator = Literal["eq", "gt", "gte", "lt", "lte", "contains", "in"]
FieldType = Literal["choice", "number", "boolean", "text"]
Importance = Literal["info", "warning", "critical"]
Severity = Literal["error", "warning"]
Scalar: TypeAlias = str | int | float | bool
Synonyms: TypeAlias = Mapping[str, tuple[str, ...]]

OPERATORS: tuple[str, ...] = get_args(Operator)
NUMBER_OPERATORS: frozenset[Operator] = frozenset({"gt", "gte", "lt", "lte"})
FIELD_TYPES: tuple[str, ...] = get_args(FieldType)
IMPORTANCES: tuple[str, ...] = get_args(Importance)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing wrong with a tree. `node_id` is None when it is not about one node.

    An `error` keeps a tree in use from being published; a `warning` is worth a look.
    """

    code: str
    message: str
    hint: str = ""
    node_id: str | None = None
    severity: Severity = "error"

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def as_dict(self) -> dict[str, str | None]:
        return {
            "code": self.code,
            "severity": self.severity,
            "node": self.node_id,
            "message": self.message,
            "hint": self.hint,
        }


@dataclass(frozen=True, kw_only=True)
class Condition:
    field: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...]

    @property
    def values(self) -> tuple[Scalar, ...]:
        return self.value if isinstance(self.value, tuple) else (self.value,)


@dataclass(frozen=True, kw_only=True)
class TreeQuestion:
    text: str
    options: tuple[str, ...] = ()
    extract_from: str | None = None
    synonyms: Synonyms = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TreeAction:
    recommendation: str
    source_hint: str = ""
    severity: Importance | None = None


@dataclass(frozen=True, kw_only=True)
class ConditionNode:
    id: str
    label: str
    condition: Condition
    true_child: str | None = None
    false_child: str | None = None

    @property
    def children(self) -> tuple[str, ...]:
        return tuple(child for child in (self.true_child, self.false_child) if child is not None)

    @property
    def field(self) -> str:
        """The fact that decides it."""
        return self.condition.field


@dataclass(frozen=True, kw_only=True)
class QuestionNode:
    id: str
    label: str
    question: TreeQuestion
    children_by_answer: Mapping[str, str]

    @property
    def children(self) -> tuple[str, ...]:
        """The nodes behind its answers, in the order in which it offers these."""
        offered = [answer for answer in self.question.options if answer in self.children_by_answer]
        return tuple(self.children_by_answer[answer] for answer in dict.fromkeys([*offered, *self.children_by_answer]))

    @property
    def field(self) -> str:
        """The fact that answers it: the one it is extracted from, or one of its own."""
        return self.question.extract_from or self.id

    @property
    def options(self) -> tuple[str, ...]:
        return self.question.options or tuple(self.children_by_answer)


@dataclass(frozen=True, kw_only=True)
class ActionNode:
    id: str
    label: str
    action: TreeAction

    @property
    def children(self) -> tuple[str, ...]:
        return ()


Node: TypeAlias = ConditionNode | QuestionNode | ActionNode


@dataclass(frozen=True, kw_only=True)
class FieldDeclaration:
    """What the author says about a field. Everything but the type may be left open."""

    type: FieldType
    unit: str | None = None
    options: tuple[str, ...] = ()
    synonyms: Synonyms = field(default_factory=dict)
    question: str = ""


@dataclass(frozen=True, kw_only=True)
class Tree:
    root_id: str
    nodes: Mapping[str, Node]
    fields: Mapping[str, FieldDeclaration] = field(default_factory=dict)
    name: str = ""
    description: str = ""

    @property
    def nodes_from_root(self) -> list[Node]:
        """The nodes that can be reached, those nearer to the root first, and those of a question as it offers them."""
        reached: dict[str, Node] = {}
        waiting = [self.root_id]
        for node_id in waiting:  # grows while it is read
            if node_id in self.nodes and node_id not in reached:
                reached[node_id] = self.nodes[node_id]
                waiting += self.nodes[node_id].children
        return list(reached.values())

    @property
    def conditions(self) -> list[ConditionNode]:
        return [node for node in self.nodes.values() if isinstance(node, ConditionNode)]

    @property
    def questions(self) -> list[QuestionNode]:
        return [node for node in self.nodes.values() if isinstance(node, QuestionNode)]

    @property
    def actions(self) -> list[ActionNode]:
        return [node for node in self.nodes.values() if isinstance(node, ActionNode)]
