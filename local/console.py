"""The output of several processes on one terminal: one line at a time, each with the name of who said it."""

from __future__ import annotations

import os
import re
from typing import TextIO

_LABEL_COLOURS = (36, 33, 35, 32, 34, 31)
# Log lines can carry text from outside; a terminal must not obey it.
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MAX_LINE_BYTES = 16_384


class Console:
    def __init__(self, stream: TextIO, *, width: int = 8, coloured: bool | None = None) -> None:
        self.stream = stream
        self.width = width
        can_colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self.coloured = can_colour if coloured is None else coloured
        self.is_broken = False  # nobody reads any more: the terminal or the pipe is gone
        self._colour_of: dict[str, int] = {}

    def print_line(self, name: str, text: str) -> None:
        self._write(f"{self._label(name)} {_CONTROL_CHARACTERS.sub('', text)}\n")

    def print_message(self, text: str) -> None:
        self._write(f"{text}\n")

    def _label(self, name: str) -> str:
        label = f"{name:>{self.width}} |"
        if not self.coloured:
            return label
        colour = self._colour_of.setdefault(name, _LABEL_COLOURS[len(self._colour_of) % len(_LABEL_COLOURS)])
        return f"\x1b[{colour}m{label}\x1b[0m"

    def _write(self, text: str) -> None:
        if self.is_broken:
            return
        encoding = self.stream.encoding or "utf-8"
        try:
            self.stream.write(text.encode(encoding, "replace").decode(encoding))
            self.stream.flush()
        except OSError:
            self.is_broken = True
            _discard_output(self.stream)


class LineBuffer:
    """Cuts the bytes of a pipe into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _MAX_LINE_BYTES:
            lines, self._rest = [*lines, self._rest], b""
        return [line.decode(errors="replace").rstrip("\r") for line in lines]

    def end(self) -> list[str]:
        """The last line, when it has no line end."""
        rest, self._rest = self._rest, b""
        return [rest.decode(errors="replace")] if rest else []


def _discard_output(stream: TextIO) -> None:
    """What is still buffered goes nowhere, instead of failing once more when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
