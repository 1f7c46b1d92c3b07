from __future__ import annotations

from django.urls import path

from api.connectors import views

_DRIVE = "api/connectors/google-drive"

urlpatterns = [
    path(f"{_DRIVE}/authorize", views.DriveAuthorizeView.as_view(), name="api_drive_authorize"),
    path(f"{_DRIVE}/callback", views.DriveCallbackView.as_view(), name="api_drive_callback"),
    path(f"{_DRIVE}/disconnect", views.DriveDisconnectView.as_view(), name="api_drive_disconnect"),
    path(f"{_DRIVE}/files", views.DriveFilesView.as_view(), name="api_drive_files"),
    path(f"{_DRIVE}/import", views.DriveImportView.as_view(), name="api_drive_import"),
]
