"""URLs of the pane of golden questions."""

from __future__ import annotations

from builder.golden import crud, import_export, proposals, runs, views
from builder.panes import get_route, pane_route, post_route

_QUESTION = "golden/<int:golden>/"

urlpatterns = [
    get_route("golden/", views.show_questions, "golden"),
    post_route("golden/run/", runs.start_run, "golden_run"),
    get_route("golden/progress/", runs.show_progress, "golden_progress"),
    pane_route("golden/add/", crud.add_question, "golden_add", for_editing=True),
    pane_route("golden/propose/", proposals.propose_golden, "golden_propose", for_editing=True),
    pane_route("golden/import/", import_export.import_questions, "golden_import", for_editing=True),
    get_route("golden/export/", import_export.export_questions, "golden_export"),
    post_route("golden/evidence/", runs.set_evidence_threshold, "golden_evidence"),
    pane_route(_QUESTION, crud.change_question, "golden_change", for_editing=True),
    pane_route(f"{_QUESTION}delete/", crud.delete_question, "golden_delete", for_editing=True),
]
