from __future__ import annotations

from django.urls import path

from api.documents import views

_DOCUMENTS = "api/plugins/<slug:plugin>/documents"
_DOCUMENT = f"{_DOCUMENTS}/<uuid:document>"

urlpatterns = [
    path(_DOCUMENTS, views.DocumentsView.as_view(), name="documents"),
    path(_DOCUMENT, views.DocumentView.as_view(), name="document"),
    path(f"{_DOCUMENT}/file", views.FileView.as_view(), name="document_file"),
    path(f"{_DOCUMENT}/process", views.ProcessView.as_view(), name="document_process"),
    path(f"{_DOCUMENT}/cancel", views.CancelView.as_view(), name="document_cancel"),
    path(f"{_DOCUMENT}/pages", views.PagesView.as_view(), name="document_pages"),
    path(f"{_DOCUMENT}/pages/<int:number>", views.PageView.as_view(), name="document_page"),
    path(f"{_DOCUMENT}/chunks", views.ChunksView.as_view(), name="document_chunks"),
    path("api/plugins/<slug:plugin>/search", views.SearchView.as_view(), name="plugin_search"),
]
