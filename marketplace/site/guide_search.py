"""Search in the guides: sections by their words, compared by stems and weighed by how rare they are."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from django.urls import reverse
from markdown_it import MarkdownIt

from language.stemming import stem
from language.stop_words import STOP_WORDS
from marketplace.site.guides import GUIDE_ENTRIES, GUIDE_NAMES, read_guide
from marketplace.site.markdown_html import GuideRenderer, token_text

MAX_RESULTS, MAX_QUERY_CHARACTERS = 20, 200
_TITLE_WEIGHT, _EXCERPT_CHARACTERS = 4, 180
_WORD = re.compile(r"[^\W_]+")
# BM25: how fast further mentions of a word count less, and how much a long section counts less than a short one.
_SATURATION, _LENGTH_SHARE = 1.2, 0.75


@dataclass(frozen=True, kw_only=True)
class GuideSection:
    """A part of a guide below one heading, and where it stands."""

    guide: str
    title: str
    url: str
    text: str

    @cached_property
    def words(self) -> Counter[str]:
        counted = Counter(_stems_of_guide(self.text))
        for word in _stems_of_guide(f"{self.guide} {self.title}"):
            counted[word] += _TITLE_WEIGHT
        return counted

    @cached_property
    def word_count(self) -> int:
        return self.words.total()

    @cached_property
    def title_words(self) -> frozenset[str]:
        return frozenset(_stems_of_guide(self.title))


@dataclass(frozen=True, kw_only=True)
class FoundSection:
    section: GuideSection
    excerpt: str


def search_guides(query: str) -> Sequence[FoundSection]:
    """The sections that have most of the words, the best first; none where nothing has any."""
    wanted = list(dict.fromkeys(_stems_of_guide(query[:MAX_QUERY_CHARACTERS])))
    scored = [(_score(section, wanted), section) for section in guide_sections()]
    found = sorted((one for one in scored if one[0] > 0), key=lambda one: -one[0])[:MAX_RESULTS]
    return [FoundSection(section=section, excerpt=_excerpt(section.text, set(wanted))) for _, section in found]


@cache
def guide_sections() -> Sequence[GuideSection]:
    """All sections of all guides, in the order of the menu."""
    return [section for entry in GUIDE_ENTRIES for section in _sections(entry.name, entry.title)]


def _sections(name: str, guide: str) -> list[GuideSection]:
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(read_guide(name))[3:]
    renderer = GuideRenderer(guides=GUIDE_NAMES)
    renderer.render(tokens, parser.options, {})
    anchors = iter(renderer.anchors)
    title, anchor, parts, found = guide, "", list[str](), list[GuideSection]()

    def end() -> None:
        url = reverse("guide", args=[name]) + (f"#{anchor}" if anchor else "")
        found.append(GuideSection(guide=guide, title=title, url=url, text=" ".join(" ".join(parts).split())))

    for token, before in zip(tokens, [None, *tokens], strict=False):
        if token.type == "heading_open":
            end()
            anchor, parts = next(anchors), []
        elif token.type == "inline" and before is not None and before.type == "heading_open":
            title = token_text([token])
        elif token.type == "inline":
            parts.append(token_text([token]))
        elif token.type in ("fence", "code_block"):
            parts.append(token.content)
    end()
    return [section for section in found if section.text]


@cache
def _rarity() -> dict[str, float]:
    """How much a word says: the fewer sections have it, the more."""
    sections = guide_sections()
    counts = Counter(word for section in sections for word in section.words)
    return {word: math.log(1 + len(sections) / count) for word, count in counts.items()}


@cache
def _average_word_count() -> float:
    sections = guide_sections()
    return sum(section.word_count for section in sections) / len(sections)


def _score(section: GuideSection, wanted: Sequence[str]) -> float:
    """By BM25; a section with all words stands first, and so does one whose title says little else."""
    there = [word for word in wanted if word in section.words]
    length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * section.word_count / _average_word_count()
    weight = sum(_rarity()[word] * section.words[word] / (section.words[word] + _SATURATION * length) for word in there)
    titled = len(section.title_words & set(wanted)) / max(len(section.title_words), 1)
    return weight * (1 + titled) * (len(there) / len(wanted)) ** 2 if there else 0.0


def _excerpt(text: str, wanted: set[str]) -> str:
    """The words around the first that was asked for."""
    hit = next((match.start() for match in _WORD.finditer(text) if set(_stems_of_guide(match[0])) & wanted), 0)
    start = max(0, hit - _EXCERPT_CHARACTERS // 3)
    cut = text[start : start + _EXCERPT_CHARACTERS]
    before = cut.partition(" ")[2] if start else cut
    after = before.rpartition(" ")[0] if start + _EXCERPT_CHARACTERS < len(text) else before
    return f"{'… ' if start else ''}{after}{' …' if after != before else ''}"


def _stems_of_guide(text: str) -> list[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return [stem(word) for word in words if word not in STOP_WORDS]
