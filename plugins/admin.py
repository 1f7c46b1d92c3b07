from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from accounts.models import User
from plugins.admin_display import change_link, json_block, key_value_table, text_block
from plugins.changelists import DeferredListAdmin
from plugins.forms import NewPluginForm, PluginForm
from plugins.models import Plugin, Release
from plugins.scoped_admin import ReadOnlyAdmin, ScopedAdmin


@admin.register(Plugin)
class PluginAdmin(ScopedAdmin):
    form = PluginForm
    list_display = ["name", "slug", "state", "domain", "owner", "updated_at"]
    list_filter = ["is_published"]
    list_select_related = ["owner"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["name", "slug", "domain", "tagline"]
    search_help_text = "Words of its name, slug, field or tagline."
    warn_unsaved_form = True
    fieldsets = [
        (None, {"fields": ["name", "slug", "domain"]}),
        ("Persona", {"fields": ["system_prompt", "audience", "tone", "limits", "disclaimer"]}),
        (
            "What it may say",
            {"fields": ["citation_mode", "evidence_threshold", "top_k", "threshold", "synonyms"]},
        ),
        (
            "What it reads",
            {
                "fields": ["planner", "public_only"],
                "description": "For notes and other documents with dates, tags and types.",
            },
        ),
        (
            "What must be right before it is published",
            {
                "fields": ["golden_gate", "golden_share"],
                "description": "Golden questions are questions whose right behaviour you have fixed in advance.",
            },
        ),
        ("Its public page", {"fields": ["tagline", "description", "tags"]}),
        (
            "How its documents are cut",
            {"fields": ["chunk_strategy", "chunk_size"], "classes": ["collapse"]},
        ),
    ]
    add_fieldsets = [(None, {"fields": ["name", "domain", "slug"]})]

    def get_fieldsets(self, request: HttpRequest, obj: Plugin | None = None) -> Any:
        return self.fieldsets if obj else self.add_fieldsets

    def get_form(self, request: HttpRequest, obj: Plugin | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = self.form if obj else NewPluginForm
        return super().get_form(request, obj, change=change, **{"form": form, **kwargs})

    def get_readonly_fields(self, request: HttpRequest, obj: Plugin | None = None) -> list[str]:
        # Agents call it by this name from its first release on.
        return ["slug"] if obj and obj.releases.exists() else []

    def get_prepopulated_fields(self, request: HttpRequest, obj: Plugin | None = None) -> dict[str, Sequence[str]]:
        return {} if obj else {"slug": ["name"]}

    def visible(self, request: HttpRequest) -> models.QuerySet[Plugin]:
        assert isinstance(request.user, User)
        return Plugin.objects.readable_by(request.user)

    def changeable(self, request: HttpRequest) -> models.QuerySet[Plugin]:
        assert isinstance(request.user, User)
        return Plugin.objects.editable_by(request.user)

    def save_model(self, request: HttpRequest, obj: Plugin, form: Any, change: bool) -> None:
        if not change:
            assert isinstance(request.user, User)
            obj.owner = request.user
        super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Only its owner deletes a plugin; those who edit it with them do not."""
        assert isinstance(request.user, User)
        is_owners = not isinstance(obj, Plugin) or obj.owner_id == request.user.pk or request.user.is_superuser
        return is_owners and self.has_change_permission(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Names what goes, and counts nothing below it. What was released stays: its answers can be replayed."""
        plugins = list(objs)
        forbidden = {"plugin" for plugin in plugins if not self.has_delete_permission(request, plugin)}
        released = [str(release) for release in Release.objects.filter(plugin__in=plugins).select_related("plugin")]
        return [str(plugin) for plugin in plugins], {}, forbidden, released

    @admin.display(description="state", ordering="is_published")
    def state(self, plugin: Plugin) -> str:
        return f"on the air as {plugin.version}" if plugin.is_published else "draft"


@admin.register(Release)
class ReleaseAdmin(DeferredListAdmin, ReadOnlyAdmin):
    """What agents ask: fixed for ever, so it can only be read."""

    list_display = ["__str__", "plugin", "created_at", "created_by"]
    not_in_lists = ("trees", "knowledge", "system_prompt", "scorecard")
    list_select_related = ["plugin", "created_by"]
    list_filter = [("plugin", admin.RelatedOnlyFieldListFilter)]
    list_per_page = 50
    show_full_result_count = False
    fieldsets = [
        (None, {"fields": ["plugin", "version", "notes", "created_at", "created_by"]}),
        ("Who answers", {"fields": ["persona", "audience", "tone", "limits", "disclaimer"]}),
        (
            "What it may say",
            {"fields": ["citation_mode", "evidence_threshold", "top_k", "threshold", "pinned_synonyms"]},
        ),
        ("What it reads", {"fields": ["planner", "public_only", "pinned_knowledge", "pinned_trees"]}),
        ("How it did on its golden questions", {"fields": ["shown_scorecard"]}),
    ]

    @admin.display(description="persona")
    def persona(self, release: Release) -> str:
        return text_block(release.system_prompt)

    @admin.display(description="synonyms")
    def pinned_synonyms(self, release: Release) -> str:
        return text_block("\n".join(" = ".join(group) for group in release.synonyms) or "none")

    @admin.display(description="knowledge")
    def pinned_knowledge(self, release: Release) -> str:
        return key_value_table(
            (
                change_link(
                    "knowledge_knowledgebase",
                    f"knowledge base {pinned['knowledge_base']}",
                    pinned["knowledge_base"],
                ),
                f"as it was at revision {pinned['revision']}",
            )
            for pinned in release.knowledge
        )

    @admin.display(description="scorecard")
    def shown_scorecard(self, release: Release) -> str:
        return key_value_table((name.replace("_", " "), value) for name, value in release.scorecard.items())

    @admin.display(description="decision trees")
    def pinned_trees(self, release: Release) -> str:
        return key_value_table((tree["name"], json_block(tree["tree_data"])) for tree in release.trees)

    def visible(self, request: HttpRequest) -> models.QuerySet[Release]:
        assert isinstance(request.user, User)
        return Release.objects.filter(plugin__in=Plugin.objects.readable_by(request.user))
