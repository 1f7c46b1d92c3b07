"""Finds all problems of a tree, before it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trees.definition.fields import FactField, collect_fields
from trees.definition.graph import TreeGraph
from trees.definition.nodes import (
    NUMBER_OPERATORS,
    ActionNode,
    Condition,
    ConditionNode,
    Node,
    Problem,
    QuestionNode,
    Tree,
)
from trees.definition.parser import ParsedTree, parse_with_problems
from trees.facts.field_values import match_option, parse_value
from trees.validation.contradictions import find_contradictions
from trees.words import normalise

MAX_TREE_DEPTH = 200


def find_problems(tree_data: object) -> list[Problem]:
    """Everything wrong with the tree in this JSON value, errors first. Never raises, whatever the value.

    Codes of errors. Form: not_a_tree, too_large, unreadable_text, missing_root, no_nodes, not_a_node,
    unknown_type, id_mismatch, bad_id, missing_label, missing_condition, missing_field, unknown_operator,
    wrong_value, missing_question, missing_recommendation, unknown_severity, bad_field, wrong_type, too_long.
    Structure: dangling_child, missing_child, unmatched_answer, same_answer, cycle, dead_end, unreachable,
    too_deep.
    Codes of warnings: missing_source_hint, not_an_option, not_a_value, already_decided.
    """
    reading = parse_with_problems(tree_data)
    found = [*reading.problems, *_node_problems(reading)]
    graph = TreeGraph.of(reading)
    if graph.nodes:
        found += _structure_problems(reading, graph)
    # What the nodes say is only judged when it could all be read.
    if not reading.problems:
        fields = collect_fields(reading.tree)
        whole = not any(problem.is_error for problem in found)
        found += [problem for node in reading.tree.conditions for problem in _condition_problems(node, fields)]
        found += [problem for node in reading.tree.questions for problem in _option_problems(node, fields[node.field])]
        found += find_contradictions(reading.tree, fields) if whole else []
    return sorted(found, key=lambda problem: not problem.is_error)


def _node_problems(reading: ParsedTree) -> Iterator[Problem]:
    for node in reading.tree.nodes.values():
        if isinstance(node, ConditionNode):
            yield from _missing_child_problems(node)
        elif isinstance(node, QuestionNode):
            yield from _answer_problems(node)
        elif not node.action.source_hint.strip():
            yield _missing_source_hint_problem(node)


def _missing_child_problems(node: ConditionNode) -> Iterator[Problem]:
    for side, child in (("true", node.true_child), ("false", node.false_child)):
        if child is None:
            yield Problem(
                code="missing_child",
                node_id=node.id,
                message=f"“{_node_label(node)}” does not say what follows when it is {side}.",
                hint=f"Set {side}ChildId.",
            )


def _answer_problems(node: QuestionNode) -> Iterator[Problem]:
    if not node.children_by_answer:
        yield Problem(
            code="missing_child",
            node_id=node.id,
            message=f"“{_node_label(node)}” does not say what follows any answer.",
            hint="Set childrenByAnswer: each answer, and the id of the node it leads to.",
        )
        return
    yield from _unmatched_option_problems(node)
    yield from _duplicate_answer_problems(node)


def _unmatched_option_problems(node: QuestionNode) -> Iterator[Problem]:
    options, answers = node.question.options, tuple(node.children_by_answer)
    for option in options:
        if match_option(option, answers) is None:
            yield Problem(
                code="unmatched_answer",
                node_id=node.id,
                message=f"The option “{option:.60}” of “{_node_label(node)}” leads nowhere.",
                hint="Add it to childrenByAnswer.",
            )
    for answer in answers if options else ():
        if match_option(answer, options) is None:
            yield Problem(
                code="unmatched_answer",
                node_id=node.id,
                message=f"The answer “{answer:.60}” of “{_node_label(node)}” is not one of its options.",
                hint="Add it to the options, or remove the branch.",
            )


def _duplicate_answer_problems(node: QuestionNode) -> Iterator[Problem]:
    seen: set[str] = set()
    for answer in map(normalise, node.children_by_answer):
        if answer in seen:
            yield Problem(
                code="same_answer",
                node_id=node.id,
                message=f"Two answers of “{_node_label(node)}” are both “{answer:.60}”.",
                hint="Capital letters and spaces make no difference: keep one of them.",
            )
        seen.add(answer)


def _missing_source_hint_problem(node: ActionNode) -> Problem:
    return Problem(
        code="missing_source_hint",
        node_id=node.id,
        severity="warning",
        message=f"“{_node_label(node)}” has no source hint.",
        hint="Name the table or clause in sourceHint: it helps to find the page that proves it.",
    )


def _structure_problems(reading: ParsedTree, graph: TreeGraph) -> Iterator[Problem]:
    tree = reading.tree
    if tree.root_id and tree.root_id not in graph.nodes:
        yield Problem(
            code="missing_root",
            message=f"The tree starts at “{tree.root_id:.60}”, which does not exist.",
            hint="Set rootNodeId to the id of one of the nodes.",
        )
    yield from _dangling_child_problems(tree, graph)
    yield from _cycle_problems(graph)
    if tree.root_id in graph.nodes:
        yield from _unreachable_problems(tree, graph)


def _dangling_child_problems(tree: Tree, graph: TreeGraph) -> Iterator[Problem]:
    for node_id, children in graph.nodes.items():
        for child in dict.fromkeys(children):
            if child not in graph.nodes:
                yield Problem(
                    code="dangling_child",
                    node_id=node_id,
                    message=f"“{_node_name(tree, node_id)}” leads to “{child:.60}”, which does not exist.",
                    hint="Correct the id, or add the node.",
                )


def _cycle_problems(graph: TreeGraph) -> Iterator[Problem]:
    for start, end in graph.back_edges:
        yield Problem(
            code="cycle",
            node_id=start,
            message=f"“{start:.60}” leads back to “{end:.60}”: the way goes round in a circle.",
            hint="Lead it to another node.",
        )
    for node_id in graph.inescapable_nodes():
        yield Problem(
            code="dead_end",
            node_id=node_id,
            message=f"No way on from “{node_id:.60}” ever reaches a recommendation.",
            hint="Lead one of its branches to an action.",
        )


def _unreachable_problems(tree: Tree, graph: TreeGraph) -> Iterator[Problem]:
    depths = graph.depths(tree.root_id)
    for node_id in graph.nodes:
        if node_id not in depths:
            yield Problem(
                code="unreachable",
                node_id=node_id,
                message=f"No way leads to “{_node_name(tree, node_id)}”.",
                hint="Lead a branch to it, or remove it.",
            )
    if max(depths.values()) >= MAX_TREE_DEPTH:
        yield Problem(
            code="too_deep",
            message=f"A tree has at most {MAX_TREE_DEPTH} nodes on one way.",
            hint="Split it into several trees.",
        )


def _condition_problems(node: ConditionNode, fields: Mapping[str, FactField]) -> Iterator[Problem]:
    field, condition = fields[node.condition.field], node.condition
    if condition.operator in NUMBER_OPERATORS and field.type != "number":
        yield _wrong_value_problem(
            node, f"`{condition.operator}` compares numbers, and {field.name:.60} is a {field.type}."
        )
    elif condition.operator == "contains" and not isinstance(condition.value, str):
        yield _wrong_value_problem(node, "`contains` needs a text.")
    elif condition.operator != "contains":
        yield from _value_problems(node, condition, field)


def _option_problems(node: QuestionNode, field: FactField) -> Iterator[Problem]:
    """A warning, for a tree may still be of use by its other options: whoever chooses this one is asked again."""
    answers = tuple(node.children_by_answer)
    for option in node.options:
        # One that leads nowhere is reported for that.
        if parse_value(option, field) is None and match_option(option, answers) is not None:
            yield Problem(
                code="not_a_value",
                node_id=node.id,
                severity="warning",
                message=f"“{option:.60}” is not a value of {field.name:.60}, which is a {field.type}.",
                hint="People who choose it are asked again: correct it, or declare the field as a choice that has it.",
            )


def _value_problems(node: ConditionNode, condition: Condition, field: FactField) -> Iterator[Problem]:
    for value in condition.values:
        if parse_value(value, field) is not None:
            continue
        if field.type == "choice":
            yield Problem(
                code="not_an_option",
                node_id=node.id,
                severity="warning",
                message=f"“{value!s:.60}” is not one of the options of {field.name:.60}.",
                hint="The condition can never be true for it: correct the value or the options.",
            )
        else:
            unit = f" in {field.unit.symbol}" if field.unit else ""
            yield _wrong_value_problem(node, f"“{value!s:.60}” is not a {field.type}{unit}, as {field.name:.60} is.")


def _wrong_value_problem(node: ConditionNode, message: str) -> Problem:
    return Problem(code="wrong_value", node_id=node.id, message=message, hint="Correct the value or the operator.")


def _node_name(tree: Tree, node_id: str) -> str:
    node = tree.nodes.get(node_id)
    return _node_label(node) if node else node_id[:60]


def _node_label(node: Node) -> str:
    return (node.label or node.id)[:60]
