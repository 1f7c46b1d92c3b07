from __future__ import annotations

from django.urls import path

from accounts.views import become_author

urlpatterns = [
    path("become-author", become_author, name="become_author"),
    path("profile", become_author, name="profile"),
]
