"""Links between notes become words. Only what is public is called by its title; of everything else stays what the
author wrote, and nothing more."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import unquote

from knowledge.sync.notes.code_spans import split_code

# A target in, the title of the note that it leads to; None for what is unknown, or not public.
TitleLookup = Callable[[str], str | None]

NOTE_ENDINGS = (".md", ".markdown")
# In a table the bar is written with a backslash before it.
_WIKILINK = re.compile(
    r"(?P<embed>!?)\[\[(?P<target>[^\[\]\n|#^]{0,300})(?P<part>[#^][^\[\]\n|]{0,300})?(?:\|(?P<text>[^\[\]\n]{0,500}))?\]\]"
)
_MARKDOWN_LINK = re.compile(
    r"(?P<embed>!?)\[(?P<text>[^\[\]\n]{1,500})\]\((?:<(?P<spaced>[^<>\n]{1,500})>|(?P<plain>[^()<>\s]{1,500}))\)"
)
_IMAGE_SIZE = re.compile(r"\d{1,5}(?:x\d{1,5})?")


@dataclass(frozen=True, kw_only=True)
class RenderedLinks:
    """The text without links to notes, and what each target was called by (None: not by a title)."""

    text: str
    links: dict[str, str | None] = field(default_factory=dict)


def render_links(text: str, *, title_of: TitleLookup) -> RenderedLinks:
    links: dict[str, str | None] = {}

    def asked(target: str) -> str | None:
        links[target] = title_of(target)
        return links[target]

    shown = "".join(piece if is_code else _render_prose(piece, asked) for is_code, piece in split_code(text))
    return RenderedLinks(text=shown, links=links)


def _render_prose(text: str, title_of: TitleLookup) -> str:
    text = _WIKILINK.sub(lambda link: _wikilink_text(link, title_of), text)
    return _MARKDOWN_LINK.sub(_relative_link_text, text)


def _wikilink_text(link: re.Match[str], title_of: TitleLookup) -> str:
    target = link["target"].removesuffix("\\").strip()
    part = (link["part"] or "").removesuffix("\\").strip("#^ ").replace("#", " > ")
    text = (link["text"] or "").strip()
    if link["embed"] and PurePosixPath(target).suffix and not is_note(target):
        return "" if _IMAGE_SIZE.fullmatch(text) else text  # a picture: at most its caption can be read
    if text:
        return text
    if not target:
        return part
    title = title_of(target)
    if title is None:
        return strip_note_ending(PurePosixPath(target).name)
    return f"{title} > {part}" if part and not (link["part"] or "").startswith(("^", "#^")) else title


def _relative_link_text(link: re.Match[str]) -> str:
    """The path of another note says its name, and leads nowhere from here: the words alone stay."""
    target = unquote(link["spaced"] or link["plain"]).partition("#")[0]
    return link["text"] if is_note(target) and "://" not in target else link[0]


def is_note(target: str) -> bool:
    """Whether a path is that of a note, by its ending."""
    return target.lower().endswith(NOTE_ENDINGS)


def strip_note_ending(name: str) -> str:
    for ending in NOTE_ENDINGS:
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name
