"""The decision trees of a plugin: their test cases, their problems, and trial runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from api.etags import etag_response, make_etag, require_match
from api.fields import QueryParameters, validated
from api.pagination import page_response
from api.parsers import StrictJSONParser
from api.plugins.lookup import get_plugin
from api.trees import serializers
from api.views import AuthorView, first_or_raise, put_like
from lexic.errors import NotFound
from trees.case_updates import UnknownCase, add_case, remove_case, update_case
from trees.definition.key_order import order_tree_keys
from trees.definition.nodes import Tree
from trees.definition.parser import parse_with_problems
from trees.drafts import MAX_TREE_BYTES, create_tree, parse_draft, save_draft
from trees.facts.extraction import facts_as_json, facts_from_request
from trees.models import DecisionTree, TreeCase
from trees.tree_order import reorder_trees
from trees.tree_test_cases import Case, measure_coverage, parse_cases, run_cases, walk_by_sentence
from trees.validation.tree_problems import find_problems
from trees.walk import Walk, decision_path


class UnknownTree(NotFound):
    """This plugin has no such tree."""

    code = "unknown_tree"
    hint = "List the trees of the plugin to see their ids."


class TreeParser(StrictJSONParser):
    """Takes as much as the tree editor does, which shows what was sent."""

    max_bytes = MAX_TREE_BYTES


def _get_tree(request: Request, reference: str, pk: UUID, *, for_reading: bool = False) -> DecisionTree:
    """Raises `UnknownTree`, and what `get_plugin` raises."""
    plugin = get_plugin(request, reference, for_reading=for_reading)
    return first_or_raise(plugin.trees.filter(pk=pk), UnknownTree)


# --- The trees of a plugin --------------------------------------------------------------------------------


class TreesView(AuthorView):
    parser_classes = [TreeParser]
    ordering = ("order", "created_at", "pk")

    @extend_schema(parameters=[serializers.TreesParameters], responses=serializers.TreesSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """The trees of the draft, in the order in which they are tried, without what they say: a tree may be large."""
        trees = get_plugin(request, plugin).trees.all()
        is_active = serializers.TreesParameters.read(request)["active"]
        rows = trees if is_active is None else trees.filter(is_active=is_active)
        return page_response(self, rows, serializers.TreeRowSerializer, has_parameters=True)

    @extend_schema(request=serializers.NewTreeSerializer, responses={201: serializers.TreeSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """A new tree, the last to be tried. The answer says what is wrong with it."""
        found = get_plugin(request, plugin)
        fields = validated(serializers.NewTreeSerializer(data=request.data))
        draft = parse_draft({**fields, "tree": fields["treeData"]})
        tree = create_tree(draft, plugin=found, by=self.user, is_active=fields.get("isActive", True))
        response = _tree_response(request, tree, status=201)
        response["Location"] = f"/api/plugins/{found.slug}/trees/{tree.pk}"
        return response


class OrderView(AuthorView):
    @extend_schema(request=serializers.TreeOrderSerializer, responses=serializers.TreeOrderSerializer)
    def put(self, request: Request, plugin: str) -> Response:
        """The order in which the trees are tried. Every tree of the plugin is named once."""
        found = get_plugin(request, plugin)
        body = serializers.TreeOrderSerializer(data=request.data)
        reorder_trees(found, validated(body)["ids"])
        return Response(body.data)


# --- One tree ---------------------------------------------------------------------------------------------


class TreeView(AuthorView):
    parser_classes = [TreeParser]

    @extend_schema(responses=serializers.TreeSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """A tree as it stands in the draft, and what is wrong with it."""
        return _tree_response(request, _get_tree(request, plugin, tree))

    @extend_schema(request=serializers.NewTreeSerializer(partial=True), responses=serializers.TreeSerializer)
    def patch(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Changes the draft; agents still ask the latest release."""
        found = _get_tree(request, plugin, tree)
        fields = validated(serializers.NewTreeSerializer(data=request.data, partial=True))
        with transaction.atomic():
            changed = _update_tree(_lock_tree(request, found), fields, by=self.user)
        return _tree_response(request, changed)

    put = put_like(patch)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Releases keep the tree."""
        found = _get_tree(request, plugin, tree)
        found.plugin.check_deletable()
        with transaction.atomic():
            _lock_tree(request, found).delete()
        return Response(status=204)


def _tree_response(request: Request, tree: DecisionTree, *, status: int = 200) -> Response:
    return etag_response(request, serializers.TreeSerializer(tree).data, etag=_tree_etag(tree), status=status)


def _tree_etag(tree: DecisionTree) -> str:
    return make_etag(tree.pk, tree.version, tree.is_active, tree.order)


def _lock_tree(request: Request, tree: DecisionTree) -> DecisionTree:
    """The same row, locked until the transaction ends. Raises `UnknownTree`, `PreconditionFailed`."""
    locked = first_or_raise(DecisionTree.objects.select_for_update().filter(pk=tree.pk), UnknownTree)
    require_match(request, _tree_etag(locked))
    return locked


def _update_tree(tree: DecisionTree, fields: dict[str, Any], *, by: User) -> DecisionTree:
    """The tree with these fields. A change of `isActive` alone makes no new version of it."""
    if "isActive" in fields:
        tree.is_active = fields["isActive"]
        DecisionTree.objects.filter(pk=tree.pk).update(is_active=tree.is_active)
    if not fields.keys() - {"isActive"}:
        return tree
    draft = {
        "name": fields.get("name", tree.name),
        "description": fields.get("description", tree.description),
        "tree": fields.get("treeData", tree.tree_data),
        "cases": fields["cases"] if "cases" in fields else [case.as_dict() for case in tree.cases.all()],
    }
    return save_draft(parse_draft(draft), tree=tree, version=tree.version, by=by)


# --- What a tree would decide, and what is wrong with it --------------------------------------------------


class ProblemsView(AuthorView):
    @extend_schema(responses=serializers.TreeProblemsSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Everything wrong with it, errors first."""
        return _problems_response(_get_tree(request, plugin, tree).tree_data)


