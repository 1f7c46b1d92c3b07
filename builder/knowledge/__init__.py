"""Knowledge: documents come in, are watched while they are read, looked into, described, replaced and removed."""

from __future__ import annotations

from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.knowledge import acting, adding, attaching, document, finding, listing, syncing
from builder.panes import pane_url

DOCUMENT = "knowledge/<uuid:document>/"


def urls() -> list[URLPattern]:
    return [
        pane_url("knowledge/", require_GET(listing.show), name="knowledge"),
        pane_url("knowledge/list/", require_GET(listing.part), name="knowledge_list"),
        pane_url("knowledge/files/", require_POST(adding.files), name="knowledge_files", to_change=True),
        pane_url("knowledge/text/", require_POST(adding.text), name="knowledge_text", to_change=True),
        pane_url("knowledge/addresses/", require_POST(adding.addresses), name="knowledge_urls", to_change=True),
        pane_url("knowledge/attach/", require_POST(attaching.attach), name="knowledge_attach", to_change=True),
        pane_url(
            "knowledge/detach/<int:base>/", require_POST(attaching.detach), name="knowledge_detach", to_change=True
        ),
        pane_url(
            "knowledge/sync/<int:source>/", require_POST(syncing.sync_now), name="knowledge_sync", to_change=True
        ),
        pane_url("knowledge/find/", require_GET(finding.find), name="knowledge_find"),
        pane_url(DOCUMENT, document.show, name="knowledge_document"),
        pane_url(f"{DOCUMENT}standing/", require_GET(document.standing), name="knowledge_standing"),
        pane_url(f"{DOCUMENT}again/", require_POST(acting.again), name="knowledge_again", to_change=True),
        pane_url(f"{DOCUMENT}stop/", require_POST(acting.stop), name="knowledge_stop", to_change=True),
        pane_url(f"{DOCUMENT}replace/", require_POST(acting.replace), name="knowledge_replace", to_change=True),
        pane_url(f"{DOCUMENT}remove/", acting.remove, name="knowledge_remove", to_change=True),
    ]
