"""Alerts that a person gets within a day: files that could not be read, and plugins that refuse much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from accounts.models import User
from evaluation.plugin_counts import base_ids_by_plugin
from knowledge.models import Document, DocumentStatus
from notifications.failure_reasons import translated_reason
from notifications.recipients import plugins_of
from plugins.models import Plugin
from querying.models import Query
from querying.types.answer import Outcome

MAX_FILES = 20
REFUSAL_PERIOD = timedelta(hours=24)
# Fewer questions say nothing.
MIN_QUESTIONS = 10


@dataclass(frozen=True, kw_only=True)
class FailedFile:
    """A file that could not be read, and why; `plugin` is the first that reads it."""

    plugin: Plugin
    title: str
    reason: str

    @property
    def translated_reason(self) -> str:
        """The reason in the active language; empty where it is not one of those that are translated."""
        return translated_reason(self.reason)


@dataclass(frozen=True, kw_only=True)
class FailedFiles:
    """The latest of the files that could not be read, and how many `others` there are."""

    named: Sequence[FailedFile]
    others: int

    @property
    def count(self) -> int:
        return len(self.named) + self.others


@dataclass(frozen=True, kw_only=True)
class RefusalAlert:
    """A plugin that refused `refused` of the `asked` questions of a day."""

    plugin: Plugin
    asked: int
    refused: int

    @property
    def percent(self) -> int:
        return round(100 * self.refused / self.asked)


def failed_files(user: User, *, after: datetime, until: datetime) -> FailedFiles:
    """What could not be read between these moments, the latest first. Six statements."""
    plugins = {plugin.pk: plugin for plugin in plugins_of(user)}
    reading = {base: pk for pk, bases in base_ids_by_plugin(list(plugins)).items() for base in bases}
    failed = Document.objects.present().filter(
        knowledge_base__in=reading, status=DocumentStatus.FAILED, updated_at__gt=after, updated_at__lte=until
    )
    rows = failed.order_by("-updated_at").values_list("knowledge_base", "title", "error")[:MAX_FILES]
    named = [FailedFile(plugin=plugins[reading[base]], title=title, reason=reason) for base, title, reason in rows]
    return FailedFiles(named=named, others=max(0, failed.count() - MAX_FILES))


def refusal_alerts(user: User, *, percent: int, now: datetime) -> Sequence[RefusalAlert]:
    """The plugins that refused at least this share of what they were asked in the last 24 hours."""
    plugins = {plugin.pk: plugin for plugin in plugins_of(user)}
    recent = Query.objects.filter(plugin__in=plugins, created_at__gt=now - REFUSAL_PERIOD).questions().order_by()
    # The draft is asked by hand in the sandbox alone: that is the author, who tries it.
    recent = recent.exclude(release=None, api_key=None)
    refused = Count("pk", filter=Q(outcome=Outcome.REFUSED.value))
    rows = recent.values_list("plugin").annotate(asked=Count("pk"), refused=refused)
    found = [RefusalAlert(plugin=plugins[pk], asked=asked, refused=number) for pk, asked, number in rows if pk]
    return [one for one in found if one.asked >= MIN_QUESTIONS and 100 * one.refused >= percent * one.asked]
