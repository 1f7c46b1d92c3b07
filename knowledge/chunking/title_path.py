"""The headings that a chunk stands under, in one line. Questions need it, and nothing else of what cuts documents."""

from __future__ import annotations

from collections.abc import Sequence


def title_path(document_title: str, section_path: Sequence[str]) -> str:
    """`Document title > section > sub-section`; a first section called like the document is not repeated."""
    steps = [step for step in (document_title.strip(), *section_path) if step]
    if len(steps) > 1 and steps[0].casefold() == steps[1].casefold():
        steps = steps[1:]
    return " > ".join(steps)
