from __future__ import annotations

from django.urls import path

from api.documents.content import ChunksView, PagesView, PageView
from api.documents.detail import CancelView, DocumentView, FileView, ProcessView
from api.documents.retrieval_preview import SearchView
from api.documents.views import DocumentsView

_COLLECTION = "api/plugins/<slug:plugin>/documents"
_ITEM = f"{_COLLECTION}/<uuid:document>"

urlpatterns = [
    path(_COLLECTION, DocumentsView.as_view(), name="documents"),
    path(_ITEM, DocumentView.as_view(), name="document"),
    path(f"{_ITEM}/file", FileView.as_view(), name="document_file"),
    path(f"{_ITEM}/process", ProcessView.as_view(), name="document_process"),
    path(f"{_ITEM}/cancel", CancelView.as_view(), name="document_cancel"),
    path(f"{_ITEM}/pages", PagesView.as_view(), name="document_pages"),
    path(f"{_ITEM}/pages/<int:number>", PageView.as_view(), name="document_page"),
    path(f"{_ITEM}/chunks", ChunksView.as_view(), name="document_chunks"),
    path("api/plugins/<slug:plugin>/search", SearchView.as_view(), name="plugin_search"),
]
