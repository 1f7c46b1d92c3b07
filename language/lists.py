"""Lists in a text: steps with numbers, or bullets, each item with all that belongs to it.

What counts is how lines begin, in any language: with a bullet, or with a number or letter that goes on from the one
before. Every rule looks at one block of the text and the list before it, so the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from language.sentences import TextSpan, sentences_by_block

_BULLETS = r"[-*+\u2022\u2023\u2043\u25aa\u25cf\u25e6\u25cb\u2013\u2014\u00b7\u2713\u2610\uf0b7]"
_BULLET = re.compile(rf"({_BULLETS})\s{{1,8}}(?=\S)")
_LINE_BULLET = re.compile(rf"\s{{0,8}}{_BULLETS}\s{{1,8}}")
# "3.", "3)", "(3)", "b)", "iv.", "Step 3:"; of a clause like "4.2" nothing.
_NUMBER = re.compile(r"(\(|[^\W\d_]{2,12}\s)?(\d{1,3}|[a-z]|[ivx]{2,5})([.):])\s{1,8}(?=\S)", re.IGNORECASE)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_ROMAN_NUMBERS = {roman: number for number, roman in enumerate(_ROMAN, start=1)}
_HEADING = re.compile(r"#{1,6}\s")
_MAX_MARK_CHARACTERS = 40
_LINE = re.compile(r"\n[ \t]{0,8}")
_NEW_LINE = re.compile(r"\s{0,8}\n(?=[^\W\d_a-z])")
# Between two items may stand what belongs to the first, such as a note, but no more than this: below a number any
# paragraph, below a bullet those that are set in.
_MAX_NOTE_BLOCKS, _MAX_NOTE_CHARACTERS = 2, 400

Block = Sequence[TextSpan]


@dataclass(frozen=True)
class Mark:
    """How an item begins. `kind` is what items of one list have in common, `number` is 0 for a bullet."""

    kind: str
    number: int

    @property
    def next(self) -> Mark:
        return Mark(self.kind, self.number + 1) if self.number else self


@dataclass(frozen=True)
class ListItem:
    """`text[start:end]`, with its mark and all that belongs to it."""

    start: int
    end: int
    mark: Mark


@dataclass(kw_only=True)
class TextList:
    """Items one after another, and the sentences of the prose right above them, back to the list or heading before."""

    items: list[ListItem]
    before: list[TextSpan] = field(default_factory=list)

    @property
    def last_mark(self) -> Mark:
        return self.items[-1].mark

    @property
    def begins_here(self) -> bool:
        """Whether its first item is here, as far as numbers say."""
        return self.items[0].mark.number <= 1


def find_lists(text: str) -> list[TextList]:
    """The lists of a text in reading order. One item alone is a list too: the rest may stand on another page."""
    found: list[TextList] = []
    loose: list[Block] = []  # what stands between the last item and this block
    for block in chain.from_iterable(_split_at_marks(text, one) for one in sentences_by_block(text)):
        last = found[-1] if found else None
        marks = _marks(text[block[0][0] : block[-1][1]])
        if not marks:
            loose.append(block)
            continue
        if last is None or not _extend(last, block, marks, loose, text):
            first = next((mark for mark in marks if mark.number <= 1), marks[0])
            items = [ListItem(block[0][0], block[-1][1], first)]
            found.append(TextList(items=items, before=_prose(text, loose)))
        loose = []
    for one in found:
        _trim_last_item(one, text)
    return found


def _split_at_marks(text: str, block: Block) -> Iterator[Block]:
    """Items without full stops that begin with small letters read like one sentence: "1. oil", "2. belt"."""
    start, end = block[0][0], block[-1][1]
    marks = _marks(text[start:end])
    cuts = [start]
    for line in _LINE.finditer(text, start, end):
        following = [
            mark
            for mark in _marks(text[line.end() : min(end, line.end() + _MAX_MARK_CHARACTERS)])
            if any(mark == one.next for one in marks)
        ]
        if following and following[0].number:
            cuts.append(line.end())
            marks = following
    if len(cuts) == 1:
        yield block
        return
    for begin, after in pairwise([*cuts, end]):
        yield [(begin, after - len(text[begin:after]) + len(text[begin:after].rstrip()))]


def _trim_last_item(found: TextList, text: str) -> None:
    """Where a page has no blank lines, prose runs on from the last item: it begins with a capital in a line of its own,
    not indented, as no line within another item does."""
    *others, last = found.items
    line = _NEW_LINE.search(text, last.start, last.end)
    if others and line and not any(_NEW_LINE.search(text, item.start, item.end) for item in others):
        found.items[-1] = ListItem(last.start, line.start(), last.mark)


def _extend(last: TextList, block: Block, marks: Sequence[Mark], loose: Sequence[Block], text: str) -> bool:
    """Whether the block is a part of the list: its next item, or a list below its last item."""
    end = block[-1][1]
    if last.last_mark.next in marks and _may_be_notes(last.last_mark, loose, text):
        if loose:
            _stretch(last, loose[-1][-1][1])
        last.items.append(ListItem(block[0][0], end, last.last_mark.next))
        return True
    if loose or any(mark.kind == last.last_mark.kind for mark in marks):
        return False
    _stretch(last, end)
    return True


def _stretch(last: TextList, end: int) -> None:
    item = last.items[-1]
    last.items[-1] = ListItem(item.start, end, item.mark)


def _may_be_notes(mark: Mark, loose: Sequence[Block], text: str) -> bool:
    if not loose:
        return True
    length = loose[-1][-1][1] - loose[0][0][0]
    if len(loose) > _MAX_NOTE_BLOCKS or length > _MAX_NOTE_CHARACTERS:
        return False
    if any(_HEADING.match(text, block[0][0]) for block in loose):
        return False
    return mark.number > 0 or all(_is_indented(text, block[0][0]) for block in loose)


def _is_indented(text: str, start: int) -> bool:
    """Whether the line is set in by two characters or more, as what belongs to a bullet is."""
    return text[max(0, start - 2) : start].expandtabs(4).endswith("  ")


def _prose(text: str, loose: Sequence[Block]) -> list[TextSpan]:
    """The sentences of the blocks below the last heading."""
    kept: list[TextSpan] = []
    for block in loose:
        kept = [] if _HEADING.match(text, block[0][0]) else [*kept, *block]
    return kept


def _marks(block: str) -> list[Mark]:
    """What the beginning of a block may be read as: "i." is a letter and a Roman number."""
    if bullet := _BULLET.match(block):
        return [Mark(bullet[1], 0)]
    found = _NUMBER.match(block)
    if found is None:
        return []
    before, number, after = (part or "" for part in found.groups())
    return [Mark(f"{before.casefold()}{kind}{after}", value) for kind, value in _readings(number)]


def _readings(number: str) -> Iterator[tuple[str, int]]:
    if number.isdigit():
        yield "1", int(number)
        return
    style = "A" if number.isupper() else "a"
    if roman := _ROMAN_NUMBERS.get(number.lower()):
        yield f"{style}i", roman
    if len(number) == 1:
        yield style, ord(number.lower()) - ord("a") + 1


def without_bullet(line: str) -> str:
    """The line behind its bullet; the line itself where it has none."""
    return line[mark.end() :] if (mark := _LINE_BULLET.match(line)) else line


def without_mark(item: str) -> str:
    """The item behind its bullet or its number; the text itself where it has neither."""
    bare = item.lstrip()
    mark = _BULLET.match(bare) or _NUMBER.match(bare)
    return bare[mark.end() :] if mark else bare


def item_lines(item: str) -> Iterator[str]:
    """An item with each item of a list below it in a line of its own; a note stands behind what it is about."""
    line = ""
    for block in sentences_by_block(item):
        text = " ".join(item[block[0][0] : block[-1][1]].split())
        if line and _marks(text):
            yield line
            line = text
        else:
            line = f"{line} {text}".strip()
    yield line
