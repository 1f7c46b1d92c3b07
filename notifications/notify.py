"""Sends a person what is due: the digest of the last week, and alerts of the last day. Done twice, it sends nothing
more; a mail whose sending was broken off is sent again."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone, translation
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from accounts.email_addresses import has_confirmed_email
from accounts.models import User
from knowledge.lease import try_lease
from notifications.alerts import REFUSAL_PERIOD, failed_files, refusal_alerts
from notifications.digest import make_digest
from notifications.mails import mail_language, send_notification
from notifications.models import MailKind, MailPreferences, NotificationMail
from notifications.unsubscribe import preferences_of

logger = logging.getLogger(__name__)

# A digest is of use at the beginning of the week: later none is sent any more.
_DIGEST_HOUR, _DIGEST_DAYS = 6, 3
# Whoever has just added a file sees on the page that it failed.
_FILE_GRACE = timedelta(hours=1)
_FIRST_PERIOD = timedelta(days=1)


def notify(user_id: UUID, *, now: datetime | None = None) -> int:
    """Returns how many mails were sent. One at a time for each person; another call meanwhile does nothing."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None or not has_confirmed_email(user):
        return 0
    now = now or timezone.now()
    preferences = preferences_of(user)
    with try_lease(f"notifications:{user.pk}") as is_alone:
        if not is_alone:
            return 0
        with translation.override(mail_language(user.language)):
            return sum(
                [
                    preferences.weekly_digest and _send_digest(user, now=now),
                    preferences.failed_files and _send_failed_files(user, now=now),
                    preferences.refusals and _send_refusals(user, preferences, now=now),
                ]
            )


def digest_week(now: datetime) -> date | None:
    """The Monday of the week whose digest is sent now; None where it is too early or too late for one."""
    today = timezone.localtime(now)
    is_time = today.weekday() < _DIGEST_DAYS and (today.weekday(), today.hour) >= (0, _DIGEST_HOUR)
    return today.date() - timedelta(days=today.weekday() + 7) if is_time else None


def _send_digest(user: User, *, now: datetime) -> int:
    monday = digest_week(now)
    kind = MailKind.WEEKLY_DIGEST
    if monday is None or _was_sent(user, kind, f"{monday}"):
        return 0
    digest = make_digest(user, monday=monday)
    if digest is None:
        return 0
    asked = digest.asked
    subject = ngettext(
        "Your plugins last week: %(number)s question", "Your plugins last week: %(number)s questions", asked
    ) % {"number": number_format(asked, force_grouping=True)}
    return _send(user, kind, f"{monday}", now, subject=subject, template="digest", context={"digest": digest})


def _send_failed_files(user: User, *, now: datetime) -> int:
    kind, key, until = MailKind.FAILED_FILES, f"{timezone.localdate(now)}", now - _FILE_GRACE
    if _was_sent(user, kind, key):
        return 0
    sent = NotificationMail.objects.filter(user=user, kind=kind).exclude(sent_at=None).order_by("-until").first()
    files = failed_files(user, after=sent.until if sent else until - _FIRST_PERIOD, until=until)
    if not files.named:
        return 0
    subject = ngettext("%(number)s file was not read", "%(number)s files were not read", files.count)
    subject %= {"number": number_format(files.count, force_grouping=True)}
    context = {"files": files.named, "others": files.others}
    return _send(user, kind, key, until, subject=subject, template="failed_files", context=context)


def _send_refusals(user: User, preferences: MailPreferences, *, now: datetime) -> int:
    sent, told = 0, _told_of_refusals(user, now=now)
    for alert in refusal_alerts(user, percent=preferences.refused_percent, now=now):
        key = f"{alert.plugin.pk} {timezone.localdate(now)}"
        if f"{alert.plugin.pk}" not in told:
            subject = gettext("%(plugin)s refused %(share)s %% of its questions")
            subject %= {"plugin": alert.plugin.name, "share": alert.percent}
            context = {"alert": alert, "percent": preferences.refused_percent}
            sent += _send(user, MailKind.REFUSALS, key, now, subject=subject, template="refusals", context=context)
    return sent


def _told_of_refusals(user: User, *, now: datetime) -> set[str]:
    """The plugins (ids) of which a mail has told questions that a mail of this moment would tell again."""
    mails = NotificationMail.objects.filter(user=user, kind=MailKind.REFUSALS, until__gt=now - REFUSAL_PERIOD)
    return {key.partition(" ")[0] for key in mails.exclude(sent_at=None).values_list("key", flat=True)}


def _was_sent(user: User, kind: MailKind, key: str) -> bool:
    return NotificationMail.objects.filter(user=user, kind=kind, key=key).exclude(sent_at=None).exists()


def _send(
    user: User, kind: MailKind, key: str, until: datetime, *, subject: str, template: str, context: Mapping[str, Any]
) -> int:
    """How many went out. Where the mail server cannot be reached, the next call tries again."""
    mail = NotificationMail.objects.begin(user_id=user.pk, kind=kind, key=key, until=until)
    if mail is None:
        return 0
    try:
        send_notification(user, kind=kind, subject=subject, template=template, context=context)
    except OSError as error:  # refused, unreachable, or not trusted: all of them are errors of the connection
        logger.warning("a mail of the kind %s could not be sent: %s", kind.value, error)
        return 0
    mail.mark_sent()
    return 1
