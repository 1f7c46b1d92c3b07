"""One tree: read, changed against the version that was read, deleted."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, user_of
from api.authentication import get_principal
from api.etags import etag_response, make_etag, require_match
from api.parsers import StrictJSONParser
from api.trees.lookup import NoSuchTree, get_tree
from api.trees.serializers import NewTreeSerializer, TreeSerializer
from api.views import AuthorView
from trees.drafts import MAX_TREE_BYTES, parse_draft, save_draft
from trees.models import DecisionTree


class TreeParser(StrictJSONParser):
    """As much as the editor takes, so that it can show what came in."""

    most_bytes = MAX_TREE_BYTES


class TreeView(AuthorView):
    parser_classes = [TreeParser]

    @extend_schema(responses=TreeSerializer)
    def get(self, request: Request, plugin: str, tree: UUID) -> Response:
        """A tree as it stands in the draft, and what is wrong with it."""
        return tree_response(request, get_tree(request, plugin, tree))

    @extend_schema(request=NewTreeSerializer(partial=True), responses=TreeSerializer)
    def put(self, request: Request, plugin: str, tree: UUID) -> Response:
        """The same as PATCH: what is left out stays as it is."""
        return self.patch(request, plugin, tree)

    @extend_schema(request=NewTreeSerializer(partial=True), responses=TreeSerializer)
    def patch(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Changes the draft; agents go on asking the latest release."""
        found = get_tree(request, plugin, tree)
        body = NewTreeSerializer(data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        with transaction.atomic():
            locked = _lock_tree(request, found)
            changed = _update_tree(locked, body.validated_data, by=user_of(get_principal(request)))
        return tree_response(request, changed)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, tree: UUID) -> Response:
        """Releases that contain it keep it."""
        found = get_tree(request, plugin, tree)
        with transaction.atomic():
            _lock_tree(request, found).delete()
        return Response(status=204)


def tree_response(request: Request, tree: DecisionTree, *, status: int = 200) -> Response:
    return etag_response(request, TreeSerializer(tree).data, etag=_tree_etag(tree), status=status)


def _tree_etag(tree: DecisionTree) -> str:
    return make_etag(tree.pk, tree.version, tree.is_active, tree.order)


def _lock_tree(request: Request, tree: DecisionTree) -> DecisionTree:
    """The same row, nobody else's until the transaction ends. Raises `NoSuchTree`, `ChangedSince`."""
    locked = DecisionTree.objects.select_for_update().filter(pk=tree.pk).first()
    if locked is None:
        raise NoSuchTree
    require_match(request, _tree_etag(locked))
    return locked


def _update_tree(tree: DecisionTree, said: dict[str, Any], *, by: User) -> DecisionTree:
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
    return save_draft(parse_draft(draft), tree=tree, version=tree.version, by=by)
