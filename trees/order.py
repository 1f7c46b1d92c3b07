"""The order in which a plugin's trees are tried."""

from __future__ import annotations

from django.db import transaction

from trees.models import DecisionTree


def move(tree: DecisionTree, *, by: int) -> None:
    """Move the tree up (-1) or down (+1) among those of its plugin. At either end nothing changes."""
    with transaction.atomic():
        trees = list(DecisionTree.objects.select_for_update().filter(plugin=tree.plugin_id))
        here = trees.index(tree)
        trees.insert(min(max(here + by, 0), len(trees) - 1), trees.pop(here))
        for order, one in enumerate(trees):
            if one.order != order:
                # Not a change of what the tree says: an editor that is open elsewhere can still save.
                DecisionTree.objects.filter(pk=one.pk).update(order=order)
