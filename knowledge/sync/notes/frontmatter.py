"""The YAML at the top of a note. It is parsed and never constructed: no tag of it makes an object of any kind.

Its size, its depth and the number of its fields are bounded, and aliases are refused, so that no few lines can stand
for very many.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from knowledge.sync.notes.note_problems import NoteMistake

MAX_CHARACTERS = 64 * 1024  # characters
MAX_DEPTH = 10
MAX_FIELDS = 200

_INTEGER = re.compile(r"[-+]?[0-9]{1,15}")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,15}\.[0-9]{1,15}")
_FIELD_LINE = re.compile(r"\w[\w -]{0,59}:(?:\s|$)")


@dataclass(frozen=True, kw_only=True)
class FrontMatterField:
    """`name` as it is written, `texts` every scalar below it as it is written, `value` the same as JSON."""

    name: str
    line: int
    texts: tuple[str, ...]
    value: Any

    @property
    def key(self) -> str:
        """The name by which fields are told apart: case, hyphens and spaces do not count."""
        return "_".join(re.split(r"[\s_-]+", self.name.strip().casefold()))


def split_frontmatter(text: str) -> tuple[str, str, int]:
    """The YAML, the rest, and how many lines of the file come before the rest.

    Raises `NoteMistake` when the YAML has no end.
    """
    first, _, rest = text.partition("\n")
    if first.rstrip() != "---":
        return "", text, 0
    lines = rest.split("\n")
    end = next((number for number, line in enumerate(lines) if line.rstrip() in ("---", "...")), None)
    if end is None:
        if _FIELD_LINE.match(lines[0]):
            raise NoteMistake("The front matter has no end: a line of three hyphens is missing.", line=1)
        return "", text, 0
    return "\n".join(lines[:end]), "\n".join(lines[end + 1 :]), end + 2


def parse_frontmatter(source: str) -> list[FrontMatterField]:
    """The fields of a note's front matter, in order. Raises `NoteMistake` with the line in the file."""
    if len(source) > MAX_CHARACTERS:
        raise NoteMistake("The front matter is longer than 64 KB.", line=1)
    node = _compose_yaml(source)
    if node is None:
        return []
    if not isinstance(node, yaml.MappingNode):
        raise NoteMistake("The front matter is no list of names with values.", line=_file_line(node))
    if len(node.value) > MAX_FIELDS:
        raise NoteMistake(f"The front matter has more than {MAX_FIELDS} fields.", line=_file_line(node))
    return list(_distinct_fields(node))


class _BoundedLoader(yaml.SafeLoader):
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            raise NoteMistake("Aliases (*name) are not read.", line=_file_line(event))
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NoteMistake("The front matter is nested too deeply.", line=_file_line(event))
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


def _compose_yaml(source: str) -> yaml.Node | None:
    try:
        return yaml.compose(source, Loader=_BoundedLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        line = mark.line + 2 if mark else None
        raise NoteMistake(f"The front matter is not valid YAML: {problem}.", line=line) from None


def _file_line(marked: Any) -> int:
    # Marks count from 0, and the three hyphens are the first line of the file.
    return int(marked.start_mark.line) + 2


def _distinct_fields(node: yaml.MappingNode) -> Iterator[FrontMatterField]:
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise NoteMistake("A field's name is not plain text.", line=_file_line(key))
        field = FrontMatterField(
            name=key.value[:200], line=_file_line(key), texts=tuple(_scalar_texts(value)), value=_json_value(value)
        )
        if field.key in seen:
            raise NoteMistake(f"“{field.name}” is given twice.", line=field.line)
        seen.add(field.key)
        yield field


def _scalar_texts(node: yaml.Node) -> Iterator[str]:
    """Also of `[[Note]]` without quotes, which YAML takes for a list in a list. A mapping has none."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _scalar_texts(item)
    elif isinstance(node, yaml.ScalarNode) and not node.tag.endswith(":null"):
        yield node.value


def _json_value(node: yaml.Node) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_json_value(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {field.name: field.value for field in _distinct_fields(node)}
    return _scalar_value(node)


def _scalar_value(node: yaml.Node) -> Any:
    kind, text = node.tag.rpartition(":")[2], node.value
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in ("yes", "true", "on")
    if kind == "int" and _INTEGER.fullmatch(text):
        return int(text)
    if kind == "float" and _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text
