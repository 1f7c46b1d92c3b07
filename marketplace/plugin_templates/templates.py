"""The templates, each a file in `content/`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lexic.errors import InvalidInput

_CONTENT = Path(__file__).parent / "content"
# In the order in which they are shown.
_NAMES = ("handbook", "policy", "product-support", "legal-checklist", "faq", "notes")


class UnknownTemplate(InvalidInput):
    """There is no such template."""

    code = "unknown_plugin_template"
    hint = f"The templates are: {', '.join(_NAMES)}."


@dataclass(frozen=True, kw_only=True)
class PluginTemplate:
    """`task` is a paragraph of the persona; `settings` are columns of the plugin; `tree` is a draft of a sample tree,
    None without one; `refused` are questions that every such plugin has to refuse."""

    name: str
    title: str
    summary: str
    task: str
    settings: Mapping[str, Any]
    tree: Mapping[str, Any] | None
    refused: Sequence[str]


@cache
def plugin_templates() -> Sequence[PluginTemplate]:
    """All of them."""
    return tuple(_read_template(name) for name in _NAMES)


def get_template(name: str) -> PluginTemplate:
    """The one of this name. Raises `UnknownTemplate`."""
    found = next((template for template in plugin_templates() if template.name == name), None)
    if found is None:
        raise UnknownTemplate
    return found


def _read_template(name: str) -> PluginTemplate:
    content = json.loads((_CONTENT / f"{name}.json").read_text())
    return PluginTemplate(name=name, **{"settings": {}, "tree": None, **content})
