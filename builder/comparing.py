"""Two releases side by side: what differs, in sentences, and the texts that people wrote, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from plugins.models import AnswerPolicy, Release

_TEXTS = ("system_prompt", "audience", "tone", "limits", "disclaimer")
# A persona of more lines than this is shown as gone and new: comparing it would take long.
_MOST_LINES = 2000


@dataclass(frozen=True, kw_only=True)
class Line:
    """`kind` is "same", "gone" or "new"."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class TextDifference:
    title: str
    lines: list[Line]


def texts_between(now: Release, *, then: Release) -> list[TextDifference]:
    """Only the texts that differ."""
    titles = {field.name: str(field.verbose_name) for field in AnswerPolicy._meta.fields}
    return [
        TextDifference(title=titles[name], lines=lines_between(getattr(now, name), then=getattr(then, name)))
        for name in _TEXTS
        if getattr(now, name) != getattr(then, name)
    ]


def lines_between(now: str, *, then: str) -> list[Line]:
    """The lines of both in reading order; what is gone stands before what came in its place."""
    old, new = then.splitlines(), now.splitlines()
    if len(old) + len(new) > _MOST_LINES:
        return [*_lines("gone", old), *_lines("new", new)]
    found: list[Line] = []
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += _lines("same", new[new_from:new_to])
        else:
            found += [*_lines("gone", old[old_from:old_to]), *_lines("new", new[new_from:new_to])]
    return found


def _lines(kind: str, texts: list[str]) -> list[Line]:
    return [Line(kind=kind, text=text) for text in texts]
