"""docs/*.md as pages. What the tests run is what people read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from marketplace.site.markup import Drawing, words_of

FOLDER = settings.BASE_DIR / "docs"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A guide as the menu lists it. `name` is that of its file and of its address."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Shelf:
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, kw_only=True)
class Guide:
    """`sections`: the anchors and titles of its parts. `lead` is its first paragraph in plain words, for those who
    quote the page; `content` is without its first heading, the title."""

    name: str
    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]
    content: SafeString


SHELVES = (
    Shelf(title="Start", entries=(Entry(name="quickstart", title="Quickstart"),)),
    Shelf(title="For agents", entries=(Entry(name="api", title="Every way in"),)),
    Shelf(title="For experts", entries=(Entry(name="authoring", title="Build a plugin"),)),
    Shelf(
        title="For operators and the curious",
        entries=(
            Entry(name="operations", title="Run it"),
            Entry(name="evaluation", title="How quality is measured"),
            Entry(name="architecture", title="How it is built"),
        ),
    ),
)
ENTRIES = tuple(entry for shelf in SHELVES for entry in shelf.entries)
NAMES = frozenset(entry.name for entry in ENTRIES)


@cache
def guide(name: str) -> Guide:
    """Raises KeyError for a name that is not in the menu."""
    if name not in NAMES:
        raise KeyError(name)
    title, *nodes = _parsed(FOLDER / f"{name}.md")
    drawing = Drawing(guides=NAMES)
    content = drawing.joined(nodes)
    return Guide(
        name=name, title=words_of(title), lead=_lead(nodes), sections=tuple(drawing.sections), content=content
    )


def following(name: str) -> Entry | None:
    """The guide after this one in the menu."""
    at = next(at for at, entry in enumerate(ENTRIES) if entry.name == name)
    return ENTRIES[at + 1] if at + 1 < len(ENTRIES) else None


def _parsed(path: Path) -> list[SyntaxTreeNode]:
    text = path.read_text(encoding="utf-8")
    return SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text)).children


def _lead(nodes: Sequence[SyntaxTreeNode]) -> str:
    first = next((node for node in nodes if node.type == "paragraph"), None)
    return re.sub(r"\s+", " ", words_of(first)).strip() if first else ""
