"""Test cases of a tree: what it must do with a sentence or with facts, and how much of it they cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from lexic.errors import InvalidInput
from trees.definition.nodes import ActionNode, ConditionNode, Node, QuestionNode, Tree
from trees.facts.extraction import Fact, InvalidFact, extract_facts, facts_from_request
from trees.facts.fact_limits import MAX_FACTS
from trees.facts.field_values import match_option
from trees.walk import PathStep, Walk, walk

Expectation: TypeAlias = Literal["reaches", "asks"]
# A branch, by the id of its node and by `true`, `false` or the answer as its author wrote it.
Branch: TypeAlias = tuple[str, str]

MAX_CASES = 100
MAX_CASE_NAME_LENGTH = 120
MAX_EXPECTED_LENGTH = 200
MAX_SENTENCE_LENGTH = 2000


class InvalidCase(InvalidInput):
    """A test case cannot be read."""

    code = "invalid_case"
    hint = "A case has a name, a sentence or facts, and what it must reach or ask for."


@dataclass(frozen=True, kw_only=True)
class Case:
    """`expected` is the id of a node that must be reached, or the name of a fact that must be asked for."""

    name: str
    sentence: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    expectation: Expectation = "reaches"
    expected: str = ""


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """How a case went. `said` is what the tree did, in words; `branches` are those it took."""

    case: Case
    passed: bool
    said: str
    nodes: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CaseCoverage:
    """Which ends and branches of a tree its cases reached, and which they did not, in the tree's order."""

    ends: int
    branches: int
    missed_ends: tuple[str, ...]
    missed_branches: tuple[Branch, ...]

    def as_dict(self) -> dict[str, Any]:
        """The coverage as JSON."""
        return {
            "ends": self.ends,
            "branches": self.branches,
            "missedEnds": list(self.missed_ends),
            "missedBranches": [list(branch) for branch in self.missed_branches],
        }


def parse_cases(data: object) -> list[Case]:
    """The cases in this JSON value. Raises InvalidCase."""
    if not isinstance(data, list) or len(data) > MAX_CASES:
        raise InvalidCase(f"The test cases are a list of at most {MAX_CASES}.")
    return [_parse_case(one, number) for number, one in enumerate(data, start=1)]


def _parse_case(data: object, number: int) -> Case:
    if not isinstance(data, dict):
        raise InvalidCase(f"Test case {number} is not an object.")
    if data.get("expectation") not in ("reaches", "asks"):
        raise InvalidCase(f"Test case {number} does not say whether it reaches or asks.")
    facts = data.get("facts", {})
    if not isinstance(facts, dict) or len(facts) > MAX_FACTS:
        raise InvalidCase(f"The facts of test case {number} are an object of at most {MAX_FACTS}.")
    return Case(
        name=_case_text(data, "name", number, limit=MAX_CASE_NAME_LENGTH),
        sentence=_case_text(data, "sentence", number, limit=MAX_SENTENCE_LENGTH, required=False),
        facts=facts,
        expectation=cast("Expectation", data["expectation"]),
        expected=_case_text(data, "expected", number, limit=MAX_EXPECTED_LENGTH),
    )


def _case_text(data: Mapping[str, Any], key: str, number: int, *, limit: int, required: bool = True) -> str:
    value = data.get(key, "")
    if not isinstance(value, str) or len(value) > limit or (required and not value.strip()):
        raise InvalidCase(f"“{key}” of test case {number} has to be a text of at most {limit} characters.")
    return value


def walk_by_sentence(tree: Tree, *, sentence: str, facts: Mapping[str, Any]) -> Walk:
    """The way through the tree by what a sentence says and by what is given, which counts more. Raises InvalidFact."""
    given, _ = facts_from_request(tree, facts)
    said: dict[str, Fact] = extract_facts(tree, question=sentence) if sentence.strip() else {}
    return walk(tree, {**said, **given})


def run_cases(tree: Tree, cases: Iterable[Case]) -> list[CaseResult]:
    """How each case goes, in their order. Never raises."""
    return [_run_case(tree, case) for case in cases]


def _run_case(tree: Tree, case: Case) -> CaseResult:
    try:
        walked = walk_by_sentence(tree, sentence=case.sentence, facts=case.facts)
    except InvalidFact as error:
        return CaseResult(case=case, passed=False, said=error.message)
    nodes = tuple(step.node_id for step in walked.path)
    if case.expectation == "asks":
        passed = walked.missing is not None and walked.missing.field == case.expected
    else:
        # A walk that could only ask at a node has not reached it, as the author means it.
        asked_at = walked.missing.node_id if walked.missing else None
        passed = case.expected in nodes and case.expected != asked_at
    return CaseResult(
        case=case, passed=passed, said=describe_outcome(walked), nodes=nodes, branches=walked_branches(tree, walked)
    )


def describe_outcome(walked: Walk) -> str:
    """A sentence that says where the walk ended."""
    if walked.action:
        return f"reached “{walked.path[-1].label or walked.path[-1].node_id}”"
    if walked.missing:
        return f"asked for {walked.missing.field}"
    return f"led nowhere from “{walked.path[-1].label}”" if walked.path else "did not start"


def walked_branches(tree: Tree, walked: Walk) -> tuple[Branch, ...]:
    """The branches a walk took, in its order."""
    found = [(step.node_id, _step_branch(tree.nodes[step.node_id], step)) for step in walked.path]
    return tuple((node_id, branch) for node_id, branch in found if branch is not None)


def _step_branch(node: Node, step: PathStep) -> str | None:
    if isinstance(node, ConditionNode):
        return step.result if step.result in ("true", "false") else None
    if isinstance(node, QuestionNode) and step.value is not None:
        if step.value in node.children_by_answer:
            return step.value
        return match_option(step.value, tuple(node.children_by_answer))
    return None


def measure_coverage(tree: Tree, results: Sequence[CaseResult]) -> CaseCoverage:
    """What the walks of all cases, passed or not, reached of the tree."""
    ends = [node.id for node in tree.nodes.values() if isinstance(node, ActionNode)]
    branches = [branch for node in tree.nodes.values() for branch in _node_branches(node)]
    walked = {branch for result in results for branch in result.branches}
    reached = {node_id for result in results for node_id in result.nodes}
    return CaseCoverage(
        ends=len(ends),
        branches=len(branches),
        missed_ends=tuple(end for end in ends if end not in reached),
        missed_branches=tuple(branch for branch in branches if branch not in walked),
    )


def _node_branches(node: Node) -> list[Branch]:
    if isinstance(node, ConditionNode):
        sides = (("true", node.true_child), ("false", node.false_child))
        return [(node.id, side) for side, child in sides if child is not None]
    return [(node.id, answer) for answer in node.children_by_answer] if isinstance(node, QuestionNode) else []
