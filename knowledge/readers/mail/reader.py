"""E-mail: who wrote to whom and when, then what was written, then the names of what came with it. Nothing that it links
to is fetched; attachments become documents of their own (`knowledge.documents.mail_attachments`)."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

from knowledge.readers.html import VisibleText, parse_html
from knowledge.readers.mail.message import attachments, parse_message
from knowledge.readers.single_page import single_page_events
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import DamagedDocument, EmptyDocument, Heading, Limits, ReaderEvent, UnreadableDocument

_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MAX_HEADER_CHARACTERS = 2_000
# Of the characters of a text, those that its character set does not have; with more it has another one.
_MAX_BROKEN_SHARE = 0.01


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    message = parse_message(path)
    try:
        headers = {name: text for name in _SHOWN_HEADERS if (text := _header(message, name))}
        body, headings = _body(message)
        names = [name for name, _ in attachments(message)]
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:
        # The library reads headers and bodies when they are asked for, and what they get wrong surfaces only then.
        raise DamagedDocument() from error
    if not headers and not body:
        raise EmptyDocument()
    head = "\n".join(f"{name}: {text}" for name, text in headers.items())
    blocks = [head, body, "\n".join(f"Attachment: {name}" for name in names)]
    offset = len(head) + 2 if head else 0
    placed = [Heading(page=1, start=one.start + offset, level=one.level, title=one.title) for one in headings]
    yield from single_page_events(
        text="\n\n".join(filter(None, blocks)),
        limits=limits,
        title=headers.get("Subject", "")[:300] or None,
        headings=placed,
        metadata={name.lower(): text[:300] for name, text in headers.items() if name != "Subject"},
    )


def _header(message: EmailMessage, name: str) -> str:
    value = message.get(name)
    if name == "Date" and (sent := getattr(value, "datetime", None)):
        return str(sent.isoformat(sep=" ", timespec="minutes"))
    return one_line(clean_text(str(value or "")))[:_MAX_HEADER_CHARACTERS]


def _decoded(data: bytes, charset: str) -> str:
    """By the character set that the part names, a few broken characters or not; else by the best guess."""
    try:
        text = data.decode(charset, errors="replace")
    except LookupError:
        return decode_bytes(data)
    return text if text.count("\ufffd") <= _MAX_BROKEN_SHARE * len(text) else decode_bytes(data)


def _body(message: EmailMessage) -> tuple[str, list[Heading]]:
    """What was written: as plain text where some came so, else the text that a visitor of its HTML would see, with the
    addresses that its links hide."""
    text = clean_text(_part_text(message, "plain")).strip()
    return (text, []) if text else _shown_html(_part_text(message, "html"))


def _part_text(message: EmailMessage, kind: str) -> str:
    part = message.get_body(preferencelist=(kind,))
    payload = part.get_payload(decode=True) if part is not None else None
    if part is None or not isinstance(payload, bytes):
        return ""
    return _decoded(payload, part.get_content_charset() or "ascii")


def _shown_html(html: str) -> tuple[str, list[Heading]]:
    shown = VisibleText(with_addresses=True)
    try:
        shown.walk(parse_html(html.encode("utf-8", "replace")))
    except EmptyDocument:  # who wrote to whom is there all the same
        return "", []
    return shown.result()
