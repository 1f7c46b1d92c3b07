"""Lists that do not read what they do not show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django.db import models
from django.http import HttpRequest

from lexic.admin_theme import ChangeList, ModelAdmin


class DeferredChangeList(ChangeList):
    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> models.QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        return rows.defer(*getattr(self.model_admin, "not_in_lists", ()))


class DeferredListAdmin(ModelAdmin):
    """An admin whose rows have long columns: `not_in_lists` are only read where one row is shown."""

    not_in_lists: ClassVar[Sequence[str]] = ()

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return DeferredChangeList
