"""The message inside a signed one. Who signed it is not checked: it is read as any other file that somebody gave.

S/MIME has two kinds (RFC 8551). One keeps the message readable, with the signature as its second part. The other
wraps message and signature in a CMS structure (RFC 5652), of which the way to the message is followed here and nothing
else: no library that is installed gives the content of a signed structure, and all that is needed are lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from email import policy
from email.message import EmailMessage, Message
from email.parser import BytesParser
from typing import Any, NamedTuple

from knowledge.readers.types import DamagedDocument, EncryptedDocument

MAX_LAYERS = 5
_OPAQUE_TYPES = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_SIGNATURE_TYPES = ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
# Object identifiers as they are encoded: 1.2.840.113549.1.7.2, .3, and 1.2.840.113549.1.9.16.1.23.
_SIGNED = bytes.fromhex("2a864886f70d010702")
_ENVELOPED = (bytes.fromhex("2a864886f70d010703"), bytes.fromhex("2a864886f70d010910010117"))
_SEQUENCE, _OCTETS, _CONSTRUCTED_OCTETS, _CONTEXT_0 = 0x30, 0x04, 0x24, 0xA0
_MAX_DEPTH = 20


class EncryptedMail(EncryptedDocument):
    """The e-mail is encrypted."""

    hint = "Open it in your mail program, save it without encryption, and upload that."


def without_signature(message: Any, *, parsing: policy.EmailPolicy) -> EmailMessage:
    """The message that was signed, with the headers of the outer one where it has none; any other as it is. Raises
    `EncryptedMail`, or `DamagedDocument` where the structure is broken."""
    for _ in range(MAX_LAYERS):
        inner = _inner(message, parsing)
        if inner is None:
            break
        for name, value in message.raw_items():
            if name not in inner and not name.lower().startswith(("content-", "mime-")):
                inner.set_raw(name, value)
        message = inner
    found: EmailMessage = message
    return found


def is_signature(part: Message) -> bool:
    """Whether a part is nothing but the signature of the part before it."""
    return part.get_content_type() in _SIGNATURE_TYPES


def _inner(message: Any, parsing: policy.EmailPolicy) -> Any:
    kind = message.get_content_type()
    if kind == "multipart/encrypted":
        raise EncryptedMail()
    if kind == "multipart/signed":
        return next(iter(message.iter_parts()), None)
    if kind not in _OPAQUE_TYPES:
        return None
    content = signed_content(message.get_payload(decode=True) or b"")
    return BytesParser(policy=parsing).parsebytes(content)


def signed_content(structure: bytes) -> bytes:
    """What a CMS structure signs. Raises `EncryptedMail`, or `DamagedDocument` where it holds no such thing."""
    try:
        kind, content = _children(_only(structure, _SEQUENCE), 2)
        if kind.content in _ENVELOPED:
            raise EncryptedMail()
        if kind.content != _SIGNED:
            raise DamagedDocument()
        _version, _digests, signed = _children(_only(content.content, _SEQUENCE), 3)
        _type, octets = _children(signed.content, 2)
        return b"".join(_octets(_first(octets.content), 0))
    except (IndexError, ValueError) as error:
        raise DamagedDocument() from error


class _Element(NamedTuple):
    tag: int
    content: bytes


def _only(data: bytes, tag: int) -> bytes:
    element = _first(data)
    if element.tag != tag:
        raise ValueError("another element")
    return element.content


def _first(data: bytes) -> _Element:
    return _children(data, 1)[0]


def _children(data: bytes, count: int) -> list[_Element]:
    """The first so many elements. Raises `ValueError` where there are fewer."""
    found = [element for _, element in zip(range(count), _elements(data), strict=False)]
    if len(found) < count:
        raise ValueError("an element is missing")
    return found


def _octets(element: _Element, depth: int) -> Iterator[bytes]:
    """The bytes of a string, which may come in pieces."""
    if depth > _MAX_DEPTH or element.tag not in (_OCTETS, _CONSTRUCTED_OCTETS):
        raise ValueError("no string")
    if element.tag == _OCTETS:
        yield element.content
    else:
        for piece in _elements(element.content):
            yield from _octets(piece, depth + 1)


def _elements(data: bytes) -> Iterator[_Element]:
    """The elements that stand one after another, until the end or its mark."""
    at = 0
    while at < len(data) and data[at : at + 2] != b"\0\0":
        start, end = _extent(data, at)
        if end is None:  # of indefinite length
            stop = _end_of_indefinite(data, start)
            yield _Element(data[at], data[start:stop])
            at = stop + 2
        else:
            yield _Element(data[at], data[start:end])
            at = end


def _extent(data: bytes, at: int) -> tuple[int, int | None]:
    """Where the content of an element begins and ends; None where it ends with a mark."""
    length = data[at + 1]
    if length == 0x80:
        return at + 2, None
    if length < 0x80:
        start, size = at + 2, length
    else:
        start = at + 2 + (length & 0x7F)
        size = int.from_bytes(data[at + 2 : start])
    if start + size > len(data):
        raise ValueError("longer than the file")
    return start, start + size


def _end_of_indefinite(data: bytes, at: int) -> int:
    """Where the mark stands that ends an element. Each element within is passed once."""
    open_marks = 1
    while True:
        if data[at : at + 2] == b"\0\0":
            open_marks -= 1
            if not open_marks:
                return at
            at += 2
            continue
        start, end = _extent(data, at)
        open_marks += end is None
        if open_marks > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        at = start if end is None else end
