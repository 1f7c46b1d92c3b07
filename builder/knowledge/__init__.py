"""Knowledge: documents come in, are watched while they are read, looked into, described, replaced and removed."""

from __future__ import annotations

from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.knowledge import actions, attachments, create, detail, retrieval_preview, sync_sources, views
from builder.panes import pane_route

DOCUMENT_ROUTE = "knowledge/<uuid:document>/"


def urls() -> list[URLPattern]:
    return [
        pane_route("knowledge/", require_GET(views.show_documents), name="knowledge"),
        pane_route("knowledge/list/", require_GET(views.render_list), name="knowledge_list"),
        pane_route("knowledge/files/", require_POST(create.add_files), name="knowledge_files", for_editing=True),
        pane_route(
            "knowledge/text/", require_POST(create.add_pasted_text), name="knowledge_text", for_editing=True
        ),
        pane_route(
            "knowledge/addresses/", require_POST(create.add_addresses), name="knowledge_urls", for_editing=True
        ),
        pane_route(
            "knowledge/attach/", require_POST(attachments.attach_base), name="knowledge_attach", for_editing=True
        ),
        pane_route(
            "knowledge/detach/<int:base>/",
            require_POST(attachments.detach_base),
            name="knowledge_detach",
            for_editing=True,
        ),
        pane_route(
            "knowledge/sync/<int:source>/",
            require_POST(sync_sources.start_sync),
            name="knowledge_sync",
            for_editing=True,
        ),
        pane_route("knowledge/find/", require_GET(retrieval_preview.show_search), name="knowledge_find"),
        pane_route(DOCUMENT_ROUTE, detail.show_document, name="knowledge_document"),
        pane_route(f"{DOCUMENT_ROUTE}standing/", require_GET(detail.show_status), name="knowledge_standing"),
        pane_route(
            f"{DOCUMENT_ROUTE}again/",
            require_POST(actions.read_document_again),
            name="knowledge_again",
            for_editing=True,
        ),
        pane_route(
            f"{DOCUMENT_ROUTE}stop/", require_POST(actions.stop_document), name="knowledge_stop", for_editing=True
        ),
        pane_route(
            f"{DOCUMENT_ROUTE}replace/",
            require_POST(actions.replace_document),
            name="knowledge_replace",
            for_editing=True,
        ),
        pane_route(f"{DOCUMENT_ROUTE}remove/", actions.remove_document, name="knowledge_remove", for_editing=True),
    ]
