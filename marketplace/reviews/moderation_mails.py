"""Mails to those whose plugin or review was removed. They say nothing of whoever reported it."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse

from accounts.models import User
from marketplace.models import Review
from plugins.models import Plugin

logger = logging.getLogger(__name__)


def send_plugin_withdrawn(plugin: Plugin, *, reason: str) -> bool:
    """To its owner. Whether the mail went out."""
    name = _one_line(plugin.name)
    address = settings.PUBLIC_URL + reverse("admin:plugins_plugin_change", args=[plugin.pk])
    text = (
        f"Your plugin “{name}” was reported, and those who run this site have withdrawn it. "
        f"The reason given: {reason.lower()}.\n\n"
        "Nobody can ask it now, and its public page is gone. Nothing of it was deleted: its draft, its documents and "
        "its releases are where they were. It cannot be published again before those who run this site lift that. "
        "Correct what is wrong, and then write to them:\n\n"
        f"{address}\n\n"
        "If you think that this is a mistake, write to the operators of this site.\n"
    )
    return _send_to_person(plugin.owner, subject=f"“{name}” was withdrawn", text=text)


def send_hold_lifted(plugin: Plugin) -> bool:
    """To its owner. Whether the mail went out."""
    name = _one_line(plugin.name)
    address = settings.PUBLIC_URL + reverse("admin:builder_publish", args=[plugin.pk])
    text = f"Your plugin “{name}” may be published again. It stays withdrawn until you do:\n\n{address}\n"
    return _send_to_person(plugin.owner, subject=f"“{name}” may be published again", text=text)


def send_review_hidden(review: Review, author: User, *, reason: str) -> bool:
    """To whoever wrote it. Whether the mail went out."""
    name = _one_line(review.plugin.name)
    text = (
        f"Your review of “{name}” was reported, and those who run this site have taken it off the page. "
        f"The reason given: {reason.lower()}.\n\n"
        "If you think that this is a mistake, write to the operators of this site.\n"
    )
    return _send_to_person(author, subject=f"Your review of “{name}” was removed", text=text)


def _send_to_person(person: User, *, subject: str, text: str) -> bool:
    try:
        send_mail(subject, text, None, [person.email])
    except OSError as error:  # refused, unreachable, or not trusted: all of them are errors of the connection
        logger.warning("a mail about a report could not be sent: %s", error)
        return False
    return True


def _one_line(text: str) -> str:
    return " ".join(text.split())
