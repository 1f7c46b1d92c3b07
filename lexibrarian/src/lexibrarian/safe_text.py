"""Texts that anything can show and read: without control characters, and without bytes that are not UTF-8."""

from __future__ import annotations

import re

# Names of files and arguments come with such bytes as lone surrogates.
_LONE = "\ud800-\udfff"
_CONTROLS = re.compile(rf"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_LONE}]|\r(?!\n)")
_UNNAMED = re.compile(rf"[\0-\x1f\x7f-\x9f\u2028\u2029{_LONE}]")
_SURROGATE = re.compile(rf"[{_LONE}]")


def visible(text: str) -> str:
    r"""The text with control characters, but for tabs and line ends, and stray bytes written as `\x1b`."""
    return _CONTROLS.sub(lambda match: _escaped(match[0]), text)


def on_one_line(text: str) -> str:
    r"""The text with every control character and stray byte written as `\x0a`; for names of files and for logs."""
    return text if text.isprintable() else _UNNAMED.sub(lambda match: _escaped(match[0]), text)


def in_json(document: str) -> str:
    """A JSON document that every reader takes: stray bytes in its texts are written as `visible` does."""
    return _SURROGATE.sub(lambda match: f"\\{_escaped(match[0])}", document)


def in_utf_8(text: str) -> str:
    """The text with what cannot be written as UTF-8 replaced; for what people and models say."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def is_nameable(path: str) -> bool:
    """Whether files of the library can hold a path: it is UTF-8 on one line, and ends no comment."""
    return "-->" not in path and (path.isprintable() or _UNNAMED.search(path) is None)


def _escaped(character: str) -> str:
    code = ord(character)
    stray = code - 0xDC00
    if 0x80 <= stray <= 0xFF:
        return f"\\x{stray:02x}"
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
