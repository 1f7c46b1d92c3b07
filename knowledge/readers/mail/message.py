"""An e-mail as it lies in a file, with limits on how deep and how wide it may be."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from itertools import count, islice
from pathlib import Path
from typing import Any

from knowledge.readers.formats import OLE_MAGIC
from knowledge.readers.mail.outlook import parse_outlook_message
from knowledge.readers.mail.signed_message import is_signature, without_signature
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import DamagedDocument, TooLarge

MAX_PARTS = 500
# The library needs minutes for an address line of a megabyte; a thousand recipients need a twentieth of that.
MAX_HEADER_CHARACTERS = 40_000
# What one takes with parameters grows with the square of its length, and each question about a part reads it anew.
MAX_PARAMETER_CHARACTERS = 4_000
MAX_ATTACHMENTS = 20
_MAX_DEPTH = 30
_HEADERS_WITH_PARAMETERS = frozenset({"content-type", "content-disposition"})
_MAX_NAME_LENGTH = 150
# The shorter side of a page at 40 dots per inch.
_MIN_PAGE_PIXELS = 330
_SHOWN_PICTURE = re.compile(rb"cid:([^\"'>)\s]{1,300})", re.IGNORECASE)


class _CutHeaders(policy.EmailPolicy):
    """Understands the beginning of a header that is longer than any is."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        has_parameters = name.lower() in _HEADERS_WITH_PARAMETERS
        most = MAX_PARAMETER_CHARACTERS if has_parameters else MAX_HEADER_CHARACTERS
        return super().header_fetch_parse(name, value[:most])


def _parsing() -> _CutHeaders:
    """How one file is understood: no further than to its last part that is allowed."""
    numbers = count()

    def next_part(policy: Any) -> EmailMessage:
        # The parser makes one more, to see how that is done.
        if next(numbers) > MAX_PARTS:
            raise _too_many_parts()
        return EmailMessage(policy=policy)

    return _CutHeaders(message_factory=next_part)


def parse_message(path: Path) -> EmailMessage:
    """The message of a file, as it was sent or as Outlook keeps it. Raises `DamagedDocument`, or `TooLarge` where it is
    nested or cut up beyond reason."""
    try:
        with path.open("rb") as file:
            is_outlook = file.read(len(OLE_MAGIC)) == OLE_MAGIC
            file.seek(0)
            message: Any = None if is_outlook else BytesParser(policy=_parsing()).parse(file)
    except RecursionError as error:
        raise TooLarge("The e-mail is nested too deeply.") from error
    except (ValueError, LookupError, AttributeError, TypeError, IndexError) as error:
        # What headers get wrong surfaces as any of these.
        raise DamagedDocument() from error
    message = parse_outlook_message(path) if is_outlook else message
    _check_parts(message)
    message = without_signature(message, parsing=_parsing())
    _check_parts(message)
    parsed: EmailMessage = message
    return parsed


def _check_parts(message: EmailMessage) -> None:
    found = 0
    stack: list[tuple[Any, int]] = [(message, 0)]
    while stack:
        part, depth = stack.pop()
        found += 1
        if depth > _MAX_DEPTH or found > MAX_PARTS:
            raise _too_many_parts()
        if part.is_multipart():
            stack += [(one, depth + 1) for one in part.iter_parts()]


def _too_many_parts() -> TooLarge:
    return TooLarge("The e-mail has too many parts within parts.")


def _pictures_in_text(message: EmailMessage) -> frozenset[str]:
    """The ids of the pictures that the HTML shows."""
    body = message.get_body(preferencelist=("html",))
    content = body.get_payload(decode=True) if body is not None else None
    found = _SHOWN_PICTURE.findall(content) if isinstance(content, bytes) else []
    return frozenset(one.decode("latin-1") for one in found)


def _is_decoration(part: Any, shown: frozenset[str]) -> bool:
    """Whether this is a picture that the text shows, or one too small to be a page, such as a logo."""
    if part.get_content_maintype() != "image":
        return False
    if part.get_content_disposition() == "inline" or str(part.get("Content-ID", "")).strip(" <>") in shown:
        return True
    from PIL import Image  # only where an e-mail has a picture

    content = part.get_payload(decode=True)
    try:
        with Image.open(io.BytesIO(content if isinstance(content, bytes) else b"")) as picture:
            return min(picture.size) < _MIN_PAGE_PIXELS
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False  # what it is, its own reading says


def attachments(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each attachment, pictures in the text and small ones left out; a forwarded message as
    an .eml file. An e-mail that consists of a file, as some scanners send it, has that one."""
    yield from islice(_attachments(message), MAX_ATTACHMENTS)


def _attachments(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    is_file = not message.is_multipart() and message.get_content_maintype() != "text"
    shown = _pictures_in_text(message)
    for number, part in enumerate([message] if is_file else message.iter_attachments(), start=1):
        if is_signature(part) or (not is_file and _is_decoration(part, shown)):
            continue
        forwarded = part.get_content_type() == "message/rfc822"
        name = one_line(clean_text(part.get_filename() or ""))[-_MAX_NAME_LENGTH:]
        inner = next(iter(part.iter_parts()), None) if forwarded else None
        content = inner.as_bytes() if inner is not None else part.get_payload(decode=True)
        if isinstance(content, bytes) and content:
            yield name or f"attachment {number}{'.eml' if forwarded else ''}", content
