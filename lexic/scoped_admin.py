"""Django admin for people who see only their own: every admin page goes through these two classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import LogEntry
from django.core.paginator import Paginator
from django.db import models
from django.db.models.options import Options
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.text import capfirst

from lexic.admin_theme import ChangeList, ModelAdmin

# Far more rows than a list shows at once.
MAX_CHECKED_ROWS = 1000


def column(field: str, heading: str, *, is_tick: bool = False) -> Callable[[Any], Any]:
    """A field in a list or on a page under this heading, in place of its own name; one of yes and no as a tick."""

    @admin.display(description=heading, ordering=field, boolean=is_tick)
    def value(row: Any) -> Any:
        choice = getattr(row, f"get_{field}_display", None)
        return choice() if choice else getattr(row, field)

    value.__name__ = field
    return value


class ListAdmin(ModelAdmin):
    """Its list is called by what is in it, and not “Select API key to change”; some have a `list_title`."""

    list_title = ""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = self.list_title or capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def get_paginator(
        self, request: HttpRequest, queryset: models.QuerySet[Any], per_page: int, *args: Any, **kwargs: Any
    ) -> Paginator[Any]:
        """The page of an object's history is cut by this as well: the latest change stands first there."""
        rows = queryset.order_by("-action_time", "-pk") if queryset.model is LogEntry else queryset
        return super().get_paginator(request, rows, per_page, *args, **kwargs)


class ScopedAdmin(ListAdmin):
    """Staff may use it, and sees only `visible(request)`. An object outside that is a 404, not a 403."""

    list_per_page = 50
    show_full_result_count = False

    def visible(self, request: HttpRequest) -> models.QuerySet[Any]:
        """The rows this person may see: by `visible_to` of the model, unless an admin says otherwise."""
        return self.model._default_manager.visible_to(request.user)

    def changeable(self, request: HttpRequest) -> models.QuerySet[Any]:
        """The rows this person may change as well: none, unless an admin says which."""
        return self.visible(request).none()

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """In the order of the list, which autocompletion pages through as well."""
        ordering = self.get_ordering(request)
        return self.visible(request).order_by(*ordering) if ordering else self.visible(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _is_staff(request)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return _is_staff(request) and (obj is None or self.visible(request).filter(pk=obj.pk).exists())

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return _is_staff(request) and (obj is None or self.changeable(request).filter(pk=obj.pk).exists())

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return self.has_change_permission(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_staff(request)

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: Options[Any], object_id: str
    ) -> HttpResponse:
        """Back to the first page, in words that hold for what is gone and for what is somebody else's."""
        words = f"That {opts.verbose_name} is not here: it was deleted, or its owner has not invited you."
        messages.warning(request, words)
        return HttpResponseRedirect(reverse("admin:index"))

    def response_action(
        self, request: HttpRequest, queryset: models.QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Actions meet only rows that this person may change, whatever was chosen."""
        ids = self.changeable(request).values("pk")
        only_seen = queryset.exclude(pk__in=ids).values_list("pk", flat=True)[:MAX_CHECKED_ROWS]
        if {str(pk) for pk in only_seen} & set(request.POST.getlist(ACTION_CHECKBOX_NAME)):
            messages.warning(request, "You may not change some of them; those stay as they are.")
        return super().response_action(request, queryset.filter(pk__in=ids), *args, **kwargs)


class ReadOnlyChangeList(ChangeList):
    """Leaves out the long columns of a list, and links each row to the page where it is edited."""

    model_admin: ReadOnlyAdmin

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> models.QuerySet[Any]:
        return super().get_queryset(request, exclude_parameters).defer(*self.model_admin.not_in_lists)

    def url_for_result(self, result: models.Model) -> str:
        return self.model_admin.builder_url(result) or super().url_for_result(result)


class ReadOnlyAdmin(ScopedAdmin):
    """A list that can only be read. What has a page in the builder is opened and edited there."""

    # Long columns: they are only read where one row is shown.
    not_in_lists: ClassVar[Sequence[str]] = ()

    def builder_url(self, obj: Any) -> str:
        """The page of the builder where this object is edited; empty where it has none."""
        return ""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ReadOnlyChangeList

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        obj = self.get_object(request, object_id) if request.method == "GET" and _is_staff(request) else None
        if obj and (url := self.builder_url(obj)):
            return HttpResponseRedirect(url)
        return super().change_view(request, object_id, *args, **kwargs)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


def _is_staff(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_staff)
