"""docs/*.md as pages. What the tests run is what people read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

from marketplace.site.markdown_html import GuideRenderer, token_text
from marketplace.site.sdk_wheel import build_sdk_wheel

DOCS_DIR = settings.BASE_DIR / "docs"


@dataclass(frozen=True, kw_only=True)
class GuideEntry:
    """A guide as the menu lists it. `name` is that of its file and of its address."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True)
class GuideGroup:
    title: str
    entries: tuple[GuideEntry, ...]


@dataclass(frozen=True, kw_only=True)
class Guide:
    """`sections`: the anchors and titles of its parts. `lead` is its first paragraph in plain words, for those who
    quote the page; `content` is without its first heading, the title."""

    name: str
    title: str
    lead: str
    sections: tuple[tuple[str, str], ...]
    content: SafeString


GUIDE_GROUPS = (
    GuideGroup(title="Start", entries=(GuideEntry(name="quickstart", title="Quickstart"),)),
    GuideGroup(
        title="For agents",
        entries=(GuideEntry(name="api", title="API guide"), GuideEntry(name="clients", title="Clients")),
    ),
    GuideGroup(
        title="For experts",
        entries=(
            GuideEntry(name="authoring", title="Build a plugin"),
            GuideEntry(name="library", title="Ask about your code"),
        ),
    ),
    GuideGroup(
        title="For operators and the curious",
        entries=(
            GuideEntry(name="operations", title="Run it"),
            GuideEntry(name="evaluation", title="How quality is measured"),
            GuideEntry(name="architecture", title="How it is built"),
        ),
    ),
)
GUIDE_ENTRIES = tuple(entry for shelf in GUIDE_GROUPS for entry in shelf.entries)
GUIDE_NAMES = frozenset(entry.name for entry in GUIDE_ENTRIES)
_EXAMPLE_ADDRESS = re.compile(r"https://lexic\.example\.org|http://(?:localhost|127\.0\.0\.1):8000")
_WHEEL_ADDRESS = re.compile(r"/sdk/lexic_sdk-[\w.]+-py3-none-any\.whl")
# Whoever reads these sets up a site of their own.
_ABOUT_OTHER_SITES = frozenset(["operations"])


@cache
def read_guide(name: str) -> str:
    """The Markdown of a guide, with the address of this site in its examples, and the digest of the client that it
    serves. Raises KeyError for a name that is not in the menu."""
    if name not in GUIDE_NAMES:
        raise KeyError(name)
    text = (DOCS_DIR / f"{name}.md").read_text(encoding="utf-8")
    if name in _ABOUT_OTHER_SITES:
        return text
    return _WHEEL_ADDRESS.sub(build_sdk_wheel().pinned, _EXAMPLE_ADDRESS.sub(settings.PUBLIC_URL, text))


@cache
def load_guide(name: str) -> Guide:
    """Raises KeyError for a name that is not in the menu."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(read_guide(name))
    # The first heading is the title; the page shows it by itself.
    title, content = tokens[:3], tokens[3:]
    first = next((at for at, token in enumerate(content) if token.type == "paragraph_open"), None)
    renderer = GuideRenderer(guides=GUIDE_NAMES)
    markup = renderer.render(content, parser.options, {})
    return Guide(
        name=name,
        title=token_text(title),
        lead=" ".join(token_text(content[first + 1 : first + 2]).split()) if first is not None else "",
        sections=tuple(renderer.sections),
        content=markup,
    )


def next_guide(name: str) -> GuideEntry | None:
    """The guide after this one in the menu."""
    at = next(at for at, entry in enumerate(GUIDE_ENTRIES) if entry.name == name)
    return GUIDE_ENTRIES[at + 1] if at + 1 < len(GUIDE_ENTRIES) else None
