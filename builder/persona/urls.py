"""Addresses of the composer, whose form is the plugin's own page."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from builder.panes import post_route
from builder.persona import preview, views

urlpatterns = [
    path("starting/", admin.site.admin_view(views.suggest_persona), name="builder_starting"),
    post_route("persona/try/", preview.try_persona, "persona_try"),
    post_route("persona/preview/", views.preview_prompt, "preview"),
]
