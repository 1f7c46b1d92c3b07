"""What indexes and checks need to know of a design file, small enough to be remembered."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from lexibrarian.artefacts.design import DEPENDENCIES, TESTS, Design
from lexibrarian.links import links_in
from lexibrarian.tokens import count_tokens

_DECODER = json.JSONDecoder()
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


class DesignSummary(NamedTuple):
    """A design file in brief; `has_source` tells whether its footer names one, `tokens` are those of its body."""

    has_source: bool
    source: str
    source_hash: str
    generated: str
    description: str
    dependencies: list[str]
    tests: list[str]
    links: list[str]
    tokens: int
    in_conflict: bool


def summarise(design: Design) -> DesignSummary:
    """The summary of a design file."""
    dependencies, tests = design.items(DEPENDENCIES), design.items(TESTS)
    return summary_of(design.meta, design.body, design.description, dependencies, tests)


def summary_of(
    meta: dict[str, str], body: str, description: str, dependencies: list[str], tests: list[str]
) -> DesignSummary:
    """The summary of a design file with these fields in its footer, and this text before it."""
    return DesignSummary(
        "source" in meta,
        meta.get("source", ""),
        meta.get("source_hash", ""),
        meta.get("generated", ""),
        description,
        dependencies,
        tests,
        links_in(body),
        count_tokens(body),
        has_conflict_markers(body),
    )


def to_json(summary: DesignSummary) -> str:
    """The summary as JSON."""
    return json.dumps(summary)


def from_json(text: str) -> DesignSummary:
    """The summary that was written as JSON."""
    # What was written here has no white space around it, for which `json.loads` would look.
    return DesignSummary(*_DECODER.raw_decode(text)[0])


def has_conflict_markers(text: str) -> bool:
    """Whether a merge of a file of the library was left unfinished."""
    return ("<<<<<<<" in text or ">>>>>>>" in text) and _CONFLICT.search(text) is not None
