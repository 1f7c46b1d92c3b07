"""An Outlook message (.msg) as an e-mail: its headers, what was written, and what came with it ([MS-OXCMSG])."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from email.message import EmailMessage
from email.utils import quote
from itertools import islice
from pathlib import Path

from knowledge.readers.mail.compound_file import CompoundStorage, check_chains, root_storage
from knowledge.readers.mail.outlook_properties import PROPERTIES, HeaderSize, Properties, decoded
from knowledge.readers.rtf import text_of_rtf
from knowledge.readers.types import DamagedDocument, OldOfficeFile, TooLarge, UnreadableDocument

MAX_MESSAGES_WITHIN = 30
MAX_ATTACHMENTS_LOOKED_AT = 500
# An address line of more than this costs the library minutes.
MAX_ADDRESS_CHARACTERS = 40_000
MAX_RECIPIENTS = 500
# Unpacking takes seconds for each megabyte.
MAX_PACKED_RTF_BYTES = 3_000_000
MAX_RTF_BYTES = 20_000_000
_RECIPIENTS = ((1, "To", 0x0E04), (2, "Cc", 0x0E03))
_MEDIA_TYPE = re.compile(r"(?!message/|multipart/)[a-z]{1,30}/[a-z0-9.+-]{1,100}", re.IGNORECASE)
# Outlook keeps the HTML that it was sent inside of the RTF. What ends there need not end in the RTF, such as a cell.
_ENDED_BLOCK = re.compile(
    rb"\{\\\*\\htmltag\d{0,5}\s?</?(?:br|div|h[1-6]|li|ol|p|table|td|th|title|tr|ul)\b[^{}\\]{0,2000}\}", re.IGNORECASE
)
_BY_VALUE, _EMBEDDED_MESSAGE = 1, 5
_SHOWN_IN_TEXT = 4


def parse_outlook_message(path: Path) -> EmailMessage:
    """Raises `OldOfficeFile` where the compound file holds something else."""
    import olefile

    size = path.stat().st_size
    try:
        with olefile.OleFileIO(str(path)) as compound_file:
            check_chains(compound_file.fat)
            root = root_storage(compound_file, size=size)
            if PROPERTIES not in root.streams:
                raise OldOfficeFile()
            message = _message(Properties(root, header=HeaderSize.MESSAGE), depth=0)
            check_chains(compound_file.minifat)
    except (UnreadableDocument, MemoryError):
        raise
    except RecursionError as error:
        raise TooLarge("The e-mail is nested too deeply.") from error
    except Exception as error:
        # The library raises OSError, struct.error, IndexError and more for what is wrong in the file.
        raise DamagedDocument() from error
    return message


def _message(properties: Properties, *, depth: int) -> EmailMessage:
    if depth > MAX_MESSAGES_WITHIN:
        raise TooLarge("The e-mail has too many parts within parts.")
    message = EmailMessage()
    _add_headers(message, properties)
    _add_body(message, properties)
    _add_attachments(message, properties, depth=depth)
    return message


def _add_headers(message: EmailMessage, properties: Properties) -> None:
    # Whom it was sent for, else who sent it.
    name = properties.line(0x0042, 0x0C1A)
    headers = {"From": _mailbox(name, properties.line(0x5D02, 0x0065), properties.line(0x5D01, 0x0C1F))}
    recipients = _recipients(properties)
    for kind, header, shown in _RECIPIENTS:
        names = [_mailbox(one.strip()) for one in properties.line(shown).split(";")[:MAX_RECIPIENTS]]
        headers[header] = _joined_mailboxes(recipients.get(kind) or list(filter(None, names)))
    headers["Subject"] = properties.line(0x0037)[:MAX_ADDRESS_CHARACTERS]
    for header, value in headers.items():
        if value:
            message[header] = value
    # When it was sent, else when it came.
    if sent := properties.time(0x0039) or properties.time(0x0E06):
        message["Date"] = sent


def _mailbox(name: str, *addresses: str) -> str:
    """Inside Exchange people have addresses without an @, which say nothing to a reader."""
    address = next((one for one in addresses if "@" in one and " " not in one), "")
    if not address or name == address:
        return address or (f'"{quote(name)}"' if name else "")
    return f'"{quote(name)}" <{address}>' if name else address


def _recipients(properties: Properties) -> dict[int, list[str]]:
    """By kind: 1 is who it was sent to, 2 who got a copy, 3 who got one unseen."""
    found: dict[int, list[str]] = {}
    for storage in islice(properties.storage.storages_named("__recip_version1.0_"), MAX_RECIPIENTS):
        one = Properties(storage, header=HeaderSize.OTHER, codec=properties.codec)
        if mailbox := _mailbox(one.line(0x3001), one.line(0x39FE, 0x3003), one.line(0x3003)):
            found.setdefault(one.number(0x0C15), []).append(mailbox)
    return found


def _joined_mailboxes(mailboxes: list[str]) -> str:
    joined = ", ".join(mailboxes)
    return joined if len(joined) <= MAX_ADDRESS_CHARACTERS else joined[:MAX_ADDRESS_CHARACTERS].rpartition(", ")[0]


def _add_body(message: EmailMessage, properties: Properties) -> None:
    """Plain text and HTML where they are there; else the text of the RTF."""
    plain, html = properties.text(0x1000), _html(properties)
    if not plain.strip() and not html.strip():
        plain = _text_of_packed_rtf(properties.binary(0x1009))
    if plain.strip():
        message.set_content(_encodable(plain), cte="base64")
    if html.strip() and plain.strip():
        message.add_alternative(_encodable(html), subtype="html", cte="base64")
    elif html.strip():
        message.set_content(_encodable(html), subtype="html", cte="base64")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _html(properties: Properties) -> str:
    content = properties.binary(0x1013)
    return decoded(content, properties.internet_codec()) if content else properties.text(0x1013)


def _text_of_packed_rtf(packed: bytes) -> str:
    from compressed_rtf import decompress

    if not packed:
        return ""
    if len(packed) > MAX_PACKED_RTF_BYTES or int.from_bytes(packed[4:8], "little") > MAX_RTF_BYTES:
        raise TooLarge("The text of the e-mail is too large.")
    source = decompress(packed)
    if len(source) > MAX_RTF_BYTES:
        raise TooLarge("The text of the e-mail is too large.")
    return text_of_rtf(_ENDED_BLOCK.sub(rb"\\par ", source))


def _add_attachments(message: EmailMessage, properties: Properties, *, depth: int) -> None:
    for number, storage in enumerate(properties.storage.storages_named("__attach_version1.0_"), start=1):
        if number > MAX_ATTACHMENTS_LOOKED_AT:
            raise TooLarge("The e-mail has too many parts within parts.")
        one = Properties(storage, header=HeaderSize.OTHER, codec=properties.codec)
        method, name = one.number(0x3705), one.line(0x3707, 0x3704, 0x3001)
        if method == _EMBEDDED_MESSAGE:
            for inner in _embedded(storage, codec=properties.codec):
                message.add_attachment(_message(inner, depth=depth + 1), filename=_name_of_message(name))
        elif method == _BY_VALUE:
            _add_file(message, one, name)


def _name_of_message(subject: str) -> str | None:
    return subject if not subject or subject.lower().endswith(".eml") else f"{_encodable(subject)}.eml"


def _embedded(storage: CompoundStorage, *, codec: str | None) -> Iterator[Properties]:
    for inner in storage.storages_named("__substg1.0_3701000D"):
        yield Properties(inner, header=HeaderSize.EMBEDDED_MESSAGE, codec=codec)


def _add_file(message: EmailMessage, one: Properties, name: str) -> None:
    media_type = one.line(0x370E) or mimetypes.guess_type(name)[0] or ""
    main, _, sub = (media_type if _MEDIA_TYPE.fullmatch(media_type) else "application/octet-stream").partition("/")
    # PidTagAttachmentHidden and PidTagAttachFlags: the text shows it.
    shown = one.number(0x7FFE) & 1 or one.number(0x3714) & _SHOWN_IN_TEXT
    message.add_attachment(
        one.binary(0x3701),
        maintype=main,
        subtype=sub,
        filename=_encodable(name) or None,
        disposition="inline" if shown else "attachment",
        cid=f"<{cid}>" if (cid := one.line(0x3712).strip("<>")) else None,
    )
