"""Golden questions: what users will ask and what must come out, run by a worker, and compared with the run before."""

from __future__ import annotations

from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.golden import crud, import_export, runs, views
from builder.panes import pane_route

QUESTION_ROUTE = "golden/<int:golden>/"


def urls() -> list[URLPattern]:
    return [
        pane_route("golden/", require_GET(views.show_questions), name="golden"),
        pane_route("golden/run/", require_POST(runs.start_run), name="golden_run", for_editing=True),
        pane_route("golden/progress/", require_GET(runs.show_progress), name="golden_progress"),
        pane_route("golden/add/", crud.add_question, name="golden_add", for_editing=True),
        pane_route(
            "golden/import/", require_POST(import_export.import_questions), name="golden_import", for_editing=True
        ),
        pane_route("golden/export/", require_GET(import_export.export_questions), name="golden_export"),
        pane_route(
            "golden/evidence/", require_POST(runs.set_evidence_threshold), name="golden_evidence", for_editing=True
        ),
        pane_route(QUESTION_ROUTE, crud.change_question, name="golden_change", for_editing=True),
        pane_route(f"{QUESTION_ROUTE}delete/", crud.delete_question, name="golden_delete", for_editing=True),
    ]
