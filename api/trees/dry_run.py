"""What a tree would do, and what is wrong with it. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.trees.detail import TreeParser
from api.trees.lookup import get_tree
from api.trees.serializers import (
    TreeProblemsSerializer,
    TreeWalkResultSerializer,
    TreeWalkSerializer,
    UnsavedTreeSerializer,
)
from api.views import AuthorView
from trees.cases import walk_by_sentence
from trees.definition.key_order import order_tree_keys
from trees.definition.nodes import Tree
from trees.definition.parser import parse_with_problems
from trees.facts.extraction import facts_from_request
from trees.validation.tree_problems import find_problems
from trees.walk import Walk, decision_path


class ProblemsView(AuthorView):
    @extend_schema(responses=TreeProblemsSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Everything wrong with it, errors first."""
        return _problems_response(get_tree(request, plugin, tree).tree_data)


class UnsavedTreeProblemsView(AuthorView):
    parser_classes = [TreeParser]
    only_looks = True

    @extend_schema(request=UnsavedTreeSerializer, responses=TreeProblemsSerializer)
    def post(self, request: Request) -> Response:
        """Everything wrong with a tree that is not saved anywhere."""
        body = UnsavedTreeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        return _problems_response(body.validated_data["treeData"])


class WalkView(AuthorView):
    parser_classes = [TreeParser]
    only_looks = True

    @extend_schema(request=TreeWalkSerializer, responses=TreeWalkResultSerializer)
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """From the root to a recommendation, or to the question that has to be answered first. `treeData` stands in
        for the tree that is saved."""
        found = get_tree(request, plugin, tree, for_reading=True)
        body = TreeWalkSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        reading = parse_with_problems(said.get("treeData", found.tree_data)).tree
        facts = said.get("facts", {})
        walked = walk_by_sentence(reading, sentence=said["question"], facts=facts)
        return Response(TreeWalkResultSerializer(_walk_json(reading, walked, facts)).data)


def _problems_response(tree_data: Any) -> Response:
    found = find_problems(order_tree_keys(tree_data))
    errors = sum(problem.is_error for problem in found)
    answer = {
        "errors": errors,
        "warnings": len(found) - errors,
        "problems": [problem.as_dict() for problem in found],
    }
    return Response(TreeProblemsSerializer(answer).data)


def _walk_json(tree: Tree, walked: Walk, facts: Mapping[str, Any]) -> dict[str, Any]:
    _, unknown = facts_from_request(tree, facts)
    missing, action = walked.missing, walked.action
    return {
        "outcome": "decided" if action else "clarify" if missing else "nowhere",
        "path": decision_path(walked),
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
