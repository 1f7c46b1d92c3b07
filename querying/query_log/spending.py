"""Caps on what answers may cost in a calendar month: of a plugin, of an account that asks, and of this site."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.cache import caches
from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from lexic.errors import LexicError
from plugins.models import Plugin
from querying.llm_interface import LLM
from querying.models import MonthlyCost, Query
from querying.monthly_costs import first_of_month
from querying.query_log.cost import NO_COST, cost_of
from querying.types.question import Question
from querying.types.token_usage import Usage

# Seconds that a sum is remembered in this process: a cap may be passed by what is asked within them.
_CACHE_SECONDS = 10
# In the operator's currency: what private questions cost a plugin is counted in steps of this. Its cap may be passed by
# less than one step.
_PRIVATE_STEP = Decimal("0.10")


class SpendingCapReached(LexicError):
    """The answers of this month have cost as much as they may."""

    code = "spending_cap"
    status = 429

    def __init__(self, *, whose: str, spent: Decimal, cap: Decimal, remedy: str) -> None:
        currency = settings.LEXIC_LLM_CURRENCY
        super().__init__(
            f"{whose} has spent {spent:.2f} of {cap:.2f} {currency} on answers this month.",
            hint=f"It is available again on the first of next month (UTC). {remedy}",
        )


def check_spending(question: Question, *, llm: LLM) -> None:
    """Raises `SpendingCapReached`. A model on this machine costs nothing, and is never refused."""
    if llm.is_offline or question.caller.is_evaluation:
        return
    plugin = question.release.plugin
    if plugin.spending_cap is not None:
        remedy = "Its owner can raise the cap on the plugin's page under Limits."
        cap = plugin.spending_cap
        _check(f"plugin:{plugin.pk}", lambda: plugin_spending(plugin), "This plugin", cap, remedy)
    check_account_spending(question.caller.user_id, llm=llm)


def check_account_spending(person: UUID | None, *, llm: LLM) -> None:
    """Checks the caps of this person (by id; None for a caller without an account) and of this site. Raises
    `SpendingCapReached`."""
    if llm.is_offline:
        return
    remedy = "Or ask the operators of this site for more."
    if settings.ACCOUNT_SPENDING_CAP and person:
        cap = settings.ACCOUNT_SPENDING_CAP
        _check(f"account:{person}", lambda: account_spending(person), "This account", cap, remedy)
    if settings.SITE_SPENDING_CAP:
        _check("site", site_spending, "This site", settings.SITE_SPENDING_CAP, remedy)


def count_spending(person: UUID | None, cost: Decimal | None) -> None:
    """Counts the cost of a model call for this person that no query row records. The cost is None if it is unknown; the
    person is None for a caller without an account, whose calls count for this site alone."""
    try:
        MonthlyCost.objects.add(cost, user=person, at=timezone.now())
    except IntegrityError:  # the account was deleted meanwhile
        MonthlyCost.objects.add(cost, at=timezone.now())


def plugin_spending(plugin: Plugin) -> Decimal:
    """What answers of this plugin have cost since the month began: to the public exactly, in private in whole steps, so
    that its people cannot tell from the sum that somebody has just asked a private question."""
    private = MonthlyCost.objects.filter(plugin=plugin).spent(at=timezone.now())
    return month_spending(Query.objects.filter(plugin=plugin)) + private // _PRIVATE_STEP * _PRIVATE_STEP


def account_spending(user: Any) -> Decimal:
    """What models were paid for this person (a `User`, or its id) since the month began: for answers, those deleted
    since included, for contract reviews, and for turns of agents."""
    besides = MonthlyCost.objects.filter(user=user).spent(at=timezone.now())
    return month_spending(Query.objects.filter(user=user)) + besides


def site_spending() -> Decimal:
    """What all answers have cost since the month began, those of accounts that were deleted since included."""
    return month_spending(Query.objects.all()) + MonthlyCost.objects.filter(plugin=None).spent(at=timezone.now())


def spending_lost_with(user: Any, questions: QuerySet[Query]) -> Decimal:
    """What this site would forget to have spent this month if the account and these questions were deleted. Until the
    end of the transaction nothing is added to the sum of the person."""
    list(MonthlyCost.objects.select_for_update().filter(user=user).order_by("pk").values_list("pk"))
    return month_spending(questions) + MonthlyCost.objects.filter(user=user).spent(at=timezone.now())


def count_cost(question: Question, usage: Usage, *, llm: LLM) -> None:
    """Counts what a model was paid for and no query row records, such as a turn of an agent, for the plugin and for the
    person."""
    cost = cost_of(usage, llm=llm, was_called=True)
    with suppress(IntegrityError):  # the plugin was deleted meanwhile
        MonthlyCost.objects.add(cost, plugin=question.release.plugin_id, at=timezone.now())
    count_spending(question.caller.user_id, cost)


def delete_queries(rows: QuerySet[Query]) -> None:
    """Deletes these questions. What those of this month have cost still counts for the caps: of the plugin where they
    name one, of the person who asked, and of this site."""
    begin = _begin_of_month()
    with transaction.atomic():
        locked = list(rows.select_for_update().order_by("pk"))
        paid = [row for row in locked if row.cost and row.created_at >= begin]
        for plugin in sorted({row.plugin_id for row in paid if row.plugin_id}):
            cost = _sum_costs(row for row in paid if row.plugin_id == plugin)
            MonthlyCost.objects.add(cost, plugin=plugin, at=begin)
        for user in sorted({row.user_id for row in paid}, key=str):
            MonthlyCost.objects.add(_sum_costs(row for row in paid if row.user_id == user), user=user, at=begin)
        Query.objects.filter(pk__in=[row.pk for row in locked]).delete()


def month_spending(rows: QuerySet[Query]) -> Decimal:
    """What these questions have cost since the month began (UTC), as far as their cost is known."""
    return rows.order_by().filter(created_at__gte=_begin_of_month()).aggregate(spent=Sum("cost"))["spent"] or NO_COST


def _begin_of_month() -> datetime:
    return datetime.combine(first_of_month(timezone.now()), time(), tzinfo=UTC)


def _sum_costs(rows: Iterable[Query]) -> Decimal:
    return sum((row.cost for row in rows if row.cost), NO_COST)


def _check(name: str, spending: Callable[[], Decimal], whose: str, cap: Decimal, remedy: str) -> None:
    spent = caches["process"].get_or_set(f"spending:{name}", spending, _CACHE_SECONDS) or NO_COST
    if spent >= cap:
        raise SpendingCapReached(whose=whose, spent=spent, cap=cap, remedy=remedy)
