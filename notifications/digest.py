"""The weekly figures of a person's plugins.

Questions are not quoted: a mail stays where it was sent, and questions are deleted after a while.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from accounts.models import User
from evaluation.plugin_counts import base_ids_by_plugin, counts_by_plugin
from knowledge.models import Document, DocumentStatus
from notifications.recipients import plugins_of
from plugins.models import Plugin
from querying.models import ATTENTION_PERIOD, Query

# Documents that are superseded within so many days after the week are named.
_EXPIRY_DAYS = 30
# More plugins are counted together in one line.
MAX_PLUGINS, MAX_DOCUMENTS = 20, 10


@dataclass(frozen=True, kw_only=True)
class PluginDigest:
    """One plugin: how often it was `asked` in the week and in the one before (`asked_before`), how that ended,
    questions `waiting` in the inbox, `failed` files, and the `(title, day)` of documents that go out of date."""

    plugin: Plugin
    asked: int = 0
    answered: int = 0
    refused: int = 0
    asked_before: int = 0
    waiting: int = 0
    failed: int = 0
    expiring: Sequence[tuple[str, date]] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.asked or self.waiting or self.failed or self.expiring)


@dataclass(frozen=True, kw_only=True)
class Digest:
    """Of one week, from its Monday (`first`) to its Sunday (`last`). `others` is how many plugins more have news;
    `asked` counts their questions too."""

    first: date
    last: date
    asked: int
    plugins: Sequence[PluginDigest]
    others: int = 0


def make_digest(user: User, *, monday: date) -> Digest | None:
    """The week that begins on this Monday, the plugin that was asked most first; None when there is nothing to say.
    At most twelve statements, however many plugins there are."""
    sunday = monday + timedelta(days=6)
    plugins = list(plugins_of(user))
    ids = [plugin.pk for plugin in plugins]
    asked = Query.objects.filter(plugin__in=ids).questions()
    this_week = asked.created_between(monday, sunday).by_plugin()
    week_before = asked.created_between(monday - timedelta(days=7), sunday - timedelta(days=7)).by_plugin()
    waiting = _waiting(ids)
    counts = counts_by_plugin(plugins, check_trees=False)
    expiring = _expiring(ids, after=monday, until=sunday + timedelta(days=_EXPIRY_DAYS))
    digests = [
        PluginDigest(
            plugin=plugin,
            asked=this_week.get(plugin.pk, {}).get("count", 0),
            answered=this_week.get(plugin.pk, {}).get("answered", 0),
            refused=this_week.get(plugin.pk, {}).get("refused", 0),
            asked_before=week_before.get(plugin.pk, {}).get("count", 0),
            waiting=waiting.get(plugin.pk, 0),
            failed=counts[plugin.pk].documents.get(DocumentStatus.FAILED, 0),
            expiring=expiring.get(plugin.pk, ()),
        )
        for plugin in plugins
    ]
    news = sorted((one for one in digests if not one.is_empty), key=lambda one: -one.asked)
    if not news:
        return None
    total, others = sum(one.asked for one in news), max(0, len(news) - MAX_PLUGINS)
    return Digest(first=monday, last=sunday, asked=total, plugins=news[:MAX_PLUGINS], others=others)


def _waiting(ids: Sequence[UUID]) -> dict[UUID, int]:
    """How many questions stand in the inbox of each plugin."""
    asked = Query.objects.filter(plugin__in=ids)
    waiting = asked.needing_attention(since=timezone.now() - ATTENTION_PERIOD).order_by()
    return {pk: count for pk, count in waiting.values_list("plugin").annotate(Count("pk", distinct=True)) if pk}


def _expiring(ids: Sequence[UUID], *, after: date, until: date) -> dict[UUID, list[tuple[str, date]]]:
    """Titles and days of the documents of each plugin that are superseded in these days, the next first."""
    read = base_ids_by_plugin(ids)
    bases = set[int]().union(*read.values())
    rows = Document.objects.present().filter(knowledge_base__in=bases, superseded_on__range=(after, until))
    found: dict[UUID, list[tuple[str, date]]] = defaultdict(list)
    columns = ("knowledge_base", "title", "superseded_on")
    for base, title, day in rows.order_by("superseded_on", "pk").values_list(*columns):
        for plugin, own in read.items():
            if base in own and len(found[plugin]) < MAX_DOCUMENTS and day:
                found[plugin].append((title, day))
    return found
