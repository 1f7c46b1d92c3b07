"""The operators' page of the audit log: a list to look through, and each entry as it was written."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from audit.exports import names_of
from audit.models import AuditEntry, AuditName
from lexic.admin_theme import ChangeList
from lexic.scoped_admin import ReadOnlyAdmin, ReadOnlyChangeList, column


class NamedChangeList(ReadOnlyChangeList):
    """Looks the names up of all rows that it shows at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        names = names_of(self.result_list)
        for entry in self.result_list:
            entry.shown_names = entry.known_names(names)


_WHEN = column("at", "when")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """Superusers only: to authors there is no such page."""

    list_display = [_WHEN, "action", "shown_actor", "via", "shown_object", "shown_subject"]
    list_display_links = [_WHEN]
    list_filter = ["action", ("at", admin.DateFieldListFilter)]
    search_fields = ["actor", "object", "subject", "request_id", "via"]
    search_help_text = "An id, a name or an address; “key:” and the id of a key; the id of a request."
    not_in_lists = ["details"]
    fields = [
        "number",
        "at",
        "action",
        "shown_actor",
        "via",
        "shown_object",
        "shown_subject",
        "request_id",
        "shown_details",
        "hash",
    ]
    ordering = ["-number"]

    def visible(self, request: HttpRequest) -> models.QuerySet[Any]:
        return AuditEntry.objects.all() if self.has_module_permission(request) else AuditEntry.objects.none()

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.has_module_permission(request)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return NamedChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: models.QuerySet[Any], search_term: str
    ) -> tuple[models.QuerySet[Any], bool]:
        """Searches the names that things had too; names are rows of their own."""
        found, has_duplicates = super().get_search_results(request, queryset, search_term)
        if words := search_term.strip():
            named = AuditName.objects.filter(name__icontains=words).values("reference")
            by_name = models.Q(actor__in=named) | models.Q(object__in=named) | models.Q(subject__in=named)
            found = found | queryset.filter(by_name)
        return found, has_duplicates

    @admin.display(description="who", ordering="actor")
    def shown_actor(self, entry: AuditEntry) -> str:
        return _display_name(entry, entry.actor)

    @admin.display(description="what", ordering="object")
    def shown_object(self, entry: AuditEntry) -> str:
        return _display_name(entry, entry.object)

    @admin.display(description="with whom", ordering="subject")
    def shown_subject(self, entry: AuditEntry) -> str:
        return _display_name(entry, entry.subject)

    @admin.display(description="details")
    def shown_details(self, entry: AuditEntry) -> str:
        return json.dumps(entry.details, ensure_ascii=False, sort_keys=True)


def _display_name(entry: Any, reference: str) -> str:
    """The name that was not erased, with what kind of thing it is; else the reference."""
    if not hasattr(entry, "shown_names"):
        entry.shown_names = entry.known_names(names_of([entry]))
    name = entry.shown_names.get(reference, "")
    kind = reference.partition(":")[0]
    return f"{name} ({kind})" if name else reference
