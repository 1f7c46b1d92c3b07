"""The mails: one template each, in HTML, of which the plain text is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from lxml import html

from accounts.models import User
from notifications.models import MailKind
from notifications.unsubscribe import make_token

_BLOCKS = {"h1", "h2", "p", "li"}
_SPACE = re.compile(r"\s+")
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


def send_notification(user: User, *, kind: MailKind, subject: str, template: str, context: Mapping[str, Any]) -> None:
    """Sends it, as HTML and as text, with a link that ends mails of this kind (RFC 8058). Raises `OSError` where the
    mail server cannot be reached or refuses it."""
    unsubscribe = settings.PUBLIC_URL + reverse("unsubscribe", args=[make_token(user, kind)])
    shell = {"unsubscribe": unsubscribe, "kind": kind.label}
    headers = {"List-Unsubscribe": f"<{unsubscribe}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    send_to_address(user.email, subject=subject, template=template, context={**shell, **context}, headers=headers)


def send_to_address(
    address: str, *, subject: str, template: str, context: Mapping[str, Any], headers: Mapping[str, str] = _NO_HEADERS
) -> None:
    """Sends it, as HTML and as text. Raises `OSError` as above."""
    shell = {"site": settings.PUBLIC_URL, "subject": subject}
    content = render_to_string(f"notifications/{template}.html", {**shell, **context})
    all_headers = {**headers, "Auto-Submitted": "auto-generated"}
    mail = EmailMultiAlternatives(_one_line(subject), text_of(content), None, [address], headers=all_headers)
    mail.attach_alternative(content, "text/html")
    mail.send()


def text_of(content: str) -> str:
    """The plain text of a mail in HTML: a paragraph for each block, and the address of each link behind its words."""
    blocks = []
    for element in html.document_fromstring(content).iter(*_BLOCKS):
        for link in element.iter("a"):
            link.tail = f": {link.get('href')} {link.tail or ''}"
        text = _one_line(element.text_content())
        blocks.append(f"- {text}" if element.tag == "li" else f"\n{text}")
    return "\n".join(blocks).strip() + "\n"


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
