"""Caps on what answers may cost in a calendar month: of a plugin, of an account that asks, and of this site."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db.models import QuerySet, Sum
from django.utils import timezone

from lexic.errors import LexicError
from plugins.models import Plugin
from querying.audit.cost import NO_COST
from querying.llm_interface import LLM
from querying.models import Query
from querying.types import Question

# Seconds that a sum is remembered in this process: a cap may be passed by what is asked within them.
_CACHE_SECONDS = 10


class SpendingCapReached(LexicError):
    """The answers of this month have cost as much as they may."""

    code = "spending_cap"
    status = 429

    def __init__(self, *, whose: str, spent: Decimal, cap: Decimal, remedy: str) -> None:
        currency = settings.LEXIC_LLM_CURRENCY
        super().__init__(
            f"{whose} has spent {spent:.2f} of {cap:.2f} {currency} on answers this month.",
            hint=f"It goes on on the first of next month (UTC). {remedy}",
        )


def check_spending(question: Question, *, llm: LLM) -> None:
    """Raises `SpendingCapReached`. A model on this machine costs nothing, and is never refused."""
    if llm.is_offline or question.caller.is_evaluation:
        return
    plugin, person = question.release.plugin, question.caller.user_id
    if plugin.spending_cap is not None:
        remedy = "Its owner can raise the cap on the plugin's page under Limits."
        _check(f"plugin:{plugin.pk}", plugin_spending, plugin, "This plugin", plugin.spending_cap, remedy)
    remedy = "Or ask those who run this site for more."
    if settings.ACCOUNT_SPENDING_CAP and person:
        rows = Query.objects.filter(user=person)
        _check(f"account:{person}", month_spending, rows, "This account", settings.ACCOUNT_SPENDING_CAP, remedy)
    if settings.SITE_SPENDING_CAP:
        _check("site", month_spending, Query.objects.all(), "This site", settings.SITE_SPENDING_CAP, remedy)


def plugin_spending(plugin: Plugin) -> Decimal:
    """What answers of this plugin have cost since the month began."""
    return month_spending(Query.objects.filter(plugin=plugin))


def month_spending(rows: QuerySet[Query]) -> Decimal:
    """What these questions have cost since the month began (UTC), as far as their cost is known."""
    now: datetime = timezone.now()
    begin = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return rows.order_by().filter(created_at__gte=begin).aggregate(spent=Sum("cost"))["spent"] or NO_COST


def _check(name: str, spending: Callable[[Any], Decimal], of: Any, whose: str, cap: Decimal, remedy: str) -> None:
    spent = caches["process"].get_or_set(f"spending:{name}", lambda: spending(of), _CACHE_SECONDS) or NO_COST
    if spent >= cap:
        raise SpendingCapReached(whose=whose, spent=spent, cap=cap, remedy=remedy)
