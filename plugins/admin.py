from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest

from accounts.models import User
from plugins.access import ReadOnlyAdmin, ScopedAdmin
from plugins.display import as_json, as_table, as_text, change_link
from plugins.lists import LightListAdmin
from plugins.models import Plugin, Release

MOST_EDITORS = 50


class PluginForm(forms.ModelForm):
    """Editors are named by address. A list to choose from would show everybody who has an account."""

    editor_emails = forms.CharField(
        label="editors",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="May change it with you. One email address on a line, of people who have an account.",
    )

    class Meta:
        model = Plugin
        fields = ("name",)  # the admin names them all
        help_texts = {
            "name": "What people call it, such as “Concrete cover in buildings”.",
            "slug": "What agents call it, such as “concrete-cover”. Made from the name when left empty; fixed by the "
            "first release.",
            "tagline": "One line for its public page.",
            "description": "For its public page: what it knows, for whom, and where its knowledge ends.",
            "tags": "Words to find it by, with commas between them.",
            "disclaimer": "Added under every answer. Example: “Let a qualified engineer decide.”",
            "chunk_strategy": "How pages are cut into chunks, the pieces that are searched.",
            "chunk_size": "The longest chunk, in characters; not used when tokens are counted. Documents that are "
            "there already are cut anew when they are read again.",
            "citation_mode": "What happens to a sentence that no source supports.",
        }
        widgets = {
            "system_prompt": forms.Textarea(attrs={"rows": 14, "class": "vLargeTextField"}),
            "description": forms.Textarea(attrs={"rows": 5, "class": "vLargeTextField"}),
            "disclaimer": forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance._state.adding:
            emails = self.instance.editors.order_by("email").values_list("email", flat=True)
            self.fields["editor_emails"].initial = "\n".join(emails)

    def clean_editor_emails(self) -> list[User]:
        """The people. Raises a ValidationError that names the addresses without an account."""
        emails = {email.strip(" ,;").lower() for email in self.cleaned_data["editor_emails"].splitlines()} - {""}
        if len(emails) > MOST_EDITORS:
            raise ValidationError(f"At most {MOST_EDITORS} people can edit a plugin.")
        found = {user.email: user for user in User.objects.filter(email__in=emails, is_active=True)}
        if unknown := sorted(emails - found.keys()):
            raise ValidationError(f"There is no account with the address {', '.join(unknown)}.")
        return list(found.values())


@admin.register(Plugin)
class PluginAdmin(ScopedAdmin):
    form = PluginForm
    list_display = ["name", "slug", "state", "domain", "owner", "updated_at"]
    list_filter = ["is_published", "domain"]
    list_select_related = ["owner"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["name", "slug", "domain", "tagline"]
    readonly_fields = ["owner", "state"]
    fieldsets = [
        (None, {"fields": ["name", "slug", "domain", "state"]}),
        ("Persona", {"fields": ["system_prompt", "disclaimer"]}),
        (
            "How it answers",
            {
                "fields": ["citation_mode", "top_k", "threshold"],
                "description": "The defaults are right for most plugins.",
            },
        ),
        (
            "How its documents are cut",
            {"fields": ["chunk_strategy", "chunk_size"], "classes": ["collapse"]},
        ),
        ("Its public page", {"fields": ["tagline", "description", "tags", "is_shared", "public_chat"]}),
        ("Who works on it", {"fields": ["owner", "editor_emails"]}),
    ]

    def get_fieldsets(self, request: HttpRequest, obj: Plugin | None = None) -> Any:
        return self.fieldsets if obj else [_without(fieldset, "state", "owner") for fieldset in self.fieldsets]

    def get_readonly_fields(self, request: HttpRequest, obj: Plugin | None = None) -> list[str]:
        # Agents call it by this name from its first release on.
        fixed = ["slug"] if obj and obj.releases.exists() else []
        return [*self.readonly_fields, *fixed]

    def get_prepopulated_fields(self, request: HttpRequest, obj: Plugin | None = None) -> dict[str, Sequence[str]]:
        return {} if obj else {"slug": ["name"]}

    def visible(self, request: HttpRequest) -> models.QuerySet[Plugin]:
        assert isinstance(request.user, User)
        return Plugin.objects.readable_by(request.user)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        assert isinstance(request.user, User)
        is_theirs = obj is None or Plugin.objects.editable_by(request.user).filter(pk=obj.pk).exists()
        return is_theirs and super().has_change_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Plugin, form: Any, change: bool) -> None:
        if not change:
            assert isinstance(request.user, User)
            obj.owner = request.user
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if "editor_emails" in form.changed_data:
            form.instance.editors.set(form.cleaned_data["editor_emails"])

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


def _without(fieldset: Any, *names: str) -> Any:
    title, of = fieldset
    return title, {**of, "fields": [name for name in of["fields"] if name not in names]}


@admin.register(Release)
class ReleaseAdmin(LightListAdmin, ReadOnlyAdmin):
    """What agents ask: fixed for ever, so it can only be read."""

    list_display = ["__str__", "plugin", "created_at", "created_by"]
    not_in_lists = ("trees", "knowledge", "system_prompt", "scorecard")
    list_select_related = ["plugin", "created_by"]
    list_filter = [("plugin", admin.RelatedOnlyFieldListFilter)]
    list_per_page = 50
    show_full_result_count = False
    fieldsets = [
        (None, {"fields": ["plugin", "version", "notes", "created_at", "created_by"]}),
        ("Persona", {"fields": ["persona", "disclaimer"]}),
        ("How it answers", {"fields": ["citation_mode", "top_k", "threshold"]}),
        ("What it reads", {"fields": ["pinned_knowledge", "pinned_trees"]}),
    ]

    @admin.display(description="persona")
    def persona(self, release: Release) -> str:
        return as_text(release.system_prompt)

    @admin.display(description="knowledge")
    def pinned_knowledge(self, release: Release) -> str:
        return as_table(
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

    @admin.display(description="decision trees")
    def pinned_trees(self, release: Release) -> str:
        return as_table((tree["name"], as_json(tree["tree_data"])) for tree in release.trees)

    def visible(self, request: HttpRequest) -> models.QuerySet[Release]:
        assert isinstance(request.user, User)
        return Release.objects.filter(plugin__in=Plugin.objects.editable_by(request.user))
