"""The properties of an object in an Outlook message ([MS-OXMSG]): a table of small values, and a stream for each large
one, named by its number and its type."""

from __future__ import annotations

import codecs
import struct
from datetime import UTC, datetime, timedelta
from enum import IntEnum

from knowledge.readers.mail.compound_file import CompoundStorage
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import TooLarge

PROPERTIES = "__properties_version1.0"
MAX_PROPERTIES = 10_000
_TEXT, _BYTES_OF_TEXT, _BINARY = "001F", "001E", "0102"
_ENTRY = struct.Struct("<HHI8s")
_FIRST_DAY = datetime(1601, 1, 1, tzinfo=UTC)


class HeaderSize(IntEnum):
    """What comes before the table, by the object that it belongs to."""

    MESSAGE = 32
    EMBEDDED_MESSAGE = 24
    OTHER = 8


class Properties:
    def __init__(self, storage: CompoundStorage, *, header: HeaderSize, codec: str | None = None) -> None:
        self.storage = storage
        self._values = _small_values((storage.read(PROPERTIES) or b"")[header:])
        # PidTagMessageCodepage, else PidTagInternetCodepage.
        self.codec = _codec_of(self.number(0x3FFD) or self.number(0x3FDE)) or codec

    def number(self, tag: int) -> int:
        return int.from_bytes(self._values.get(tag, b"")[:4], "little")

    def time(self, tag: int) -> datetime | None:
        """In 100 nanoseconds since 1601."""
        ticks = int.from_bytes(self._values.get(tag, b""), "little")
        try:
            return _FIRST_DAY + timedelta(microseconds=ticks // 10) if ticks else None
        except OverflowError:
            return None

    def binary(self, tag: int) -> bytes:
        return self.storage.read(f"__substg1.0_{tag:04X}{_BINARY}") or b""

    def text(self, tag: int) -> str:
        unicode = self.storage.read(f"__substg1.0_{tag:04X}{_TEXT}")
        if unicode is not None:
            return unicode.decode("utf-16-le", errors="replace").rstrip("\0")
        return decoded(self.storage.read(f"__substg1.0_{tag:04X}{_BYTES_OF_TEXT}") or b"", self.codec).rstrip("\0")

    def line(self, *tags: int) -> str:
        """The first of these that says something, on one line."""
        return next(filter(None, (one_line(clean_text(self.text(tag))) for tag in tags)), "")

    def internet_codec(self) -> str | None:
        return _codec_of(self.number(0x3FDE))


def _small_values(table: bytes) -> dict[int, bytes]:
    """The eight bytes of each entry by its number."""
    if len(table) > MAX_PROPERTIES * _ENTRY.size:
        raise TooLarge("The e-mail has too many properties.")
    whole = len(table) // _ENTRY.size * _ENTRY.size
    return {tag: value for _, tag, _, value in _ENTRY.iter_unpack(table[:whole])}


def decoded(data: bytes, codec: str | None) -> str:
    try:
        return data.decode(codec or "utf-8")
    except (UnicodeDecodeError, LookupError):
        return decode_bytes(data)


_CODECS = {
    1200: "utf-16-le",
    20127: "ascii",
    20866: "koi8-r",
    21866: "koi8-u",
    20932: "euc-jp",
    50220: "iso2022-jp",
    50221: "iso2022-jp",
    50222: "iso2022-jp",
    50225: "iso2022-kr",
    51932: "euc-jp",
    51936: "gb18030",
    51949: "euc-kr",
    52936: "hz",
    54936: "gb18030",
    65000: "utf-7",
    65001: "utf-8",
}


def _codec_of(codepage: int) -> str | None:
    """Python's codec of a code page of Windows; None where it has none."""
    latin = f"iso8859-{codepage - 28_590}" if 28_591 <= codepage <= 28_605 else f"cp{codepage}"
    try:
        return codecs.lookup(_CODECS.get(codepage, latin)).name
    except LookupError:
        return None
