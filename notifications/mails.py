"""Mails that a person can end, and mails to those who put a question to an expert."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse

from accounts.models import User
from lexic.conf.languages import ENGLISH, LANGUAGES
from lexic.templated_mail import make_mail, send
from notifications.models import MailKind
from notifications.unsubscribe import make_token


def mail_language(language: str) -> str:
    """Django's code of the language of a mail to whom this language suits; English where the site does not have it."""
    return language if language in dict(LANGUAGES) else ENGLISH


def send_notification(user: User, *, kind: MailKind, subject: str, template: str, context: Mapping[str, Any]) -> None:
    """Sends it, as HTML and as text, in the active language, with a link that ends mails of this kind (RFC 8058).
    Raises `OSError` where the mail server cannot be reached or refuses it."""
    unsubscribe = settings.PUBLIC_URL + reverse("unsubscribe", args=[make_token(user, kind)])
    shell = {"unsubscribe": unsubscribe, "kind": kind.label}
    headers = {"List-Unsubscribe": f"<{unsubscribe}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    path = f"notifications/{template}.html"
    send(make_mail(user.email, subject=subject, template=path, context={**shell, **context}, headers=headers))


def send_to_address(address: str, *, subject: str, template: str, context: Mapping[str, Any]) -> None:
    """Sends it, as HTML and as text. Raises `OSError` as above."""
    send(make_mail(address, subject=subject, template=f"notifications/{template}.html", context=context))
