"""The operators' list of releases: what agents ask, fixed for ever, so it can only be read."""

from __future__ import annotations

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from accounts.signed_in_request import signed_in_user
from lexic.scoped_admin import ReadOnlyAdmin, column
from plugins.admin_display import change_link, json_block, key_value_table, text_block
from plugins.models import Plugin, Release


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "plugin", column("created_at", "published"), column("created_by", "by")]
    not_in_lists = ("trees", "knowledge", "system_prompt", "scorecard")
    list_select_related = ["plugin", "created_by"]
    list_filter = [("plugin", admin.RelatedOnlyFieldListFilter)]
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
        return Release.objects.filter(plugin__in=Plugin.objects.viewable_by(signed_in_user(request)))
