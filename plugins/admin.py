from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from accounts.models import User
from plugins.access import ReadOnlyAdmin, ScopedAdmin
from plugins.models import Plugin, Release


@admin.register(Plugin)
class PluginAdmin(ScopedAdmin):
    list_display = ["name", "slug", "owner", "domain", "is_published", "version", "updated_at"]
    list_filter = ["is_published", "domain"]
    list_select_related = ["owner"]
    search_fields = ["name", "slug", "domain", "tagline"]
    prepopulated_fields = {"slug": ["name"]}
    readonly_fields = ["owner", "is_published", "version", "parts"]
    filter_horizontal = ["editors"]
    fieldsets = [
        (None, {"fields": ["name", "slug", "domain", "tagline", "description", "tags", "parts"]}),
        ("Persona", {"fields": ["system_prompt", "disclaimer"]}),
        (
            "How it answers",
            {"fields": ["citation_mode", "top_k", "threshold", "chunk_strategy", "chunk_size"]},
        ),
        ("Sharing", {"fields": ["owner", "editors", "is_published", "version", "is_shared", "public_chat"]}),
    ]

    def visible(self, request: HttpRequest) -> models.QuerySet[Plugin]:
        assert isinstance(request.user, User)
        return Plugin.objects.editable_by(request.user)

    def save_model(self, request: HttpRequest, obj: Plugin, form: Any, change: bool) -> None:
        if not change:
            assert isinstance(request.user, User)
            obj.owner = request.user
        super().save_model(request, obj, form, change)

    @admin.display(description="Its parts")
    def parts(self, plugin: Plugin) -> str:
        """Links by URL name: the apps above know plugins, not the other way round."""
        if plugin._state.adding:
            return "Save first; then add knowledge and decision trees."
        filters = {"knowledge base": "knowledge_knowledgebase", "decision trees": "trees_decisiontree"}
        links = [
            format_html(
                '<a href="{}?plugin__id__exact={}">{}</a>',
                reverse(f"admin:{name}_changelist"),
                plugin.pk,
                label,
            )
            for label, name in filters.items()
        ]
        return format_html("{} · {}", *links)


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ["plugin", "version", "created_at", "created_by"]
    list_select_related = ["plugin", "created_by"]
    list_filter = ["plugin"]

    def visible(self, request: HttpRequest) -> models.QuerySet[Release]:
        assert isinstance(request.user, User)
        return Release.objects.filter(plugin__in=Plugin.objects.editable_by(request.user))
