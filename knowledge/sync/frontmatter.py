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

from knowledge.sync.problems import Mistake

LARGEST = 64 * 1024  # characters
DEEPEST = 10
MOST_FIELDS = 200

_INTEGER = re.compile(r"[-+]?[0-9]{1,15}")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,15}\.[0-9]{1,15}")
_LOOKS_LIKE_A_FIELD = re.compile(r"\w[\w -]{0,59}:(?:\s|$)")


@dataclass(frozen=True, kw_only=True)
class Field:
    """`name` as it is written, `texts` every scalar below it as it is written, `value` the same as JSON."""

    name: str
    line: int
    texts: tuple[str, ...]
    value: Any

    @property
    def key(self) -> str:
        """The name by which fields are told apart: case, hyphens and spaces do not count."""
        return plain_name(self.name)


def plain_name(name: str) -> str:
    return "_".join(re.split(r"[\s_-]+", name.strip().casefold()))


def split(text: str) -> tuple[str, str, int]:
    """The YAML, the rest, and how many lines of the file come before the rest. Raises `Mistake` for one without end."""
    first, _, rest = text.partition("\n")
    if first.rstrip() != "---":
        return "", text, 0
    lines = rest.split("\n")
    end = next((number for number, line in enumerate(lines) if line.rstrip() in ("---", "...")), None)
    if end is None:
        if _LOOKS_LIKE_A_FIELD.match(lines[0]):
            raise Mistake("The front matter has no end: a line of three hyphens is missing.", line=1)
        return "", text, 0
    return "\n".join(lines[:end]), "\n".join(lines[end + 1 :]), end + 2


def fields(source: str) -> list[Field]:
    """The fields of a note's front matter, in order. Raises `Mistake` with the line in the file."""
    if len(source) > LARGEST:
        raise Mistake("The front matter is longer than 64 KB.", line=1)
    node = _parsed(source)
    if node is None:
        return []
    if not isinstance(node, yaml.MappingNode):
        raise Mistake("The front matter is no list of names with values.", line=_line(node))
    if len(node.value) > MOST_FIELDS:
        raise Mistake(f"The front matter has more than {MOST_FIELDS} fields.", line=_line(node))
    return list(_unlike(node))


class _Loader(yaml.SafeLoader):
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            raise Mistake("Aliases (*name) are not read.", line=_line(event))
        self.depth += 1
        if self.depth > DEEPEST:
            raise Mistake("The front matter is nested too deeply.", line=_line(event))
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


def _parsed(source: str) -> yaml.Node | None:
    try:
        return yaml.compose(source, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        line = mark.line + 2 if mark else None
        raise Mistake(f"The front matter is not valid YAML: {said}.", line=line) from None


def _line(marked: Any) -> int:
    # Marks count from 0, and the three hyphens are the first line of the file.
    return int(marked.start_mark.line) + 2


def _unlike(node: yaml.MappingNode) -> Iterator[Field]:
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Mistake("A field's name is not plain text.", line=_line(key))
        field = Field(name=key.value[:200], line=_line(key), texts=tuple(_texts(value)), value=_json(value))
        if field.key in seen:
            raise Mistake(f"“{field.name}” is given twice.", line=field.line)
        seen.add(field.key)
        yield field


def _texts(node: yaml.Node) -> Iterator[str]:
    """Also of `[[Note]]` without quotes, which YAML takes for a list in a list. A mapping has none."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _texts(item)
    elif isinstance(node, yaml.ScalarNode) and not node.tag.endswith(":null"):
        yield node.value


def _json(node: yaml.Node) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_json(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {field.name: field.value for field in _unlike(node)}
    return _scalar(node)


def _scalar(node: yaml.Node) -> Any:
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
