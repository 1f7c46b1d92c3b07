from __future__ import annotations

from django.urls import path

from api.documents.listing import DocumentsView
from api.documents.one import CancelView, DocumentView, FileView, ProcessView
from api.documents.reading import ChunksView, PagesView, PageView
from api.documents.searching import SearchView

_ALL = "api/plugins/<slug:plugin>/documents"
_ONE = f"{_ALL}/<uuid:document>"

urlpatterns = [
    path(_ALL, DocumentsView.as_view(), name="documents"),
    path(_ONE, DocumentView.as_view(), name="document"),
    path(f"{_ONE}/file", FileView.as_view(), name="document_file"),
    path(f"{_ONE}/process", ProcessView.as_view(), name="document_process"),
    path(f"{_ONE}/cancel", CancelView.as_view(), name="document_cancel"),
    path(f"{_ONE}/pages", PagesView.as_view(), name="document_pages"),
    path(f"{_ONE}/pages/<int:number>", PageView.as_view(), name="document_page"),
    path(f"{_ONE}/chunks", ChunksView.as_view(), name="document_chunks"),
    path("api/plugins/<slug:plugin>/search", SearchView.as_view(), name="plugin_search"),
]
