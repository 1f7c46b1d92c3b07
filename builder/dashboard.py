"""The first page of the builder: one's plugins, how they stand, and what waits for a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.checklist import first_steps
from builder.readiness import ReadinessPart, ReadinessStatus, readiness_parts, reverse_pane
from evaluation.plugin_counts import PluginCounts, counts_by_plugin
from knowledge.models import DocumentStatus
from lexic.http.parameters import get_page
from marketplace.models import Review
from marketplace.sharing.copy_updates import update_offers
from plugins.models import Invitation, Plugin
from querying.models import Query
from querying.types.answer import Outcome

PER_PAGE = 20
WEEK = timedelta(days=7)
# What waits, by the pane that has the remedy: for one, for several, the words of the link.
ACTION_ITEMS = {
    "knowledge": ("document could not be read", "documents could not be read", "See why", ReadinessStatus.BLOCKS),
    "trees": ("problem in its trees", "problems in its trees", "Show where", ReadinessStatus.BLOCKS),
    "golden": ("golden question fails", "golden questions fail", "Compare", ReadinessStatus.ATTENTION),
    "inbox": (
        "question was refused this week",
        "questions were refused this week",
        "Open the inbox",
        ReadinessStatus.ATTENTION,
    ),
    "sharing": (
        "new release of its original",
        "new releases of its original",
        "See what changed",
        ReadinessStatus.OPEN,
    ),
    "reviews": (
        "review of this week has no reply",
        "reviews of this week have no reply",
        "Read",
        ReadinessStatus.OPEN,
    ),
}
# What a newcomer does, in this order: title and what it means.
GETTING_STARTED = (
    ("Name it", "Give it a name and a field. You get a first draft of its persona to edit."),
    ("Add documents", "The plugin answers from them alone and refuses everything else."),
    ("Draw a tree", "Only where an answer depends on facts. It asks the caller for a fact that is missing."),
    ("Ask it", "Check the sources it cites, and save golden questions for answers that must stay right."),
    ("Publish it", "A release never changes. Agents ask it with a key; you keep editing the draft."),
)


@dataclass(frozen=True, kw_only=True)
class DashboardRow:
    """One plugin as the page shows it."""

    plugin: Plugin
    url: str
    parts: list[ReadinessPart]
    may_change: bool


@dataclass(frozen=True, kw_only=True)
class ActionItem:
    """One thing that waits for the person: about a plugin, in one sentence, with the place of the remedy."""

    plugin: Plugin
    sentence: str
    remedy: str
    url: str
    status: ReadinessStatus


def dashboard(request: SignedInRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The number of statements does not depend on how many plugins there are."""
    user, now = request.user, timezone.now()
    mine = Plugin.objects.viewable_by(user).select_related("owner").order_by("-updated_at", "pk")
    page = get_page(request, mine, per_page=PER_PAGE)
    plugins = list(page)
    counts = counts_by_plugin(plugins)
    changeable = set(Plugin.objects.editable_by(user).filter(pk__in=counts).values_list("pk", flat=True))
    rows = [
        DashboardRow(
            plugin=plugin,
            url=reverse_pane(plugin, "persona"),
            parts=readiness_parts(plugin, counts[plugin.pk]),
            may_change=plugin.pk in changeable,
        )
        for plugin in plugins
    ]
    waiting = Query.objects.filter(outcome=Outcome.REFUSED).needing_attention(since=now - WEEK)
    refused = _count_by_plugin(waiting, changeable)
    unanswered = Review.objects.filter(is_hidden=False, replied_at=None, updated_at__gte=now - WEEK)
    reviewed = _count_by_plugin(unanswered, changeable)
    newer = dict.fromkeys(update_offers(changeable), 1)
    return {
        **context,
        "title": "Dashboard",
        "page": page,
        "rows": rows,
        "action_items": [
            item for row in rows if row.may_change for item in _action_items(row, counts, refused, reviewed, newer)
        ],
        "invitations": _open_invitations(user, now=now),
        "figures": _weekly_totals(user, since=now - WEEK),
        "getting_started": GETTING_STARTED,
        "checklist": first_steps(user, plugins, counts),
        "is_fullwidth": "1",
    }


def _action_items(
    row: DashboardRow,
    counts: Mapping[UUID, PluginCounts],
    refused: Mapping[UUID, int],
    reviewed: Mapping[UUID, int],
    newer: Mapping[UUID, int],
) -> list[ActionItem]:
    plugin, of = row.plugin, counts[row.plugin.pk]
    numbers = {
        "knowledge": of.documents.get(DocumentStatus.FAILED, 0),
        "trees": len(of.tree_problems),
        "golden": of.golden_failed,
        "inbox": refused.get(plugin.pk, 0),
        "sharing": newer.get(plugin.pk, 0),
        "reviews": reviewed.get(plugin.pk, 0),
    }
    items = []
    for pane, number in numbers.items():
        if number:
            one, many, remedy, status = ACTION_ITEMS[pane]
            sentence, url = f"{number} {one if number == 1 else many}", reverse_pane(plugin, pane)
            items.append(ActionItem(plugin=plugin, sentence=sentence, remedy=remedy, url=url, status=status))
    return items


def _count_by_plugin(rows: QuerySet[Any], ids: Collection[UUID]) -> dict[UUID, int]:
    return dict(rows.filter(plugin__in=ids).order_by().values_list("plugin").annotate(Count("pk")))


def _open_invitations(user: User, *, now: datetime) -> list[Invitation]:
    if not has_confirmed_email(user):
        return []
    waiting = Invitation.objects.open(now=now).for_address(user.email)
    return list(waiting.select_related("plugin", "invited_by")[:PER_PAGE])


def _weekly_totals(user: User, *, since: datetime) -> dict[str, int]:
    """Over everything the person may look at, not only this page."""
    readable = Plugin.objects.viewable_by(user)
    figures: dict[str, int] = readable.aggregate(
        plugins=Count("pk"), published=Count("pk", filter=Q(is_published=True))
    )
    asked = Query.objects.filter(plugin__in=readable.values("pk"), created_at__gte=since).questions()
    return figures | asked.aggregate(
        asked=Count("pk"),
        answered=Count("pk", filter=Q(outcome=Outcome.ANSWERED)),
        refused=Count("pk", filter=Q(outcome=Outcome.REFUSED)),
    )
