"""The destinations of an RTF file that its library passes over, and that people read: notes, text boxes and the shown
results of objects are moved behind the paragraph or row that holds them, headers and footers to the end."""

from __future__ import annotations

import re

_BINARY = re.compile(r"\\\\|\\bin(\d{1,10}) ?")
# The library would write the address beside the words of a link.
_LINK = re.compile(r"(\\fldinst\s{0,9}(?:\{[^{}]{0,80}?)?)HYPERLINK", re.IGNORECASE)
_TOKEN = re.compile(
    r"\\[{}\\]|\{(?:\\\*)?\\(?P<destination>footnote|shptxt|result|(?:header|footer)[lrf]?)(?![a-zA-Z])(?:-?\d{1,9})? ?"
    r"|\\(?P<end>par|row|trowd)(?![a-zA-Z])|[{}]"
)
_MARGINS = ("header", "footer")


def drop_binary(source: str) -> str:
    """The source without what `\\bin` says is no text, whatever signs it holds."""
    kept: list[str] = []
    at, start = 0, 0
    while found := _BINARY.search(source, at):
        at = found.end()
        if found[1]:
            kept.append(source[start : found.start()])
            start = at = min(at + int(found[1]), len(source))
    return "".join([*kept, source[start:]])


def move_destinations(source: str) -> str:
    """The source with each of them where a reader comes to it."""
    return _Mover(_LINK.sub(r"\1", source)).moved()


class _Mover:
    """Walks once through the source. An open destination gathers its content. One that has ended waits for the end of
    the paragraph or row that it stood in."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._body: list[str] = []
        self._open: list[tuple[str, int, list[str]]] = []
        self._waiting: list[str] = []
        self._waiting_depth = 0
        self._margins: list[str] = []
        self._depth = 0
        self._in_row = False

    def moved(self) -> str:
        at = 0
        for token in _TOKEN.finditer(self._source):
            self._text().append(self._source[at : token.start()])
            at = token.end()
            self._take(token)
        self._text().append(self._source[at:])
        return "".join(self._body)

    def _text(self) -> list[str]:
        return self._open[-1][2] if self._open else self._body

    def _take(self, token: re.Match[str]) -> None:
        word = token[0]
        if token["destination"]:
            self._depth += 1
            self._open.append((token["destination"], self._depth, []))
        elif word == "}":
            self._close_group()
        else:
            self._depth += word == "{"
            # The library would end the row where a paragraph inside a cell ends.
            self._text().append("\\tab" if self._in_row and token["end"] == "par" else word)
            if token["end"] and not self._open:
                self._end_of(token["end"])

    def _close_group(self) -> None:
        if self._open and self._open[-1][1] == self._depth:
            kind, depth, held = self._open.pop()
            wait = self._margins if kind.startswith(_MARGINS) else self._waiting
            self._waiting_depth = min(self._waiting_depth, depth) if self._waiting else depth
            wait.append("".join(held))
        else:
            if self._depth == 1 and not self._open:
                self._put([*self._waiting, *dict.fromkeys(self._margins)])
                self._margins = []
            self._text().append("}")
        self._depth = max(0, self._depth - 1)

    def _end_of(self, word: str) -> None:
        """A paragraph inside a row does not end it."""
        self._in_row = word == "trowd" or (self._in_row and word != "row")
        if self._waiting and not self._in_row and self._depth < self._waiting_depth:
            self._put(self._waiting)

    def _put(self, destinations: list[str]) -> None:
        self._body.extend(f"{{\\par\\pard\\plain {one}\\par}}" for one in destinations)
        self._waiting = []
