from __future__ import annotations

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from accounts.models import User
from plugins.access import ReadOnlyAdmin
from querying.models import Query


@admin.register(Query)
class QueryAdmin(ReadOnlyAdmin):
    """The audit log: what was asked, what was answered, and why."""

    list_display = [
        "created_at",
        "release_name",
        "question_start",
        "outcome",
        "reason",
        "confidence",
        "latency_ms",
    ]
    list_filter = ["outcome", "confidence", ("created_at", admin.DateFieldListFilter)]
    search_fields = ["question", "answer"]
    date_hierarchy = "created_at"
    show_full_result_count = False

    def visible(self, request: HttpRequest) -> models.QuerySet[Query]:
        assert isinstance(request.user, User)
        return Query.objects.visible_to(request.user)

    def get_exclude(self, request: HttpRequest, obj: Query | None = None) -> list[str]:
        """An author reads what was asked of a plugin, not who asked: their address and key are theirs."""
        assert isinstance(request.user, User)
        return [] if request.user.is_superuser else ["user", "api_key"]

    @admin.display(description="question")
    def question_start(self, query: Query) -> str:
        return query.question[:80]
