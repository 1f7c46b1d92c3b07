"""The form of the filters of analytics: days, release, and who asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from accounts.models import User
from lexic.errors import InvalidInput
from plugins.models import Plugin
from querying.models import Query, QueryQuerySet
from querying.query_log.date_range import EARLIEST_DAY, LATEST_DAY, resolve_days

# Longer than this, a bar stands for a week.
MAX_BARS = 92
_MAX_RELEASES = 50
_DRAFT = "draft"
_DATE_VALIDATORS = [MinValueValidator(EARLIEST_DAY), MaxValueValidator(LATEST_DAY)]


class DateRangeForm(forms.Form):
    """An empty form means the last thirty days of everything; so does one that makes no sense."""

    first = forms.DateField(label="From", required=False, validators=_DATE_VALIDATORS)
    last = forms.DateField(label="To", required=False, validators=_DATE_VALIDATORS)
    by = forms.ChoiceField(
        label="Asked by",
        required=False,
        choices=[("", "everybody"), ("keys", "agents"), ("hand", "people, by hand")],
    )

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        for field in self.fields.values():
            field.widget.attrs["class"] = "input input-s"
        self.set_choices()
        self.is_valid()

    def set_choices(self) -> None:
        """What there is to choose from, where that depends on what is looked at."""

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        self.days = resolve_days(None, None)
        try:
            self.days = resolve_days(said.get("first"), said.get("last"))
        except InvalidInput as error:
            self.add_error(None, error.message)
        return said

    @property
    def is_weekly(self) -> bool:
        first, last = self.days
        return (last - first).days >= MAX_BARS

    def filter_queries(self, queries: QueryQuerySet) -> QueryQuerySet:
        """Of these, the ones that are asked by whom the form says, of any day."""
        return queries.filtered_by(by=self.cleaned_data.get("by", ""))


class PluginAnalyticsForm(DateRangeForm):
    """The days of one plugin, and of which of its releases."""

    version = forms.ChoiceField(label="Release", required=False)
    field_order = ("first", "last", "version", "by")

    def __init__(self, data: Mapping[str, Any], *, plugin: Plugin) -> None:
        self._plugin = plugin
        super().__init__(data)

    def set_choices(self) -> None:
        versions = self._plugin.releases.values_list("version", flat=True)[:_MAX_RELEASES]
        field = self.fields["version"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "all releases"), (_DRAFT, "the draft"), *((one, one) for one in versions)]

    def queries(self, *, user: User) -> QueryQuerySet:
        """What may be counted for this person, of any day."""
        queries = Query.objects.visible_to(user).filter(plugin=self._plugin).questions()
        said = self.cleaned_data
        return queries.filtered_by(version=said.get("version", ""), by=said.get("by", ""))
