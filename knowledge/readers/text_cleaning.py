"""The few characters that no page may hold, whatever it was read from."""

from __future__ import annotations

import re
from typing import Any

# PostgreSQL cannot store NUL, UTF-8 has no lone surrogates, control characters mean nothing in text, and the
# "tag" block (U+E0000) is invisible everywhere: it only ever hides instructions from people who read along.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufeff\ufffe\uffff\U000e0000-\U000e007f]")


def clean_text(text: str) -> str:
    """The text with line ends as `\\n` and without characters that cannot be stored or seen."""
    return _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def replace_unstorable(text: str) -> str:
    """The text with what PostgreSQL cannot hold (NUL, lone surrogates) replaced, one character for one, so that
    offsets into it keep their meaning."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()


def replace_unstorable_json(value: Any) -> Any:
    """The same for every string inside a JSON value."""
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, dict):
        return {replace_unstorable(str(key)): replace_unstorable_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_unstorable_json(item) for item in value]
    return value


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())
