"""The tree that an address names, among those of its plugin."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request

from api.scope import plugin_of
from lexic.errors import NotFound
from trees.models import DecisionTree


class NoSuchTree(NotFound):
    """This plugin has no such tree."""

    code = "unknown_tree"
    hint = "List the trees of the plugin to see their ids."


def tree_of(request: Request, reference: str, pk: UUID, *, to_look: bool = False) -> DecisionTree:
    """Raises `NoSuchTree`, and what `plugin_of` raises."""
    tree = plugin_of(request, reference, to_look=to_look).trees.filter(pk=pk).first()
    if tree is None:
        raise NoSuchTree
    return tree
