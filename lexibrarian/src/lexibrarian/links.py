"""Wikilinks: `[[Name]]` is a concept by file name, title or alias, `[[ST-001]]` a post; never a guess."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lexibrarian.artefacts.concept import Concept
from lexibrarian.concepts import folded

_LINK = re.compile(r"\[\[([^\[\]\n|#]+)(?:[|#][^\[\]\n]*)?\]\]")
_CODE = re.compile(r"^( {0,3})(`{3,}|~{3,}).*?^ {0,3}\2[`~]*[ \t]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
POST_ID = re.compile(r"ST-\d{3,}", re.IGNORECASE)


def links_in(text: str) -> list[str]:
    """The targets of the links of a text, each once, in their order; code holds none."""
    if "[[" not in text:
        return []
    return list(dict.fromkeys(name.strip() for name in _LINK.findall(_CODE.sub("", text))))


@dataclass(frozen=True)
class Resolved:
    """What a link stands for: a concept, or a post, or neither, and then perhaps what was meant."""

    concept: Concept | None = None
    post: str = ""
    ambiguous: tuple[str, ...] = ()
    meant: str = ""

    @property
    def found(self) -> bool:
        """Whether it stands for exactly one thing."""
        return self.concept is not None or bool(self.post)


class Resolver:
    """Resolves links among some concepts and posts."""

    def __init__(self, concepts: Iterable[Concept], posts: Iterable[str]) -> None:
        self.posts = set(posts)
        self.named: dict[str, Concept] = {}
        self.aliased: dict[str, list[Concept]] = defaultdict(list)
        for concept in concepts:
            self.named.setdefault(folded(concept.name), concept)
            self.named.setdefault(folded(concept.title), concept)
            for alias in dict.fromkeys(map(folded, concept.aliases)):
                self.aliased[alias].append(concept)

    def resolve(self, link: str) -> Resolved:
        """What a link stands for; its brackets may be there."""
        name = link.strip().removeprefix("[[").removesuffix("]]").strip()
        if POST_ID.fullmatch(name):
            return Resolved(post=name.upper()) if name.upper() in self.posts else Resolved(meant=self._close(name))
        key = folded(name)
        if key in self.named:
            return Resolved(self.named[key])
        owners = self.aliased.get(key, [])
        if len(owners) == 1:
            return Resolved(owners[0])
        if owners:
            return Resolved(ambiguous=tuple(concept.name for concept in owners))
        return Resolved(meant=self._close(name))

    def _close(self, name: str) -> str:
        if POST_ID.fullmatch(name):
            return next(iter(difflib.get_close_matches(name.upper(), self.posts, n=1)), "")
        known = {**{alias: each[0] for alias, each in self.aliased.items()}, **self.named}
        close = difflib.get_close_matches(folded(name), known, n=1, cutoff=0.7)
        return known[close[0]].name if close else ""
