"""Addresses of the pane of decision trees."""

from __future__ import annotations

from builder.panes import get_route, pane_route, post_route
from builder.trees import check_end, editor, views

_TREE = "trees/<uuid:tree>/"

urlpatterns = [
    get_route("trees/", views.show_trees, "trees"),
    post_route("trees/new/", views.create_tree_view, "tree_new"),
    post_route("trees/import/", views.import_tree, "tree_import"),
    pane_route(_TREE, editor.edit_tree, "tree"),
    pane_route(f"{_TREE}text/", editor.edit_tree_as_text, "tree_text", for_editing=True),
    post_route(f"{_TREE}check/", editor.check_tree, "tree_check"),
    post_route(f"{_TREE}end/", check_end.check_end, "tree_end"),
    pane_route(f"{_TREE}walk/", editor.walk_tree, "tree_walk"),
    get_route(f"{_TREE}export/", views.export_tree_view, "tree_export"),
    post_route(f"{_TREE}duplicate/", views.duplicate_tree, "tree_duplicate"),
    post_route(f"{_TREE}move/", views.move_tree_view, "tree_move"),
    post_route(f"{_TREE}use/", views.set_tree_active, "tree_use"),
    pane_route(f"{_TREE}delete/", views.delete_tree, "tree_delete", for_editing=True),
]
