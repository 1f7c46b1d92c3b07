from __future__ import annotations

from django.urls import path

from api.knowledge import views

_DOCUMENTS = "api/knowledge/documents"

urlpatterns = [
    path(_DOCUMENTS, views.PersonalDocumentsView.as_view(), name="api_personal_documents"),
    path(f"{_DOCUMENTS}/<uuid:document>", views.PersonalDocumentView.as_view(), name="api_personal_document"),
    path(f"{_DOCUMENTS}/<uuid:document>/retry", views.PersonalDocumentRetryView.as_view(), name="api_personal_retry"),
    path("api/knowledge/search", views.UserDocumentSearchView.as_view(), name="api_user_document_search"),
]
