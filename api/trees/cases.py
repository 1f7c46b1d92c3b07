"""The test cases of a tree, and how they go."""

from __future__ import annotations

import json
from functools import partial
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, person_of
from api.authentication import principal_of
from api.etags import etag_of, require_match, tagged
from api.fields import Parameters
from api.trees.bodies import (
    CaseResultsSerializer,
    SavedTreeCaseSerializer,
    TreeCaseSerializer,
    TreeCasesSerializer,
    TreeRunSerializer,
)
from api.trees.one import TreeParser
from api.trees.reach import tree_of
from api.views import AuthorView
from trees.cases import Case, coverage, read_cases, run
from trees.keeping import NoSuchCase, add_case, change_case, remove_case
from trees.models import TreeCase
from trees.reading_order import in_reading_order
from trees.schema import read


class CasesView(AuthorView):
    @extend_schema(responses=TreeCasesSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """The test cases of a tree in their order, all at once: a hundred at most."""
        cases = tree_of(request, plugin, tree).cases.all()
        Parameters.read(request)
        return Response({"results": SavedTreeCaseSerializer(cases, many=True).data})

    @extend_schema(request=TreeCaseSerializer, responses={201: SavedTreeCaseSerializer})
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """A new test case, the last."""
        found = tree_of(request, plugin, tree)
        row = add_case(found, _case(request), by=_by(request))
        return _answered(request, row, status=201)


class CaseView(AuthorView):
    @extend_schema(responses=SavedTreeCaseSerializer)
    def get(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """One test case."""
        row = tree_of(request, plugin, tree).cases.filter(pk=case).first()
        if row is None:
            raise NoSuchCase
        return _answered(request, row)

    @extend_schema(request=SavedTreeCaseSerializer, responses=SavedTreeCaseSerializer)
    def put(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """Replace the whole case: what it expects goes with what it says."""
        found = tree_of(request, plugin, tree)
        check = partial(_check, request)
        row = change_case(found, case, _case(request), by=_by(request), check=check)
        return _answered(request, row)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, tree: UUID, case: UUID) -> Response:
        """Delete a test case."""
        found = tree_of(request, plugin, tree)
        remove_case(found, case, by=_by(request), check=partial(_check, request))
        return Response(status=204)


class RunView(AuthorView):
    parser_classes = [TreeParser]
    only_looks = True

    @extend_schema(request=TreeRunSerializer, responses=CaseResultsSerializer)
    def post(self, request: Request, plugin: str, tree: UUID) -> Response:
        """How each case goes, and what of the tree they cover together."""
        found = tree_of(request, plugin, tree, to_look=True)
        body = TreeRunSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        rows = list(found.cases.all())
        tree_data = body.validated_data.get("treeData", found.tree_data)
        return Response(CaseResultsSerializer(_results(rows, tree_data)).data)


def _results(rows: list[TreeCase], tree_data: Any) -> dict[str, Any]:
    reading = read(in_reading_order(tree_data)).tree
    results = run(reading, read_cases([row.as_dict() for row in rows]))
    return {
        "total": len(results),
        "passed": sum(result.passed for result in results),
        "results": [
            {"id": row.pk, "name": row.name, "passed": one.passed, "said": one.said, "nodes": list(one.nodes)}
            for row, one in zip(rows, results, strict=True)
        ],
        "coverage": coverage(reading, results).as_dict(),
    }


def _case(request: Request) -> Case:
    body = SavedTreeCaseSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    [case] = read_cases([body.validated_data])
    return case


def _by(request: Request) -> User:
    return person_of(principal_of(request))


def _tag(row: TreeCase) -> str:
    return etag_of(row.pk, json.dumps(row.as_dict(), sort_keys=True))


def _check(request: Request, row: TreeCase) -> None:
    require_match(request, _tag(row))


def _answered(request: Request, row: TreeCase, *, status: int = 200) -> Response:
    return tagged(request, SavedTreeCaseSerializer(row).data, etag=_tag(row), status=status)
