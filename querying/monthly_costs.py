"""What a month has cost beyond the rows of queries. Part of `querying.models`, which imports it."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime
from decimal import Decimal

from django.conf import settings
from django.db import IntegrityError, models, transaction

from plugins.models import Plugin


class MonthlyCostQuerySet(models.QuerySet["MonthlyCost"]):
    def add(
        self, cost: Decimal | None, *, at: datetime, plugin: uuid.UUID | None = None, user: uuid.UUID | None = None
    ) -> None:
        """Adds what a question or a call of this moment has cost to the sum of the plugin, of the person, or of this
        site alone. Raises `IntegrityError` where the plugin or the account was deleted meanwhile."""
        if cost:
            with transaction.atomic():
                row, _ = self.get_or_create(plugin_id=plugin, user_id=user, month=first_of_month(at))
                if not self.filter(pk=row.pk).update(cost=models.F("cost") + cost):
                    raise IntegrityError("The sum was deleted with what it is of.")

    def spent(self, *, at: datetime) -> Decimal:
        """The sum of these in the month (UTC) of this moment."""
        rows = self.filter(month=first_of_month(at))
        return rows.aggregate(spent=models.Sum("cost"))["spent"] or Decimal(0)


def first_of_month(at: datetime) -> date:
    return at.astimezone(UTC).date().replace(day=1)


class MonthlyCost(models.Model):
    """What a month has cost beyond the rows of queries, for the caps. For a plugin: private questions, whose rows do
    not name it. For a person: questions that were deleted, and calls of a model in contract reviews. For both: the
    turns of agents, and answers that broke off, by their length. For this site alone, without a plugin and a person:
    what accounts that were deleted have spent. It says neither how many they were, nor when and by whom they were
    asked."""

    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, null=True, related_name="private_costs")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="monthly_costs"
    )
    month = models.DateField(help_text="Its first day.")
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=Decimal(0))

    objects = MonthlyCostQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(plugin=None) | models.Q(user=None), name="monthly_cost_not_of_both"
            ),
            models.UniqueConstraint(fields=["plugin", "month"], name="monthly_cost_of_plugin"),
            models.UniqueConstraint(fields=["user", "month"], name="monthly_cost_of_user"),
            models.UniqueConstraint(
                fields=["month"], condition=models.Q(plugin=None, user=None), name="monthly_cost_of_site"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}: {self.cost}"
