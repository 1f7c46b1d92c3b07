"""What a model is told and shown; the words of it are files in `prompts/`."""

from __future__ import annotations

from pathlib import Path

from lexibrarian.archivist.redact import redact_thoroughly
from lexibrarian.languages.outline import Outline
from lexibrarian.sources import Source

_TEMPLATES = Path(__file__).parent / "prompts"
_MOST_CONCEPTS = 200


def messages(source: Source, outline: Outline | None, concepts: list[str], *, before: str = "") -> list[dict[str, str]]:
    """The messages about one source: rules, then its signatures and its whole text, without secrets.

    `before` is its description so far, where its interface has not changed.
    """
    rules = _template("rules.md").replace("{concepts}", ", ".join(concepts[:_MOST_CONCEPTS]) or "none")
    # Nobody who writes a source can know the mark that ends it.
    mark = f"file-{source.hash[:16]}"
    parts = [f"Path: {source.path}"]
    if before:
        parts.append(_template("light.md").replace("{description}", redact_thoroughly(before)))
    if outline and outline.signatures:
        parts.append("Public signatures:\n" + redact_thoroughly("\n".join(outline.signatures), source.path))
    parts.append(f"<{mark}>\n{redact_thoroughly(source.text, source.path)}\n</{mark}>")
    return [{"role": "system", "content": rules}, {"role": "user", "content": "\n\n".join(parts)}]


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8").strip()
