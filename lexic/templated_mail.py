"""Mails of one template each: HTML, of which the plain text is made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

from lexic.middleware.request_limit import free_slot_and_connections

if TYPE_CHECKING:
    from lxml import html

_BLOCKS = {"h1", "h2", "p", "li"}
# RFC 5321: a server may take later what it refuses with a lower one.
_FIRST_LASTING_REFUSAL = 500
_SPACE = re.compile(r"\s+")
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class UnknownDomain(OSError):
    """The domain of an address has no name in ASCII, so that no mail server can be asked for it."""


def make_mail(
    address: str, *, subject: str, template: str, context: Mapping[str, Any], headers: Mapping[str, str] = _NO_HEADERS
) -> EmailMultiAlternatives:
    """A mail that is not sent yet, as HTML and as text."""
    shell = {"site": settings.PUBLIC_URL, "subject": one_line(subject)}
    content = render_to_string(template, {**shell, **context})
    all_headers = {**headers, "Auto-Submitted": "auto-generated"}
    mail = EmailMultiAlternatives(one_line(subject), text_of(content), None, [address], headers=all_headers)
    mail.attach_alternative(content, "text/html")
    return mail


def send_letter(
    address: str, *, subject: str, before: Sequence[str], link: tuple[str, str] | None = None, after: Sequence[str] = ()
) -> None:
    """Sends a mail of a few paragraphs, with a link (its address and its words) between them. Raises `OSError` where
    the mail server cannot be reached or refuses it."""
    context = {"before": before, "link": link, "after": after}
    send(make_mail(address, subject=subject, template="mail/letter.html", context=context))


def send(mail: EmailMultiAlternatives) -> None:
    """Sends it now. Outside of a transaction a request holds neither a slot nor a connection to the database meanwhile:
    a mail server may take as long as EMAIL_TIMEOUT to answer. Raises `OSError` as above."""
    free_slot_and_connections()
    try:
        mail.send()
    except UnicodeError as error:
        raise UnknownDomain(str(error)) from error


def is_recipient_refused(error: OSError) -> bool:
    """Whether the mail server takes no mail for this address, however often it is sent (a reply of 5xx to RCPT)."""
    if isinstance(error, UnknownDomain):
        return True
    # Told by what smtplib.SMTPRecipientsRefused has: no module here may import what opens connections.
    recipients: Mapping[str, tuple[int, bytes]] = getattr(error, "recipients", {})
    return bool(recipients) and all(code >= _FIRST_LASTING_REFUSAL for code, _ in recipients.values())


def text_of(content: str) -> str:
    """The plain text of a mail in HTML: a paragraph for each block, and the address of each link behind its words."""
    from lxml import html  # no mail is made by most commands

    document = html.document_fromstring(content)
    # A line ends where an element says so, not where a line of the template does.
    for element in document.iter():
        element.text, element.tail = (_SPACE.sub(" ", part or "") for part in (element.text, element.tail))
    for line_end in document.iter("br"):
        line_end.tail = f"\n{line_end.tail}"
    for link in document.iter("a"):
        address = link.get("href")
        link.tail = f" ({address}){link.tail}" if link.tail.strip() else f": {address}"
    text, was_item = "", False
    for block in document.iter(*_BLOCKS):
        is_item = block.tag == "li"
        text += ("" if is_item and was_item else "\n") + _block_text(block) + "\n"
        was_item = is_item
    return text.lstrip()


def _block_text(block: html.HtmlElement) -> str:
    lines = (one_line(line) for line in block.text_content().split("\n"))
    return f"- {' '.join(lines)}" if block.tag == "li" else "\n".join(lines).strip()


def one_line(text: str) -> str:
    """The text with its white space put together, as a subject must be."""
    return _SPACE.sub(" ", text).strip()
