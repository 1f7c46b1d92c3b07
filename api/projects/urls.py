from __future__ import annotations

from django.urls import path

from api.projects import views

_PROJECT = "api/projects/<uuid:project>"

urlpatterns = [
    path("api/projects", views.ProjectsView.as_view(), name="api_projects"),
    path(_PROJECT, views.ProjectView.as_view(), name="api_project"),
    path(f"{_PROJECT}/members", views.ProjectMembersView.as_view(), name="api_project_members"),
    path(f"{_PROJECT}/documents", views.ProjectDocumentsView.as_view(), name="api_project_documents"),
    path(f"{_PROJECT}/documents/<uuid:document>", views.ProjectDocumentView.as_view(), name="api_project_document"),
]
