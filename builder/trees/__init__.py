"""The pane of decision trees: the list of a plugin's trees, and the editor of one."""

from __future__ import annotations

from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.panes import pane_route
from builder.trees import editor, views

_TREE_ROUTE = "trees/<uuid:tree>/"


def urls() -> list[URLPattern]:
    return [
        pane_route("trees/", require_GET(views.show_trees), name="trees"),
        pane_route("trees/new/", require_POST(views.create_tree_view), name="tree_new"),
        pane_route("trees/import/", require_POST(views.import_tree), name="tree_import"),
        pane_route(_TREE_ROUTE, editor.edit_tree, name="tree"),
        pane_route(f"{_TREE_ROUTE}check/", require_POST(editor.check_tree), name="tree_check"),
        pane_route(f"{_TREE_ROUTE}walk/", editor.walk_tree, name="tree_walk"),
        pane_route(f"{_TREE_ROUTE}export/", require_GET(views.export_tree_view), name="tree_export"),
        pane_route(f"{_TREE_ROUTE}duplicate/", require_POST(views.duplicate_tree), name="tree_duplicate"),
        pane_route(f"{_TREE_ROUTE}move/", require_POST(views.move_tree_view), name="tree_move"),
        pane_route(f"{_TREE_ROUTE}use/", require_POST(views.set_tree_active), name="tree_use"),
        pane_route(f"{_TREE_ROUTE}delete/", views.delete_tree, name="tree_delete", for_editing=True),
    ]
