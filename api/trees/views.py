"""The trees of a plugin, new ones, and the order in which they are tried."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import user_of
from api.authentication import get_principal
from api.pagination import DefaultPagination
from api.plugins.lookup import get_plugin
from api.trees.detail import TreeParser, tree_response
from api.trees.serializers import (
    NewTreeSerializer,
    TreeOrderSerializer,
    TreeRowSerializer,
    TreeSerializer,
    TreesParameters,
    TreesSerializer,
)
from api.views import AuthorView
from trees.drafts import create_tree, parse_draft
from trees.ordering import reorder_trees


class TreesView(AuthorView):
    parser_classes = [TreeParser]
    ordering = ("order", "created_at", "pk")

    @extend_schema(parameters=[TreesParameters], responses=TreesSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """The trees of the draft, in the order in which they are tried, without what they say: a tree may be large."""
        found = get_plugin(request, plugin)
        said = TreesParameters.read(request)
        trees = found.trees.all() if said["active"] is None else found.trees.filter(is_active=said["active"])
        pages = DefaultPagination()
        rows = pages.paginate_queryset(trees, request, self)
        return pages.get_paginated_response(TreeRowSerializer(rows, many=True).data)

    @extend_schema(request=NewTreeSerializer, responses={201: TreeSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """A new tree, the last to be tried. The answer says what is wrong with it."""
        found = get_plugin(request, plugin)
        body = NewTreeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        draft = parse_draft({**said, "tree": said["treeData"]})
        by = user_of(get_principal(request))
        tree = create_tree(draft, plugin=found, by=by, is_active=said.get("isActive", True))
        response = tree_response(request, tree, status=201)
        response["Location"] = f"/api/plugins/{found.slug}/trees/{tree.pk}"
        return response


class OrderView(AuthorView):
    @extend_schema(request=TreeOrderSerializer, responses=TreeOrderSerializer)
    def put(self, request: Request, plugin: str) -> Response:
        """The order in which the trees are tried. Every tree of the plugin is named once."""
        found = get_plugin(request, plugin)
        body = TreeOrderSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        reorder_trees(found, body.validated_data["ids"])
        return Response(body.data)
