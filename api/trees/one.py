"""One tree: read, changed against the version that was read, deleted."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, person_of
from api.authentication import principal_of
from api.etags import etag_of, require_match, tagged
from api.parsers import StrictJSONParser
from api.trees.bodies import NewTreeSerializer, TreeSerializer
from api.trees.reach import NoSuchTree, tree_of
from api.views import AuthorView
from trees.draft import MAX_BYTES, read_draft, save
from trees.models import DecisionTree


class TreeParser(StrictJSONParser):
    """As much as the editor takes, so that it can show what came in."""

    most_bytes = MAX_BYTES


class TreeView(AuthorView):
    parser_classes = [TreeParser]

    @extend_schema(responses=TreeSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """A tree as it stands in the draft, and what is wrong with it."""
        return answered(request, tree_of(request, plugin, tree))

    @extend_schema(request=NewTreeSerializer(partial=True), responses=TreeSerializer)
    def put(self, request: Request, plugin: str, tree: UUID) -> Response:
        """The same as PATCH: what is left out stays as it is."""
        return self.patch(request, plugin, tree)

    @extend_schema(request=NewTreeSerializer(partial=True), responses=TreeSerializer)
    def patch(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Changes the draft; agents go on asking the latest release."""
        found = tree_of(request, plugin, tree)
        body = NewTreeSerializer(data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        with transaction.atomic():
            locked = _locked(request, found)
            changed = _changed(locked, body.validated_data, by=person_of(principal_of(request)))
        return answered(request, changed)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Releases that contain it keep it."""
        found = tree_of(request, plugin, tree)
        with transaction.atomic():
            _locked(request, found).delete()
        return Response(status=204)


def answered(request: Request, tree: DecisionTree, *, status: int = 200) -> Response:
    return tagged(request, TreeSerializer(tree).data, etag=_tag(tree), status=status)


def _tag(tree: DecisionTree) -> str:
    return etag_of(tree.pk, tree.version, tree.is_active, tree.order)


def _locked(request: Request, tree: DecisionTree) -> DecisionTree:
    """The same row, nobody else's until the transaction ends. Raises `NoSuchTree`, `ChangedSince`."""
    locked = DecisionTree.objects.select_for_update().filter(pk=tree.pk).first()
    if locked is None:
        raise NoSuchTree
    require_match(request, _tag(locked))
    return locked


def _changed(tree: DecisionTree, said: dict[str, Any], *, by: User) -> DecisionTree:
    """The row with what was said. Taking it into use, or out of it, is not a change of what the tree says."""
    if "isActive" in said:
        tree.is_active = said["isActive"]
        DecisionTree.objects.filter(pk=tree.pk).update(is_active=tree.is_active)
    if not said.keys() - {"isActive"}:
        return tree
    draft = {
        "name": said.get("name", tree.name),
        "description": said.get("description", tree.description),
        "tree": said.get("treeData", tree.tree_data),
        "cases": said["cases"] if "cases" in said else [case.as_dict() for case in tree.cases.all()],
    }
    return save(read_draft(draft), tree=tree, version=tree.version, by=by)
