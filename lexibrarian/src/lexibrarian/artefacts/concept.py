"""Concepts: what holds across files, written by agents and people alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lexibrarian.artefacts.markdown import (
    read_front_matter,
    section_body,
    split_footer,
    split_front_matter,
    split_sections,
    yaml_text,
)

STATUSES = ("active", "deprecated", "draft")
FIELDS = ("title", "aliases", "tags", "status")


@dataclass(frozen=True)
class Concept:
    """A concept as it was read; what its front matter leaves out is empty. `name` is its file's, without the ending."""

    name: str
    text: str
    fields: dict[str, Any]

    @property
    def title(self) -> str:
        """What it is called."""
        return str(self.fields.get("title") or self.name)

    @property
    def aliases(self) -> list[str]:
        """What else it is called."""
        return _words(self.fields.get("aliases"))

    @property
    def tags(self) -> list[str]:
        """Its tags, in small letters."""
        return [tag.lower() for tag in _words(self.fields.get("tags"))]

    @property
    def status(self) -> str:
        """`active`, `deprecated` or `draft`."""
        return str(self.fields.get("status") or "active")

    @property
    def superseded_by(self) -> str:
        """The concept that stands in its place."""
        return str(self.fields.get("superseded_by") or "").strip("[]")

    @property
    def summary(self) -> str:
        """Its section `## Summary`, or else the first paragraph, on one line."""
        body = split_front_matter(self.text)[1]
        said = section_body(body, "Summary") or split_sections(body)[0].text
        lines = [line for line in said.strip().split("\n\n")[0].splitlines() if not line.startswith(("#", "<!--"))]
        return " ".join(" ".join(lines).split())


def _words(value: object) -> list[str]:
    """A list out of a list, or of text with commas."""
    items = value if isinstance(value, list) else str(value).split(",") if value else []
    return [str(item).strip() for item in items if str(item).strip()]


def read_concept(name: str, text: str) -> Concept:
    """Read a concept, however much of it somebody left out."""
    return Concept(name, text, read_front_matter(text) or {})


def is_concept(text: str) -> bool:
    """Whether a file in `concepts/` is a concept, and not the design file of a source in a directory of that name."""
    return not (split_footer(text).meta or {}).get("source")


def new_concept(title: str, aliases: list[str], tags: list[str]) -> str:
    """The text of a first draft."""
    return f"""---
title: {yaml_text(title)}
aliases: {yaml_text(aliases)}
tags: {yaml_text(tags)}
status: draft
---

## Summary

<!-- One to three sentences: what holds, and why. -->

## Rules

<!-- "Do this, not that, because ..." -->

## Where It Applies

## Related

## Decision Log
"""
