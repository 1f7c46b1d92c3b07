"""Removes the private parts of a note before anything is stored.

Private are `%%private%% … %%/private%%`, comments (`%% … %%`, `<!-- … -->`), and a section whose heading contains
`#private`, down to the next heading of its level or above. A part without an end extends to the end of the note: it is
better to leave out too much than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

from knowledge.sync.notes.code_spans import CODE_OPENING, find_code_end
from knowledge.sync.notes.note_problems import NoteMistake

# Stands in each line that something was taken from, until all is done; no note holds this character (see `clean_text`).
_REMOVED_MARK = "\0"
_PRIVATE_MARKER = re.compile(r"%%[ \t]{0,5}(/?)[ \t]{0,5}private[ \t]{0,5}%%", re.IGNORECASE)
_COMMENT_OR_CODE = re.compile(f"{CODE_OPENING.pattern}|(?P<comment>%%|<!--)", re.MULTILINE)
_PRIVATE_TAG = re.compile(r"(?<![\w#/])#private(?![\w/-])", re.IGNORECASE)
_EMPTIED_LINE = re.compile(rf"^[ \t]*{_REMOVED_MARK}+[ \t]*\n?", re.MULTILINE)
_COMMENT_ENDS = {"%%": "%%", "<!--": "-->"}


def remove_private(text: str) -> tuple[str, list[NoteMistake]]:
    """The text that others may read, and what looked like a slip; lines of mistakes count from 1 in this text."""
    mistakes: list[NoteMistake] = []
    blanked = _remove_private_blocks(text, mistakes)
    open_text = _remove_comments(blanked, mistakes)
    # A mark counts in a comment beside the heading as well.
    open_text = _remove_private_sections(open_text, marked=blanked)
    return _EMPTIED_LINE.sub("", open_text).replace(_REMOVED_MARK, ""), mistakes


def _remove_private_blocks(text: str, mistakes: list[NoteMistake]) -> str:
    """Also inside code: whoever wrote the marker meant it."""
    kept, position, depth, line = [], 0, 0, 1
    for marker in _PRIVATE_MARKER.finditer(text):
        piece = text[position : marker.start()]
        line += piece.count("\n")
        kept.append(_blank_lines(piece) if depth else piece)
        position = marker.end()
        kept.append(_REMOVED_MARK)
        if marker[1] and not depth:
            mistakes.append(NoteMistake("%%/private%% ends nothing here.", line=line))
        depth = max(0, depth + (-1 if marker[1] else 1))
    if depth:
        mistakes.append(NoteMistake("A %%private%% has no end: the rest of the note is left out.", line=None))
    kept.append(_blank_lines(text[position:]) if depth else text[position:])
    return "".join(kept)


def _remove_comments(text: str, mistakes: list[NoteMistake]) -> str:
    kept, position = [], 0
    while opening := _COMMENT_OR_CODE.search(text, position):
        kept.append(text[position : opening.start()])
        mark = opening["comment"]
        position = find_code_end(text, opening) if mark is None else _comment_end(text, opening, mistakes)
        piece = text[opening.start() : position]
        kept.append(piece if mark is None else _blank_lines(piece))
    return "".join(kept) + text[position:]


def _comment_end(text: str, opening: re.Match[str], mistakes: list[NoteMistake]) -> int:
    closing = _COMMENT_ENDS[opening["comment"]]
    end = text.find(closing, opening.end())
    if end >= 0:
        return end + len(closing)
    message = f"A comment ({opening['comment']}) has no end: the rest of the note is left out."
    mistakes.append(NoteMistake(message, line=text.count("\n", 0, opening.start()) + 1))
    return len(text)


def _remove_private_sections(text: str, *, marked: str) -> str:
    if not _PRIVATE_TAG.search(marked):
        return text
    lines, marked_lines = text.split("\n"), marked.split("\n")
    hidden_from: int | None = None  # the level of the section that is being left out
    bounds = [*_heading_marks(text, marked_lines), (len(lines), 0, True, False)]
    begin = 0
    for line, level, is_top, is_marked in bounds:
        if hidden_from is not None and (level > hidden_from or not is_top):
            continue
        if hidden_from is not None:
            lines[begin:line] = [_REMOVED_MARK] * (line - begin)
        hidden_from, begin = (level, line) if is_marked else (None, line)
    return "\n".join(lines)


def _heading_marks(text: str, marked_lines: list[str]) -> Iterator[tuple[int, int, bool, bool]]:
    """Line, level, whether it stands alone (a heading in a quotation ends no section), whether it is marked."""
    parser = MarkdownIt("commonmark", {"maxNesting": 20})
    parser.core.ruler.disable("inline")
    for token in parser.parse(text.replace(_REMOVED_MARK, " ")):
        if token.type == "heading_open" and token.map:
            first, end = token.map
            is_marked = any(map(_PRIVATE_TAG.search, marked_lines[first:end]))
            yield first, int(token.tag[1:]), token.level == 0, is_marked


def _blank_lines(text: str) -> str:
    return "\n".join([_REMOVED_MARK] * (text.count("\n") + 1))
