"""Mails to those whose plugin or review was removed. They say nothing of whoever reported it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.conf import settings
from django.urls import reverse

from accounts.models import User
from lexic.templated_mail import one_line, send_letter
from marketplace.models import Review
from plugins.models import Plugin

logger = logging.getLogger(__name__)


_MISTAKE = "If you think that this is a mistake, write to the operators of this site."


def send_plugin_withdrawn(plugin: Plugin, *, reason: str) -> bool:
    """To its owner. Whether the mail went out."""
    name = one_line(plugin.name)
    address = settings.PUBLIC_URL + reverse("admin:plugins_plugin_change", args=[plugin.pk])
    before = [
        f"Your plugin “{name}” was reported, and the operators of this site have withdrawn it. "
        f"The reason given: {reason.lower()}.",
        "Nobody can ask it now, and its public page is gone. Nothing was deleted: its draft, its documents and its "
        "releases are unchanged. It cannot be published again until the operators allow it. Correct what is wrong, and "
        "then write to them.",
    ]
    link = (address, "Open the plugin")
    return _send_to_person(plugin.owner, subject=f"“{name}” was withdrawn", before=before, link=link, after=[_MISTAKE])


def send_hold_lifted(plugin: Plugin) -> bool:
    """To its owner. Whether the mail went out."""
    name = one_line(plugin.name)
    address = settings.PUBLIC_URL + reverse("admin:builder_publish", args=[plugin.pk])
    before = [f"Your plugin “{name}” may be published again. It stays withdrawn until you do."]
    subject = f"“{name}” may be published again"
    return _send_to_person(plugin.owner, subject=subject, before=before, link=(address, "Publish it again"))


def send_review_hidden(review: Review, author: User, *, reason: str) -> bool:
    """To whoever wrote it. Whether the mail went out."""
    name = one_line(review.plugin.name)
    before = [
        f"Your review of “{name}” was reported, and the operators of this site have removed it. "
        f"The reason given: {reason.lower()}.",
        _MISTAKE,
    ]
    return _send_to_person(author, subject=f"Your review of “{name}” was removed", before=before)


def _send_to_person(
    person: User, *, subject: str, before: Sequence[str], link: tuple[str, str] | None = None, after: Sequence[str] = ()
) -> bool:
    try:
        send_letter(person.email, subject=subject, before=before, link=link, after=after)
    except OSError as error:  # refused, unreachable, or not trusted: all of them are errors of the connection
        logger.warning("a mail about a report could not be sent: %s", error)
        return False
    return True
