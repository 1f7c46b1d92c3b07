"""Two releases side by side: what differs, in sentences, and the texts that people wrote, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from plugins.models import AnswerPolicy, Release

_TEXT_FIELDS = ("system_prompt", "audience", "tone", "limits", "disclaimer")
# A persona of more lines than this is shown as gone and new: comparing it would take long.
_MAX_LINES = 2000


@dataclass(frozen=True, kw_only=True)
class DiffLine:
    """`kind` is "same", "gone" or "new"."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class TextDiff:
    title: str
    lines: list[DiffLine]


def diff_texts(now: Release, *, then: Release) -> list[TextDiff]:
    """Only the texts that differ."""
    titles = {field.name: str(field.verbose_name) for field in AnswerPolicy._meta.fields}
    return [
        TextDiff(title=titles[name], lines=diff_lines(getattr(now, name), then=getattr(then, name)))
        for name in _TEXT_FIELDS
        if getattr(now, name) != getattr(then, name)
    ]


def diff_lines(now: str, *, then: str) -> list[DiffLine]:
    """The lines of both in reading order; what is gone stands before what came in its place."""
    old, new = then.splitlines(), now.splitlines()
    if len(old) + len(new) > _MAX_LINES:
        return [*_make_diff_lines("gone", old), *_make_diff_lines("new", new)]
    found: list[DiffLine] = []
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += _make_diff_lines("same", new[new_from:new_to])
        else:
            found += [
                *_make_diff_lines("gone", old[old_from:old_to]),
                *_make_diff_lines("new", new[new_from:new_to]),
            ]
    return found


def _make_diff_lines(kind: str, texts: list[str]) -> list[DiffLine]:
    return [DiffLine(kind=kind, text=text) for text in texts]