class UnsavedTreeProblemsView(AuthorView):
    parser_classes = [TreeParser]
    is_read_only = True

    @extend_schema(request=serializers.UnsavedTreeSerializer, responses=serializers.TreeProblemsSerializer)
    def post(self, request: Request) -> Response:
        """Everything wrong with a tree that is not saved anywhere."""
        return _problems_response(validated(serializers.UnsavedTreeSerializer(data=request.data))["treeData"])


class WalkView(AuthorView):
    parser_classes = [TreeParser]
    is_read_only = True

    @extend_schema(request=serializers.TreeWalkSerializer, responses=serializers.TreeWalkResultSerializer)
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """From the root to a recommendation, or to the question that has to be answered first. `treeData` stands in
        for the tree that is saved."""
        found = _get_tree(request, plugin, tree, for_reading=True)
        fields = validated(serializers.TreeWalkSerializer(data=request.data))
        parsed = parse_with_problems(fields.get("treeData", found.tree_data)).tree
        facts = fields.get("facts", {})
        walked = walk_by_sentence(parsed, sentence=fields["question"], facts=facts)
        return Response(serializers.TreeWalkResultSerializer(_walk_json(parsed, walked, facts)).data)


def _problems_response(tree_data: Any) -> Response:
    problems = find_problems(order_tree_keys(tree_data))
    errors = sum(problem.is_error for problem in problems)
    body = {
        "errors": errors,
        "warnings": len(problems) - errors,
        "problems": [problem.as_dict() for problem in problems],
    }
    return Response(serializers.TreeProblemsSerializer(body).data)


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
        "facts": facts_as_json(walked.facts_used),
        "unknownFacts": unknown,
    }


# --- Test cases -------------------------------------------------------------------------------------------


class CasesView(AuthorView):
    @extend_schema(responses=serializers.TreeCasesSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """The test cases of a tree in their order, all at once: a hundred at most."""
        cases = _get_tree(request, plugin, tree).cases.all()
        QueryParameters.read(request)
        return Response({"results": serializers.SavedTreeCaseSerializer(cases, many=True).data})

    @extend_schema(request=serializers.TreeCaseSerializer, responses={201: serializers.SavedTreeCaseSerializer})
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """A new test case, the last."""
        found = _get_tree(request, plugin, tree)
        row = add_case(found, _read_case(request), by=self.user)
        return _case_response(request, row, status=201)


class CaseView(AuthorView):
    @extend_schema(responses=serializers.SavedTreeCaseSerializer)
    def get(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """One test case."""
        cases = _get_tree(request, plugin, tree).cases
        return _case_response(request, first_or_raise(cases.filter(pk=case), UnknownCase))

    @extend_schema(request=serializers.SavedTreeCaseSerializer, responses=serializers.SavedTreeCaseSerializer)
    def put(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """Replace the whole case: what it expects goes with what it says."""
        found = _get_tree(request, plugin, tree)
        check = partial(_require_case_match, request)
        return _case_response(request, update_case(found, case, _read_case(request), by=self.user, check=check))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """Delete a test case."""
        found = _get_tree(request, plugin, tree)
        remove_case(found, case, by=self.user, check=partial(_require_case_match, request))
        return Response(status=204)


class CaseRunView(AuthorView):
    parser_classes = [TreeParser]
    is_read_only = True

    @extend_schema(request=serializers.TreeCaseRunSerializer, responses=serializers.CaseResultsSerializer)
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """How each case goes, and what of the tree they cover together."""
        found = _get_tree(request, plugin, tree, for_reading=True)
        fields = validated(serializers.TreeCaseRunSerializer(data=request.data))
        rows = list(found.cases.all())
        body = _case_results_json(rows, fields.get("treeData", found.tree_data))
        return Response(serializers.CaseResultsSerializer(body).data)


def _case_results_json(rows: list[TreeCase], tree_data: Any) -> dict[str, Any]:
    tree = parse_with_problems(order_tree_keys(tree_data)).tree
    results = run_cases(tree, parse_cases([row.as_dict() for row in rows]))
    return {
        "total": len(results),
        "passed": sum(result.passed for result in results),
        "results": [
            {"id": row.pk, "name": row.name, "passed": one.passed, "said": one.said, "nodes": list(one.nodes)}
            for row, one in zip(rows, results, strict=True)
        ],
        "coverage": measure_coverage(tree, results).as_dict(),
    }


def _read_case(request: Request) -> Case:
    [case] = parse_cases([validated(serializers.SavedTreeCaseSerializer(data=request.data))])
    return case


def _case_etag(row: TreeCase) -> str:
    return make_etag(row.pk, json.dumps(row.as_dict(), sort_keys=True))


def _require_case_match(request: Request, row: TreeCase) -> None:
    require_match(request, _case_etag(row))


def _case_response(request: Request, row: TreeCase, *, status: int = 200) -> Response:
    return etag_response(request, serializers.SavedTreeCaseSerializer(row).data, etag=_case_etag(row), status=status)
