"""The mails about plugins that a person wants, and those that were sent."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone

# A mail whose sending was broken off, or failed, is tried again so many times.
MAX_ATTEMPTS = 5
_DEFAULT_REFUSED_PERCENT = 50


class MailKind(models.TextChoices):
    WEEKLY_DIGEST = "digest", "weekly digest"
    FAILED_FILES = "files", "files that could not be read"
    REFUSALS = "refusals", "many refused questions"


class MailPreferences(models.Model):
    """Who has no row gets what a new row says."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="mail_preferences"
    )
    weekly_digest = models.BooleanField(
        default=True,
        help_text="On Mondays: what your plugins were asked, what waits in their inboxes, and which documents go out of"
        " date.",
    )
    failed_files = models.BooleanField(
        "files that could not be read", default=True, help_text="At most one mail a day, with the reasons."
    )
    refusals = models.BooleanField(
        "many refused questions", default=True, help_text="At most one mail a day for each plugin."
    )
    refused_percent = models.PositiveSmallIntegerField(
        "share of refused questions, in percent",
        default=_DEFAULT_REFUSED_PERCENT,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="You are told when so many of at least ten questions in 24 hours are refused.",
    )

    class Meta:
        verbose_name_plural = "mail preferences"

    def __str__(self) -> str:
        return f"mail preferences of {self.user}"

    def wants(self, kind: MailKind) -> bool:
        """Whether the person gets mails of this kind."""
        return bool(getattr(self, _COLUMNS[kind]))

    def stop(self, kind: MailKind) -> None:
        """The person gets no mails of this kind any more. What was chosen meanwhile for other kinds stays."""
        setattr(self, _COLUMNS[kind], False)
        MailPreferences.objects.update_or_create(user_id=self.user_id, defaults={_COLUMNS[kind]: False})


_COLUMNS = {
    MailKind.WEEKLY_DIGEST: "weekly_digest",
    MailKind.FAILED_FILES: "failed_files",
    MailKind.REFUSALS: "refusals",
}


class NotificationMailQuerySet(models.QuerySet["NotificationMail"]):
    def begin(self, *, user_id: object, kind: MailKind, key: str, until: datetime) -> NotificationMail | None:
        """The mail of this kind and key, with one more attempt counted; None if it was sent, or tried too often.
        Each attempt tells what happened up to the `until` that it is given. Call under a lock on the person's mails."""
        mail, _ = self.get_or_create(user_id=user_id, kind=kind, key=key, defaults={"until": until})
        if mail.sent_at or mail.attempts >= MAX_ATTEMPTS:
            return None
        mail.attempts, mail.until = mail.attempts + 1, until
        mail.save(update_fields=["attempts", "until"])
        return mail


class NotificationMail(models.Model):
    """A mail that was sent, or is to be. Its text is not kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notification_mails")
    kind = models.CharField(max_length=16, choices=MailKind.choices)
    key = models.CharField(max_length=80, help_text="What it is about: a week, a day, or a plugin and a day.")
    until = models.DateTimeField(help_text="It says what happened before this moment.")
    created_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)

    objects = NotificationMailQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind", "key"], name="notification_mail_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    def mark_sent(self) -> None:
        self.sent_at = timezone.now()
        self.save(update_fields=["sent_at"])
