"""The pane of decision trees: the list of a plugin's trees, and the editor of one."""

from __future__ import annotations

from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.panes import pane_url
from builder.trees import editing, listing

_ONE = "trees/<uuid:tree>/"


def urls() -> list[URLPattern]:
    return [
        pane_url("trees/", require_GET(listing.show), name="trees"),
        pane_url("trees/new/", require_POST(listing.new), name="tree_new"),
        pane_url("trees/import/", require_POST(listing.bring_in), name="tree_import"),
        pane_url(_ONE, editing.page, name="tree"),
        pane_url(f"{_ONE}check/", require_POST(editing.check), name="tree_check"),
        pane_url(f"{_ONE}walk/", editing.walk, name="tree_walk"),
        pane_url(f"{_ONE}export/", require_GET(listing.export), name="tree_export"),
        pane_url(f"{_ONE}duplicate/", require_POST(listing.duplicate), name="tree_duplicate"),
        pane_url(f"{_ONE}move/", require_POST(listing.move_one), name="tree_move"),
        pane_url(f"{_ONE}use/", require_POST(listing.use), name="tree_use"),
        pane_url(f"{_ONE}delete/", listing.delete, name="tree_delete", to_change=True),
    ]
