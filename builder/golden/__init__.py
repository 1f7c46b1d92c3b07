"""Golden questions: what users will ask and what must come out, run by a worker, and compared with the run before."""

from __future__ import annotations

from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.golden import carrying, editing, listing, running
from builder.panes import pane_url

QUESTION = "golden/<int:golden>/"


def urls() -> list[URLPattern]:
    return [
        pane_url("golden/", require_GET(listing.show), name="golden"),
        pane_url("golden/run/", require_POST(running.run), name="golden_run", to_change=True),
        pane_url("golden/progress/", require_GET(running.progress), name="golden_progress"),
        pane_url("golden/add/", editing.add, name="golden_add", to_change=True),
        pane_url("golden/import/", require_POST(carrying.take_in), name="golden_import", to_change=True),
        pane_url("golden/export/", require_GET(carrying.export), name="golden_export"),
        pane_url("golden/evidence/", require_POST(running.set_evidence), name="golden_evidence", to_change=True),
        pane_url(QUESTION, editing.change, name="golden_change", to_change=True),
        pane_url(f"{QUESTION}delete/", editing.delete, name="golden_delete", to_change=True),
    ]
