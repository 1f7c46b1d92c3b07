"""The text of a model without what it thinks aloud: some write that between tags into the answer itself."""

from __future__ import annotations

import re

_OPENING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_TAGS = ("<think>", "<thinking>", "</think>", "</thinking>")


class ThoughtTags:
    """Takes the pieces of a text as they come. What stands between `<think>` and `</think>` is left out, and what
    follows a tag that is never closed."""

    def __init__(self) -> None:
        self._held = ""
        self._thinks = False

    def add(self, piece: str) -> str:
        """What of the text may be read now; the beginning of what may be a tag waits for the rest of it."""
        self._held += piece
        said = ""
        while tag := (_CLOSING if self._thinks else _OPENING).search(self._held):
            said += "" if self._thinks else self._held[: tag.start()]
            self._held, self._thinks = self._held[tag.end() :], not self._thinks
        cut = self._unfinished_tag()
        ready, self._held = self._held[:cut], self._held[cut:]
        return said if self._thinks else said + ready

    def finish(self) -> str:
        """What was held and is no tag."""
        rest, self._held = self._held, ""
        return "" if self._thinks else rest

    def _unfinished_tag(self) -> int:
        """Where the last characters begin that further ones may make a tag of; the length where there are none."""
        begins = self._held.rfind("<")
        end = self._held[begins:].lower()
        may_be_tag = begins >= 0 and any(tag.startswith(end) for tag in _TAGS)
        return begins if may_be_tag else len(self._held)
