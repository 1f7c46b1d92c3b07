"""The retention of a plugin's questions, chats and files, and the legal hold that stops every deletion."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models.functions import Coalesce

from lexic.errors import Conflict, NotAllowed

Rows = TypeVar("Rows", bound=models.QuerySet[Any])

KINDS = ("questions", "chats", "files")
MAX_RETENTION_DAYS = 36_500
_EMPTY_MEANS_SITE = "In days; 0 keeps them until the plugin is deleted. Empty: as long as this site keeps them."


class LegalHold(models.TextChoices):
    """Who set the hold. Only an operator lifts what an operator has set."""

    OWNER = "owner", "the owner"
    OPERATOR = "operator", "those who run this site"


class UnderLegalHold(Conflict):
    """The plugin is under legal hold: nothing of it is deleted."""

    code = "legal_hold"
    hint = "The person who set the hold can lift it, on the plugin's page under Limits."


class HeldByOperator(NotAllowed):
    """Those who run this site have set the legal hold."""

    code = "held_by_operator"
    hint = "Only they lift it: write to them."


class RetentionSettings(models.Model):
    """The columns of a plugin that say how long its content is kept."""

    keep_questions_days = models.PositiveIntegerField(
        "questions are kept",
        null=True,
        blank=True,
        validators=[MaxValueValidator(MAX_RETENTION_DAYS)],
        help_text=f"{_EMPTY_MEANS_SITE} Then their words and answers are erased; figures stay.",
    )
    keep_chats_days = models.PositiveIntegerField(
        "chats are kept",
        null=True,
        blank=True,
        validators=[MaxValueValidator(MAX_RETENTION_DAYS)],
        help_text=f"{_EMPTY_MEANS_SITE} Counted from a conversation's last question.",
    )
    keep_files_days = models.PositiveIntegerField(
        "removed documents are kept",
        null=True,
        blank=True,
        validators=[MaxValueValidator(MAX_RETENTION_DAYS)],
        help_text=f"{_EMPTY_MEANS_SITE} Counted from their removal. What a release reads stays with the release.",
    )
    legal_hold = models.CharField(max_length=8, choices=LegalHold, blank=True, default="", editable=False)

    class Meta:
        abstract = True

    def retention_days(self, kind: str) -> int:
        """How many days this plugin keeps its `questions`, `chats` or `files`; 0: until it is deleted."""
        own: int | None = getattr(self, f"keep_{kind}_days")
        return site_retention_days(kind) if own is None else own

    @property
    def question_days(self) -> int:
        """How many days a question to it is kept; 0: until the plugin is deleted, or for as long as a hold lasts."""
        return 0 if self.legal_hold else self.retention_days("questions")

    def set_legal_hold(self, *, by_operator: bool) -> None:
        """Sets the hold: nothing of the plugin is deleted until it is lifted."""
        if by_operator or not self.legal_hold:
            self.legal_hold = LegalHold.OPERATOR if by_operator else LegalHold.OWNER
            self.save(update_fields=["legal_hold"])

    def lift_legal_hold(self, *, by_operator: bool) -> None:
        """Raises `HeldByOperator`."""
        if self.legal_hold == LegalHold.OPERATOR and not by_operator:
            raise HeldByOperator
        self.legal_hold = ""
        self.save(update_fields=["legal_hold"])

    def check_deletable(self) -> None:
        """Raises `UnderLegalHold`."""
        if self.legal_hold:
            raise UnderLegalHold


def site_retention_days(kind: str) -> int:
    """How many days this site keeps the `questions`, `chats` or `files` of plugins that say nothing else."""
    days: int = getattr(settings, f"KEEP_{kind.upper()}_DAYS")
    return days


def expired_rows(rows: Rows, *, kind: str, date_field: str, now: datetime) -> Rows:
    """The rows that are older at this time than their plugin keeps rows of this kind. Each row has a `plugin`. Rows of
    a plugin under legal hold are never among them."""
    age = models.ExpressionWrapper(
        models.Value(now, output_field=models.DateTimeField()) - models.F(date_field),
        output_field=models.DurationField(),
    )
    kept = Coalesce(f"plugin__keep_{kind}_days", models.Value(site_retention_days(kind)))
    allowed = models.ExpressionWrapper(
        models.F("kept_days") * models.Value(timedelta(days=1)), output_field=models.DurationField()
    )
    held = rows.filter(plugin__legal_hold="").annotate(kept_days=kept, age=age)
    return held.filter(kept_days__gt=0, age__gt=allowed)
