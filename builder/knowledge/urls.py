"""Addresses of the knowledge pane."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from builder.knowledge import (
    actions,
    add_documents,
    attachments,
    bulk_actions,
    corrections,
    detail,
    grants,
    knowledge_bases,
    retrieval_preview,
    sources,
    sync_sources,
    text_editing,
    views,
)
from builder.panes import get_route, pane_route, post_route

_BASE = "knowledge/bases/<int:base>/"
_DOCUMENT = "knowledge/<uuid:document>/"
_SOURCE = "knowledge/sources/<int:source>/"

urlpatterns = [
    path("grants/", admin.site.admin_view(grants.show_grants), name="builder_grants"),
    path("grants/<int:grant>/", admin.site.admin_view(grants.decide_grant), name="builder_grant"),
    get_route("knowledge/", views.render_documents, "knowledge"),
    get_route("knowledge/list/", views.render_list, "knowledge_list"),
    post_route("knowledge/files/", add_documents.add_files, "knowledge_files"),
    post_route("knowledge/text/", add_documents.add_pasted_text, "knowledge_text"),
    post_route("knowledge/addresses/", add_documents.add_addresses, "knowledge_urls"),
    post_route("knowledge/bulk/", bulk_actions.change_documents, "knowledge_bulk"),
    post_route("knowledge/attach/", attachments.attach_base, "knowledge_attach"),
    post_route("knowledge/detach/<int:grant>/", attachments.detach_base, "knowledge_detach"),
    post_route("knowledge/bases/new/", knowledge_bases.create_base, "knowledge_base_new"),
    pane_route(_BASE, knowledge_bases.show_base, "knowledge_base"),
    pane_route(f"{_BASE}delete/", knowledge_bases.delete_base, "knowledge_base_delete", for_editing=True),
    post_route("knowledge/sync/<int:source>/", sync_sources.start_sync, "knowledge_sync"),
    pane_route("knowledge/sources/new/", sources.add_source, "source_new", for_editing=True),
    pane_route(_SOURCE, sources.show_source, "source"),
    post_route(f"{_SOURCE}switch/", sources.switch_source, "source_switch"),
    post_route(f"{_SOURCE}confirm/", sources.confirm_removals, "source_confirm"),
    post_route(f"{_SOURCE}delete/", sources.delete_source, "source_delete"),
    get_route("knowledge/find/", retrieval_preview.show_search, "knowledge_find"),
    pane_route(_DOCUMENT, detail.show_document, "knowledge_document"),
    get_route(f"{_DOCUMENT}standing/", detail.show_status, "knowledge_standing"),
    post_route(f"{_DOCUMENT}again/", actions.read_document_again, "knowledge_again"),
    post_route(f"{_DOCUMENT}pages/<int:page>/text/", corrections.correct_text, "knowledge_page_text"),
    post_route(f"{_DOCUMENT}pages/<int:page>/again/", corrections.read_again, "knowledge_page_again"),
    pane_route(f"{_DOCUMENT}text/", text_editing.edit_text, "knowledge_edit_text", for_editing=True),
    post_route(f"{_DOCUMENT}stop/", actions.stop_document, "knowledge_stop"),
    post_route(f"{_DOCUMENT}replace/", actions.replace_document, "knowledge_replace"),
    pane_route(f"{_DOCUMENT}remove/", actions.remove_document, "knowledge_remove", for_editing=True),
]
