"""What a tree would do, and what is wrong with it. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.trees.bodies import BareTreeSerializer, TreeProblemsSerializer, TreeWalkedSerializer, TreeWalkSerializer
from api.trees.one import TreeParser
from api.trees.reach import tree_of
from api.views import AuthorView
from trees.cases import walk_by
from trees.facts import facts_from_request
from trees.nodes import Tree
from trees.problems import problems
from trees.reading_order import in_reading_order
from trees.schema import read
from trees.walk import Walk, to_path


class ProblemsView(AuthorView):
    @extend_schema(responses=TreeProblemsSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Everything wrong with it, errors first."""
        return _judged(tree_of(request, plugin, tree).tree_data)


class BareProblemsView(AuthorView):
    parser_classes = [TreeParser]
    only_looks = True

    @extend_schema(request=BareTreeSerializer, responses=TreeProblemsSerializer)
    def post(self, request: Request) -> Response:
        """Everything wrong with a tree that is not saved anywhere."""
        body = BareTreeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        return _judged(body.validated_data["treeData"])


class WalkView(AuthorView):
    parser_classes = [TreeParser]
    only_looks = True

    @extend_schema(request=TreeWalkSerializer, responses=TreeWalkedSerializer)
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """From the root to a recommendation, or to the question that has to be answered first. `treeData` stands in
        for the tree that is saved."""
        found = tree_of(request, plugin, tree, to_look=True)
        body = TreeWalkSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        reading = read(said.get("treeData", found.tree_data)).tree
        facts = said.get("facts", {})
        walked = walk_by(reading, sentence=said["question"], facts=facts)
        return Response(TreeWalkedSerializer(_walked(reading, walked, facts)).data)


def _judged(tree_data: Any) -> Response:
    found = problems(in_reading_order(tree_data))
    errors = sum(problem.is_error for problem in found)
    answer = {
        "errors": errors,
        "warnings": len(found) - errors,
        "problems": [problem.as_dict() for problem in found],
    }
    return Response(TreeProblemsSerializer(answer).data)


def _walked(tree: Tree, walked: Walk, facts: Mapping[str, Any]) -> dict[str, Any]:
    _, unknown = facts_from_request(tree, facts)
    missing, action = walked.missing, walked.action
    return {
        "outcome": "decided" if action else "clarify" if missing else "nowhere",
        "path": to_path(walked),
        "action": action
        and {
            "node": walked.path[-1].node_id,
            "recommendation": action.recommendation,
            "sourceHint": action.source_hint,
            "severity": action.severity,
        },
        "clarification": missing
        and {
            "node": missing.node_id,
            "field": missing.field,
            "question": missing.question,
            "options": list(missing.options),
        },
        "facts": {name: fact.value for name, fact in walked.facts_used.items()},
        "unknownFacts": unknown,
    }
