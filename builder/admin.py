"""A plugin's page in the builder: the form of its persona, and around it every part that the apps below know."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path

from builder import analytics, golden, inbox, knowledge, panes, sandbox, trees
from builder.persona.views import persona_context, suggest_persona
from builder.persona.views import urls as persona_urls
from builder.plugin_import import import_plugin
from builder.readiness import reverse_pane
from builder.releases.publication import try_publish, withdraw_with_message
from builder.releases.views import urls as releases_urls
from builder.reviews.views import urls as reviews_urls
from builder.sharing.views import urls as sharing_urls
from builder.webhooks.views import urls as webhooks_urls
from knowledge.own_knowledge_base import own_knowledge_base
from marketplace.listings.update_listing import update_listing_if_published
from marketplace.publishing.deletion import delete_plugin
from plugins.admin import PluginAdmin
from plugins.models import Plugin
from plugins.starter_persona import fill_empty_fields

admin.site.unregister(Plugin)

_PANE_URLS = [
    persona_urls,
    knowledge.urls,
    trees.urls,
    sandbox.urls,
    golden.urls,
    inbox.urls,
    analytics.urls,
    releases_urls,
    reviews_urls,
    sharing_urls,
    webhooks_urls,
]


@admin.register(Plugin)
class PluginBuilderAdmin(PluginAdmin):
    """The list of plugins, and the pane of the persona; the other panes are modules of their own."""

    actions = ["publish_chosen", "withdraw_chosen"]
    change_form_template = "builder/persona.html"
    add_form_template = "builder/new.html"
    change_list_template = "builder/plugins.html"

    def get_urls(self) -> list[URLPattern]:
        own = [path("starting/", self.admin_site.admin_view(suggest_persona), name="builder_starting")]
        own.append(path("import/", self.admin_site.admin_view(import_plugin), name="builder_import"))
        own += analytics.all_plugins_urls()
        return own + [url for urls in _PANE_URLS for url in urls()] + super().get_urls()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        plugin = self.get_object(request, object_id)
        around = (
            {**panes.plugin_page_context(request, plugin, "persona"), **persona_context(plugin)} if plugin else {}
        )
        around.pop("original", None)
        return super().change_view(request, object_id, form_url, {**around, **(extra_context or {})})

    def save_model(self, request: HttpRequest, obj: Plugin, form: Any, change: bool) -> None:
        if not change:
            fill_empty_fields(obj)
        super().save_model(request, obj, form, change)
        update_listing_if_published(obj)
        own_knowledge_base(obj)  # so that there is a place to put documents at once

    def response_add(self, request: HttpRequest, obj: Plugin, post_url_continue: str | None = None) -> HttpResponse:
        said = "A first draft of who answers is below. Make it yours, then drop in documents."
        messages.success(request, f"“{obj}” is made. {said}")
        return HttpResponseRedirect(reverse_pane(obj, "persona"))

    def response_change(self, request: HttpRequest, obj: Plugin) -> HttpResponse:
        messages.success(request, "Saved. Agents go on asking the latest release; this is its draft.")
        return HttpResponseRedirect(reverse_pane(obj, "persona"))

    def delete_model(self, request: HttpRequest, obj: Plugin) -> None:
        delete_plugin(obj)

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            self.delete_model(request, plugin)

    @admin.action(description="Publish")
    def publish_chosen(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            try_publish(request, plugin)

    @admin.action(description="Take off the air")
    def withdraw_chosen(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            withdraw_with_message(request, plugin)
