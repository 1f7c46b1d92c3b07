"""A plugin's page in the builder: the form of its persona, and around it every part that the apps below know."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from accounts.models import User
from builder import analytics, golden, inbox, knowledge, panes, releases, sandbox, sharing, trees
from builder.publishing import published, withdraw
from knowledge import tasks
from knowledge.attach import own_knowledge_base
from knowledge.models import KnowledgeBase
from plugins.admin import PluginAdmin
from plugins.models import Plugin

admin.site.unregister(Plugin)

_PANES = [knowledge, trees, sandbox, golden, inbox, analytics, releases, sharing]


@admin.register(Plugin)
class HubAdmin(PluginAdmin):
    """The list of plugins, and the pane of the persona; the other panes are modules of their own."""

    actions = ["publish_chosen", "withdraw_chosen"]
    change_form_template = "builder/persona.html"

    def get_urls(self) -> list[URLPattern]:
        return [url for pane in _PANES for url in pane.urls()] + super().get_urls()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        plugin = self.get_object(request, object_id)
        around = panes.hub(request, plugin, "persona") if plugin else {}
        around.pop("original", None)
        return super().change_view(request, object_id, form_url, {**around, **(extra_context or {})})

    def save_model(self, request: HttpRequest, obj: Plugin, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        own_knowledge_base(obj)  # so that there is a place to put documents at once

    def delete_model(self, request: HttpRequest, obj: Plugin) -> None:
        bases = list(KnowledgeBase.objects.filter(plugin=obj).values_list("pk", flat=True))
        super().delete_model(request, obj)
        for base in bases:
            tasks.review_index(base)

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            self.delete_model(request, plugin)

    @admin.action(description="Publish")
    def publish_chosen(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in self._changeable(request, queryset):
            published(request, plugin)

    @admin.action(description="Take off the air")
    def withdraw_chosen(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in self._changeable(request, queryset):
            withdraw(request, plugin)

    def _changeable(self, request: HttpRequest, chosen: models.QuerySet[Plugin]) -> models.QuerySet[Plugin]:
        assert isinstance(request.user, User)
        changeable = chosen.filter(pk__in=Plugin.objects.editable_by(request.user).values("pk"))
        if changeable.count() < chosen.count():
            self.message_user(
                request, "You may only look at some of them; those were left alone.", messages.WARNING
            )
        return changeable
