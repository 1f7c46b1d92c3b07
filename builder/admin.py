"""Plugins in the builder: their list, the form of the persona, and around it the panes of `builder.urls`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html_join

from accounts.signed_in_request import SignedInRequest, signed_in_user
from builder import panes
from builder.persona.forms import NewPluginForm, PluginForm
from builder.persona.views import has_model, persona_context
from builder.readiness import reverse_pane
from builder.releases.publication import try_publish, withdraw_with_message
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.scoped_admin import ScopedAdmin, column
from marketplace.listings.update_listing import update_listing_if_published
from marketplace.models import PublishingRun
from marketplace.plugin_templates.apply_template import add_template_content, fill_new_plugin
from marketplace.plugin_templates.templates import get_template
from plugins.models import Plugin
from privacy.plugin_deletion import delete_plugin, plugin_deletion

_NO_MODEL = "This site has no language model yet: of these fields only the disclaimer changes an answer today."


def _without_model(title: Any, options: Any) -> tuple[Any, Any]:
    """A part of the form that says which of its fields have no effect yet."""
    return title, {**options, "description": _NO_MODEL} if title == "Persona" else options


def _template_sentence(plugin: Plugin) -> str:
    """What a new plugin has of its template, with a space before; empty where that is nothing."""
    questions, trees = plugin.golden_questions.count(), plugin.trees.count()
    brought = [f"{questions} golden questions that it must refuse"] * bool(questions)
    brought += ["a sample tree, switched off"] * bool(trees)
    return f" Its template brought {' and '.join(brought)}." if brought else ""


@admin.register(Plugin)
class PluginAdmin(ScopedAdmin):
    """The list of plugins, and the pane of the persona; the other panes are packages of their own."""

    form = PluginForm
    actions = ["publish_chosen", "withdraw_chosen"]
    change_form_template = "builder/persona.html"
    add_form_template = "builder/new.html"
    change_list_template = "builder/plugins.html"
    list_display = ["name", "slug", "state", "domain", "owner", column("updated_at", "changed"), "files"]
    list_filter = ["is_published"]
    list_select_related = ["owner"]
    search_fields = ["name", "slug", "domain", "tagline"]
    search_help_text = "Words of its name, slug, field or tagline."
    fieldsets = [
        (None, {"fields": ["name", "slug", "domain"]}),
        ("Persona", {"fields": ["system_prompt", "audience", "tone", "limits", "disclaimer"]}),
        ("Public page", {"fields": ["tagline", "description", "tags"]}),
        ("Citations", {"fields": ["citation_mode"], "classes": ["collapse"]}),
        (
            "Advanced: what must pass before publishing",
            {
                "fields": ["golden_gate", "golden_share"],
                "description": "Golden questions are questions whose right answer you have written down in advance.",
                "classes": ["collapse"],
            },
        ),
        (
            "Advanced: search and evidence",
            {
                "fields": ["synonyms", "planner", "public_only", "evidence_threshold", "top_k", "threshold"],
                "description": "The defaults suit most plugins. The planner is for dated and tagged documents.",
                "classes": ["collapse"],
            },
        ),
        (
            "Advanced: how documents are split",
            {"fields": ["chunk_strategy", "chunk_size"], "classes": ["collapse"]},
        ),
    ]
    add_fieldsets = [
        (None, {"fields": ["name", "domain", "tagline"]}),
        ("Optional: a template, and its name for programs", {"fields": ["template", "slug"], "classes": ["collapse"]}),
    ]

    def get_urls(self) -> list[URLPattern]:
        # Imported here: the panes look this class up in the registry.
        from builder.urls import urlpatterns

        return [*urlpatterns, *super().get_urls()]

    # --- Who may ---------------------------------------------------------------------------------------------

    def visible(self, request: HttpRequest) -> models.QuerySet[Plugin]:
        return Plugin.objects.viewable_by(signed_in_user(request))

    def changeable(self, request: HttpRequest) -> models.QuerySet[Plugin]:
        return Plugin.objects.editable_by(signed_in_user(request))

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Only its owner deletes a plugin; those who edit it with them do not."""
        person = signed_in_user(request)
        is_owners = not isinstance(obj, Plugin) or obj.may_be_shared_by(person)
        return is_owners and self.has_change_permission(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Names the plugins, and counts nothing below them. One that is published or under legal hold stays."""
        plugins = list(objs)
        forbidden = {"plugin" for plugin in plugins if not self.has_delete_permission(request, plugin)}
        protected = [str(plugin) for plugin in plugins if plugin.is_published or plugin.legal_hold]
        return [str(plugin) for plugin in plugins], {}, forbidden, protected

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        plugin = self.get_object(request, object_id)
        deletion = plugin_deletion(plugin) if plugin else None
        return super().delete_view(request, object_id, {"deletion": deletion, **(extra_context or {})})

    # --- The form --------------------------------------------------------------------------------------------

    def get_fieldsets(self, request: HttpRequest, obj: Plugin | None = None) -> Any:
        if obj is None:
            return self.add_fieldsets
        return self.fieldsets if has_model() else [_without_model(*each) for each in self.fieldsets]

    def get_form(self, request: HttpRequest, obj: Plugin | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = self.form if obj else type("NewPluginForm", (NewPluginForm,), {"owner": request.user})
        return super().get_form(request, obj, change=change, **{"form": form, **kwargs})

    def get_readonly_fields(self, request: HttpRequest, obj: Plugin | None = None) -> list[str]:
        # Agents call it by this name from its first release on.
        return ["slug"] if obj and obj.releases.exists() else []

    def get_prepopulated_fields(self, request: HttpRequest, obj: Plugin | None = None) -> dict[str, Sequence[str]]:
        return {} if obj else {"slug": ["name"]}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context: dict[str, Any] = {}
        if plugin := self.get_object(request, object_id):
            context = {**panes.plugin_page_context(request, plugin, "persona"), **persona_context(plugin)}
            del context["original"]
        return super().change_view(request, object_id, form_url, {**context, **(extra_context or {})})

    def save_model(self, request: HttpRequest, obj: Plugin, form: Any, change: bool) -> None:
        template = get_template(form.cleaned_data["template"]) if not change and form.cleaned_data["template"] else None
        if not change:
            fill_new_plugin(obj, template)
            obj.owner = signed_in_user(request)
        if change:  # all else of the row may have been changed since it was read
            obj.save(update_fields=[*form.changed_data, "updated_at"])
            obj.refresh_from_db()
        else:
            super().save_model(request, obj, form, change)
        update_listing_if_published(obj)
        own_knowledge_base(obj)  # so that there is a place to put documents at once
        if template is not None:
            add_template_content(obj, template, by=signed_in_user(request))

    def response_add(self, request: HttpRequest, obj: Plugin, post_url_continue: str | None = None) -> HttpResponse:
        """Leads to the documents: the rest of the way is optional."""
        messages.success(request, f"“{obj}” is created, with a first draft of its persona.{_template_sentence(obj)}")
        return HttpResponseRedirect(reverse_pane(obj, "knowledge"))

    def response_change(self, request: HttpRequest, obj: Plugin) -> HttpResponse:
        what = "Agents still ask the latest release." if obj.is_published else "Nothing is published yet."
        messages.success(request, f"Draft saved. {what}")
        return HttpResponseRedirect(reverse_pane(obj, "persona"))

    def delete_model(self, request: HttpRequest, obj: Plugin) -> None:
        delete_plugin(obj)

    # --- The list --------------------------------------------------------------------------------------------

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            self.delete_model(request, plugin)

    @admin.display(description="state", ordering="is_published")
    def state(self, plugin: Plugin) -> str:
        return f"published as {plugin.version}" if plugin.is_published else "draft"

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Plugin]:
        return Plugin.objects.viewable_by(signed_in_user(request)).with_role_of(signed_in_user(request))

    @admin.display(description="files")
    def files(self, plugin: Plugin) -> str:
        """What one takes along from here: the plugin as one file, and the QR code of its page."""
        links = []
        if plugin.role in ("owner", "editor"):
            links.append((reverse("admin:builder_download", args=[plugin.pk]), "Export", plugin.name))
        if plugin.has_page:
            links.append((reverse("admin:builder_qr_image", args=[plugin.pk]), "QR code", plugin.name))
        return format_html_join(" · ", '<a class="text-link" href="{}">{}<span class="sr"> of {}</span></a>', links)

    @admin.action(description="Publish")
    def publish_chosen(self, request: SignedInRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            if isinstance(try_publish(request, plugin), PublishingRun):
                messages.info(request, f"{plugin} is being published: its golden questions are run first.")

    @admin.action(description="Withdraw")
    def withdraw_chosen(self, request: SignedInRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            withdraw_with_message(request, plugin)
