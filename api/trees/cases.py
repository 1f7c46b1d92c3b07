"""The test cases of a tree, and how they go."""

from __future__ import annotations

import json
from functools import partial
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, user_of
from api.authentication import get_principal
from api.etags import etag_response, make_etag, require_match
from api.fields import QueryParameters
from api.trees.detail import TreeParser
from api.trees.lookup import get_tree
from api.trees.serializers import (
    CaseResultsSerializer,
    SavedTreeCaseSerializer,
    TreeCaseRunSerializer,
    TreeCaseSerializer,
    TreeCasesSerializer,
)
from api.views import AuthorView
from trees.case_updates import UnknownCase, add_case, remove_case, update_case
from trees.cases import Case, measure_coverage, parse_cases, run_cases
from trees.definition.key_order import order_tree_keys
from trees.definition.parser import parse_with_problems
from trees.models import TreeCase


class CasesView(AuthorView):
    @extend_schema(responses=TreeCasesSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """The test cases of a tree in their order, all at once: a hundred at most."""
        cases = get_tree(request, plugin, tree).cases.all()
        QueryParameters.read(request)
        return Response({"results": SavedTreeCaseSerializer(cases, many=True).data})

    @extend_schema(request=TreeCaseSerializer, responses={201: SavedTreeCaseSerializer})
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """A new test case, the last."""
        found = get_tree(request, plugin, tree)
        row = add_case(found, _read_case(request), by=_request_user(request))
        return _case_response(request, row, status=201)


class CaseView(AuthorView):
    @extend_schema(responses=SavedTreeCaseSerializer)
    def get(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """One test case."""
        row = get_tree(request, plugin, tree).cases.filter(pk=case).first()
        if row is None:
            raise UnknownCase
        return _case_response(request, row)

    @extend_schema(request=SavedTreeCaseSerializer, responses=SavedTreeCaseSerializer)
    def put(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """Replace the whole case: what it expects goes with what it says."""
        found = get_tree(request, plugin, tree)
        check = partial(_require_case_match, request)
        row = update_case(found, case, _read_case(request), by=_request_user(request), check=check)
        return _case_response(request, row)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """Delete a test case."""
        found = get_tree(request, plugin, tree)
        remove_case(found, case, by=_request_user(request), check=partial(_require_case_match, request))
        return Response(status=204)


class CaseRunView(AuthorView):
    parser_classes = [TreeParser]
    only_looks = True

    @extend_schema(request=TreeCaseRunSerializer, responses=CaseResultsSerializer)
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """How each case goes, and what of the tree they cover together."""
        found = get_tree(request, plugin, tree, for_reading=True)
        body = TreeCaseRunSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        rows = list(found.cases.all())
        tree_data = body.validated_data.get("treeData", found.tree_data)
        return Response(CaseResultsSerializer(_run_cases(rows, tree_data)).data)


def _run_cases(rows: list[TreeCase], tree_data: Any) -> dict[str, Any]:
    reading = parse_with_problems(order_tree_keys(tree_data)).tree
    results = run_cases(reading, parse_cases([row.as_dict() for row in rows]))
    return {
        "total": len(results),
        "passed": sum(result.passed for result in results),
        "results": [
            {"id": row.pk, "name": row.name, "passed": one.passed, "said": one.said, "nodes": list(one.nodes)}
            for row, one in zip(rows, results, strict=True)
        ],
        "coverage": measure_coverage(reading, results).as_dict(),
    }


def _read_case(request: Request) -> Case:
    body = SavedTreeCaseSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    [case] = parse_cases([body.validated_data])
    return case


def _request_user(request: Request) -> User:
    return user_of(get_principal(request))


def _case_etag(row: TreeCase) -> str:
    return make_etag(row.pk, json.dumps(row.as_dict(), sort_keys=True))


def _require_case_match(request: Request, row: TreeCase) -> None:
    require_match(request, _case_etag(row))


def _case_response(request: Request, row: TreeCase, *, status: int = 200) -> Response:
    return etag_response(request, SavedTreeCaseSerializer(row).data, etag=_case_etag(row), status=status)
