"""Server-sent events out of bytes, however the network cuts them up. Knows nothing of what they mean."""

from __future__ import annotations

import codecs
import re

from lexic_sdk.errors import InvalidResponseError

# Characters of one event. The longest answers are a thousandth of this.
MAX_EVENT_LENGTH = 16 * 1024 * 1024

_LINE_END = re.compile(r"\r\n|\r|\n")


class EventDecoder:
    """Feed it bytes; it gives the data of every event that is complete. One decoder for one stream."""

    def __init__(self, *, longest_event: int = MAX_EVENT_LENGTH) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._longest = longest_event
        self._line: list[str] = []  # pieces of a line that has not ended
        self._data: list[str] = []  # data lines of an event that has not ended
        self._size = 0  # characters in both
        self._is_after_cr = False

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that this chunk completes. Raises `InvalidResponseError` for one without end."""
        text = self._utf8.decode(chunk)
        if not text:
            return []
        if self._is_after_cr and text[0] == "\n":  # the other half of a line end that was cut in two
            text = text[1:]
        self._is_after_cr = text.endswith("\r")
        *ended, rest = _LINE_END.split(text)
        events = [data for line in ended if (data := self._end_line(line)) is not None]
        self._keep(rest)
        return events

    def finish(self) -> str | None:
        """The data of an event that the stream's end left without its blank line, if there is any."""
        return self._end_line("") or self._dispatch()

    def _end_line(self, piece: str) -> str | None:
        self._keep(piece)
        line = "".join(self._line)
        self._line = []
        if not line:
            return self._dispatch()
        field, _, value = line.partition(":")
        if field == "data":  # all others, comments among them, carry nothing
            self._data.append(value.removeprefix(" "))
        else:
            self._size -= len(line)
        return None

    def _dispatch(self) -> str | None:
        data, self._data, self._size = self._data, [], 0
        return "\n".join(data) if data else None

    def _keep(self, piece: str) -> None:
        if not piece:
            return
        self._line.append(piece)
        self._size += len(piece)
        if self._size > self._longest:
            raise InvalidResponseError("The server sent an event that is too long.")
