"""The order in which a plugin's trees are tried."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from lexic.errors import InvalidInput
from plugins.models import Plugin
from trees.models import DecisionTree


class IncompleteOrder(InvalidInput):
    """An order names every tree of the plugin once."""

    code = "not_every_tree"


def move_tree(tree: DecisionTree, *, by: int) -> None:
    """Move the tree up (-1) or down (+1) among those of its plugin. At either end nothing changes."""
    with transaction.atomic():
        trees = list(DecisionTree.objects.select_for_update().filter(plugin=tree.plugin_id))
        here = trees.index(tree)
        trees.insert(min(max(here + by, 0), len(trees) - 1), trees.pop(here))
        for order, one in enumerate(trees):
            if one.order != order:
                # Not a change of what the tree says: an editor that is open elsewhere can still save.
                DecisionTree.objects.filter(pk=one.pk).update(order=order)


def reorder_trees(plugin: Plugin, ids: Sequence[UUID]) -> None:
    """Try the plugin's trees in this order. Raises `IncompleteOrder`, and then changes nothing."""
    with transaction.atomic():
        trees = {tree.pk: tree for tree in plugin.trees.select_for_update().only("order")}
        if len(ids) != len(trees) or set(ids) != trees.keys():
            raise IncompleteOrder
        for order, pk in enumerate(ids):
            if trees[pk].order != order:
                DecisionTree.objects.filter(pk=pk).update(order=order)
