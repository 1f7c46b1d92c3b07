"""The trees of a plugin, new ones, and the order in which they are tried."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import person_of
from api.authentication import principal_of
from api.pagination import Pages
from api.scope import plugin_of
from api.trees.bodies import (
    NewTreeSerializer,
    TreeOrderSerializer,
    TreeRowSerializer,
    TreeSerializer,
    TreesParameters,
    TreesSerializer,
)
from api.trees.one import TreeParser, answered
from api.views import AuthorView
from trees.draft import create, read_draft
from trees.order import arrange


class TreesView(AuthorView):
    parser_classes = [TreeParser]
    ordering = ("order", "created_at", "pk")

    @extend_schema(parameters=[TreesParameters], responses=TreesSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """The trees of the draft, in the order in which they are tried, without what they say: a tree may be large."""
        found = plugin_of(request, plugin)
        said = TreesParameters.read(request)
        trees = found.trees.all() if said["active"] is None else found.trees.filter(is_active=said["active"])
        pages = Pages()
        rows = pages.paginate_queryset(trees, request, self)
        return pages.get_paginated_response(TreeRowSerializer(rows, many=True).data)

    @extend_schema(request=NewTreeSerializer, responses={201: TreeSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """A new tree, the last to be tried. The answer says what is wrong with it."""
        found = plugin_of(request, plugin)
        body = NewTreeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        draft = read_draft({**said, "tree": said["treeData"]})
        by = person_of(principal_of(request))
        tree = create(draft, plugin=found, by=by, is_active=said.get("isActive", True))
        response = answered(request, tree, status=201)
        response["Location"] = f"/api/plugins/{found.slug}/trees/{tree.pk}"
        return response


class OrderView(AuthorView):
    @extend_schema(request=TreeOrderSerializer, responses=TreeOrderSerializer)
    def put(self, request: Request, plugin: str) -> Response:
        """The order in which the trees are tried. Every tree of the plugin is named once."""
        found = plugin_of(request, plugin)
        body = TreeOrderSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        arrange(found, body.validated_data["ids"])
        return Response(body.data)
