"""Walks from the root of a tree to its recommendation, or to the question that has to be asked first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from trees.definition.fields import FactField, collect_fields
from trees.definition.nodes import ConditionNode, QuestionNode, Scalar, Tree, TreeAction
from trees.facts.conditions import evaluate_condition
from trees.facts.extraction import Fact, FactSource
from trees.facts.field_values import Value, are_same_values, format_value, match_option, parse_value
from trees.facts.measurements import read_bound
from trees.facts.number_ranges import find_outcome

StepKind: TypeAlias = Literal["condition", "question", "action"]

NOT_EVALUATED = "not evaluated"
NOT_ANSWERED = "not answered"


@dataclass(frozen=True, kw_only=True)
class PathStep:
    """A node on the way. A question has the answer as `value`; a condition `true` or `false` as `result` and
    the fact it looked at as `value`; an action its recommendation as `result`. `source` tells where the fact
    came from, and `is_bound` that no number is known, but that every one within the bound leads here."""

    node_id: str
    label: str
    kind: StepKind
    value: str | None = None
    result: str | None = None
    source: FactSource | None = None
    is_bound: bool = False


@dataclass(frozen=True, kw_only=True)
class MissingFact:
    """The question to ask back. `options` is empty when any answer will do."""

    field: str
    question: str
    options: tuple[str, ...]
    node_id: str


@dataclass(frozen=True, kw_only=True)
class Walk:
    """The way through a tree. With neither an action nor a missing fact, the way led nowhere."""

    path: tuple[PathStep, ...] = ()
    action: TreeAction | None = None
    missing: MissingFact | None = None
    facts_used: Mapping[str, Fact] = field(default_factory=dict)


def walk(tree: Tree, facts: Mapping[str, Fact]) -> Walk:
    """Follow the tree by these facts.

    A fact that is missing, or that its field cannot make sense of, ends the walk with the question to ask:
    nothing unknown ever counts as false. A bound decides a condition that comes out alike for all numbers within
    it. A child that does not exist, or a circle, ends it without an action.
    """
    walker = _Walker(tree=tree, facts=facts, fields=collect_fields(tree))
    return walker.walk()


@dataclass
class _Walker:
    tree: Tree
    facts: Mapping[str, Fact]
    fields: Mapping[str, FactField]
    steps: list[PathStep] = field(default_factory=list)
    used: dict[str, Fact] = field(default_factory=dict)
    action: TreeAction | None = None
    missing: MissingFact | None = None

    def walk(self) -> Walk:
        here: str | None = self.tree.root_id
        visited: set[str] = set()
        while here is not None and here not in visited and here in self.tree.nodes:
            visited.add(here)
            here = self.step(here)
        return Walk(path=tuple(self.steps), action=self.action, missing=self.missing, facts_used=self.used)

    def step(self, node_id: str) -> str | None:
        """Take one step, and return the id of the next node."""
        node = self.tree.nodes[node_id]
        if isinstance(node, ConditionNode):
            return self.evaluate(node)
        if isinstance(node, QuestionNode):
            return self.answer(node)
        self.action = node.action
        self.steps.append(PathStep(node_id=node.id, label=node.label, kind="action", result=node.action.recommendation))
        return None

    def evaluate(self, node: ConditionNode) -> str | None:
        of = self.fields[node.condition.field]
        fact = self.facts.get(of.name)
        result = None if fact is None else _condition_outcome(node, fact, of)
        if fact is None or result is None:
            self.ask(node, of)
            return None
        self.record(node, "condition", of, value=_stated_value(fact, of), result="true" if result else "false")
        return node.true_child if result else node.false_child

    def answer(self, node: QuestionNode) -> str | None:
        of = self.fields[node.field]
        value = self.read(of)
        chosen = None if value is None else chosen_option(value, node, of)
        if chosen is None:
            self.ask(node, of)
            return None
        self.record(node, "question", of, value=chosen)
        return find_child(chosen, node)

    def read(self, of: FactField) -> Value | None:
        fact = self.facts.get(of.name)
        return None if fact is None else parse_value(fact.value, of)

    def record(
        self,
        node: ConditionNode | QuestionNode,
        kind: StepKind,
        of: FactField,
        *,
        value: str,
        result: str | None = None,
    ) -> None:
        fact = self.used[of.name] = self.facts[of.name]
        self.steps.append(
            PathStep(
                node_id=node.id,
                label=node.label,
                kind=kind,
                value=value,
                result=result,
                source=fact.source,
                is_bound=fact.bound is not None,
            )
        )

    def ask(self, node: ConditionNode | QuestionNode, of: FactField) -> None:
        is_question = isinstance(node, QuestionNode)
        self.steps.append(
            PathStep(
                node_id=node.id,
                label=node.label,
                kind="question" if is_question else "condition",
                result=NOT_ANSWERED if is_question else NOT_EVALUATED,
            )
        )
        self.missing = _missing_fact(node, of)


def _condition_outcome(node: ConditionNode, fact: Fact, of: FactField) -> bool | None:
    if fact.bound:
        return find_outcome(node.condition, field=of, known=fact.bound)
    value = parse_value(fact.value, of)
    return None if value is None else evaluate_condition(node.condition, value=value, field=of)


def _stated_value(fact: Fact, of: FactField) -> str:
    value = None if fact.bound else parse_value(fact.value, of)
    return fact.span if value is None else format_value(value, of)


def _missing_fact(node: ConditionNode | QuestionNode, of: FactField) -> MissingFact:
    if isinstance(node, QuestionNode):
        return MissingFact(field=of.name, question=node.question.text, options=node.options, node_id=node.id)
    return MissingFact(field=of.name, question=of.question_text, options=of.choices, node_id=node.id)


def list_missing_facts(tree: Tree) -> list[MissingFact]:
    """Every question that a walk through this tree can end with."""
    fields = collect_fields(tree)
    conditions = [_missing_fact(node, fields[node.condition.field]) for node in tree.conditions]
    return conditions + [_missing_fact(node, fields[node.field]) for node in tree.questions]


def resolves_missing_fact(tree: Tree, missing: MissingFact, value: Scalar) -> bool:
    """Whether a walk that ended with this question would go on, given this value."""
    node, of = tree.nodes[missing.node_id], collect_fields(tree)[missing.field]
    if isinstance(node, ConditionNode):
        reading = read_bound(value, of) if isinstance(value, str) else None
        fact = Fact(value=value, source="request", bound=reading.bound if reading else None)
        return _condition_outcome(node, fact, of) is not None
    understood = parse_value(value, of)
    return understood is not None and isinstance(node, QuestionNode) and chosen_option(understood, node, of) is not None


def chosen_option(value: Value, node: QuestionNode, of: FactField) -> str | None:
    """The one answer of the question that the value stands for, as its author wrote it."""
    offered = tuple(dict.fromkeys([*node.children_by_answer, *node.options]))
    by_word = match_option(format_value(value, of), offered, node.question.synonyms)
    if by_word is not None:
        return by_word
    understood = {option: parse_value(option, of) for option in offered}
    meant = [option for option, one in understood.items() if one is not None and are_same_values(one, value)]
    return meant[0] if len({find_child(option, node) for option in meant}) == 1 else None


def find_child(answer: str, node: QuestionNode) -> str | None:
    """The node an answer leads to: by its very key, or by the one key that means the same."""
    if answer in node.children_by_answer:
        return node.children_by_answer[answer]
    key = match_option(answer, tuple(node.children_by_answer))
    return None if key is None else node.children_by_answer[key]


def decision_path(walk: Walk) -> list[dict[str, str | int]]:
    """The path as the API shows it: `step` (from 1), `node`, `label`, and `value` or `result`, both texts; both
    where a bound decided."""
    path: list[dict[str, str | int]] = []
    for number, step in enumerate(walk.path, start=1):
        path.append({"step": number, "node": step.node_id, "label": step.label})
        if step.result is not None:
            path[-1]["result"] = step.result
        if step.value is not None and (step.result is None or step.is_bound):
            path[-1]["value"] = step.value
    return path
