"""The tree that an address names, among those of its plugin."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request

from api.plugins.lookup import get_plugin
from lexic.errors import NotFound
from trees.models import DecisionTree


class NoSuchTree(NotFound):
    """This plugin has no such tree."""

    code = "unknown_tree"
    hint = "List the trees of the plugin to see their ids."


def get_tree(request: Request, reference: str, pk: UUID, *, for_reading: bool = False) -> DecisionTree:
    """Raises `NoSuchTree`, and what `plugin_of` raises."""
    tree = get_plugin(request, reference, for_reading=for_reading).trees.filter(pk=pk).first()
    if tree is None:
        raise NoSuchTree
    return tree
