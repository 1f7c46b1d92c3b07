"""Removes what a program would load from outside when it opens a Word file: attached templates, linked pictures,
frames, sources of letters. Links, which a person has to follow, stay."""

from __future__ import annotations

from typing import Any

from contracts.docx.word_package import WordPackage, parse_part

BLANK_TARGET = "about:blank"


def neutralise_external_targets(package: WordPackage) -> None:
    """Has every such relationship lead nowhere. It stays, because the text names it by its number."""
    for name in [name for name in package.names if name.endswith(".rels")]:
        relations = parse_part(package.read(name))
        loaded = [relation for relation in relations if _is_loaded(relation)]
        for relation in loaded:
            relation.set("Target", BLANK_TARGET)
        if loaded:
            package.replace(name, relations)


def _is_loaded(relation: Any) -> bool:
    return relation.get("TargetMode") == "External" and not relation.get("Type", "").endswith("/hyperlink")
