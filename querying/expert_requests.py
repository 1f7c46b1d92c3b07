"""Questions that people put to the author of a plugin, and where the reply is mailed to."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac

# A mail that could not be sent is tried again so many times.
MAX_ATTEMPTS = 5
# An address that nobody has confirmed, that of a question that was dismissed, and any address at all.
CONFIRMATION_PERIOD = timedelta(days=2)
DISMISSED_PERIOD = timedelta(days=7)
LONGEST_PERIOD = timedelta(days=90)
# A stranger whose address somebody enters gets no more mails than this in such a period.
MAX_UNCONFIRMED_MAILS, UNCONFIRMED_PERIOD = 2, timedelta(days=30)


def hash_address(email: str, *, secret: str | None = None) -> str:
    """The hash by which an address is recognised that is not kept. `secret`: an earlier SECRET_KEY."""
    address = email.strip().lower()
    return salted_hmac("querying.expert_requests", address, secret=secret, algorithm="sha256").hexdigest()


class ExpertRequestQuerySet(models.QuerySet["ExpertRequest"]):
    def waiting(self) -> ExpertRequestQuerySet:
        """The requests without a reply."""
        return self.filter(replied_at=None)

    def with_address(self) -> ExpertRequestQuerySet:
        """The requests whose reply can be mailed: to an account, or to an address that was confirmed."""
        return self.filter(models.Q(user__isnull=False) | (~models.Q(email="") & models.Q(confirmed_at__isnull=False)))

    def due(self) -> ExpertRequestQuerySet:
        """The requests whose reply is still to be mailed."""
        unsent = self.with_address().filter(sent_at=None, attempts__lt=MAX_ATTEMPTS)
        return unsent.filter(replied_at__isnull=False)

    def may_mail(self, email: str, *, now: datetime) -> bool:
        """Whether a mail may ask this address to confirm: its owner has not said no, nor been silent twice."""
        secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        same = self.filter(address_hash__in=[hash_address(email, secret=secret) for secret in secrets])
        silent = same.filter(confirmed_at=None, created_at__gt=now - UNCONFIRMED_PERIOD).count()
        return silent < MAX_UNCONFIRMED_MAILS and not same.filter(declined_at__isnull=False).exists()

    def erase_old_addresses(self, *, now: datetime) -> int:
        """Erases the addresses that are of no use any more. Returns how many there were."""
        unconfirmed = models.Q(confirmed_at=None, user=None, created_at__lt=now - CONFIRMATION_PERIOD)
        dismissed = models.Q(query__dismissal__at__lt=now - DISMISSED_PERIOD, replied_at=None)
        given_up = models.Q(sent_at=None, attempts__gte=MAX_ATTEMPTS)
        old = models.Q(created_at__lt=now - LONGEST_PERIOD)
        kept = self.exclude(email="", user=None)
        return kept.filter(unconfirmed | dismissed | given_up | old).update(email="", user=None)


class ExpertRequest(models.Model):
    """Somebody asks the author for a reply to a question. It waits in the inbox until there is one.

    The reply is mailed to an account (`user`), or to an address once its owner has confirmed it. Both are erased as
    soon as it was mailed; the author never sees them.
    """

    query = models.OneToOneField("querying.Query", on_delete=models.CASCADE, related_name="expert_request")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="expert_requests"
    )
    email = models.EmailField(blank=True)
    address_hash = models.CharField(max_length=64, blank=True, db_index=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    confirmed_at = models.DateTimeField(null=True)
    declined_at = models.DateTimeField(null=True, help_text="When the owner of the address said that it was not them.")
    reply = models.TextField(blank=True)
    replied_by = models.CharField(max_length=150, blank=True, help_text="As other people see the name.")
    replied_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)

    objects = ExpertRequestQuerySet.as_manager()

    def __str__(self) -> str:
        return f"request of {self.created_at:%Y-%m-%d}"

    @property
    def awaits_confirmation(self) -> bool:
        return bool(self.email) and self.confirmed_at is None

    def confirm(self) -> None:
        """The owner of the address wants the reply."""
        self.confirmed_at = timezone.now()
        self.save(update_fields=["confirmed_at"])

    def decline(self) -> None:
        """The owner of the address did not ask: it is erased, and gets no more mails of this kind."""
        self.email, self.declined_at = "", timezone.now()
        self.save(update_fields=["email", "declined_at"])

    def mark_sent(self) -> None:
        """The reply went out; its address is not needed any more."""
        self.email, self.user, self.sent_at = "", None, timezone.now()
        self.save(update_fields=["email", "user", "sent_at"])
