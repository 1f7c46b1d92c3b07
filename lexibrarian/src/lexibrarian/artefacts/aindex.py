"""Directory indexes: a sentence about a directory, a table of what is in it, and the conventions that hold there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lexibrarian.artefacts.markdown import (
    Footed,
    list_items,
    replace_section,
    section_body,
    split_footer,
    split_sections,
    with_footer,
)
from lexibrarian.safe_text import in_utf_8, on_one_line

CHILD_MAP, CONVENTIONS = "Child Map", "Local Conventions"
_HEADER = "| Name | Type | Description |\n| --- | --- | --- |"


@dataclass(frozen=True)
class Row:
    """One entry of the table; `kind` is `file` or `dir`."""

    name: str
    kind: str
    description: str

    def __str__(self) -> str:
        name = on_one_line(self.name).replace("|", "\\|")
        return f"| `{name}{'/' if self.kind == 'dir' else ''}` | {self.kind} | {_cell(self.description)} |"


def _cell(text: str) -> str:
    return on_one_line(" ".join(text.split())).replace("|", "\\|")


@dataclass(frozen=True)
class Index:
    """An index as it was read."""

    footed: Footed

    @property
    def billboard(self) -> str:
        """What the directory is for."""
        first = split_sections(self.footed.before)[0].text
        return "\n".join(line for line in first.splitlines() if not line.startswith("# ")).strip()

    @property
    def conventions(self) -> list[str]:
        """What holds in the directory and below it."""
        body = section_body(self.footed.before, CONVENTIONS)
        return list_items(body) or [line for line in body.splitlines() if line.strip() and line.strip() != "(none)"]

    @property
    def rows(self) -> list[Row]:
        """The entries of the table."""
        lines = section_body(self.footed.before, CHILD_MAP).splitlines()
        cells = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in lines if line.lstrip().startswith("|")]
        return [
            Row(name.strip().strip("`").rstrip("/"), kind.strip(), about.strip().replace("\\|", "|"))
            for name, kind, about in (row for row in cells if len(row) == 3)
            if kind.strip() not in ("Type", "---") and set(kind.strip()) != {"-"}
        ]


def _quoted(value: str) -> str:
    return on_one_line(value).replace('"', "'").replace("-->", "->")


def read_index(text: str) -> Index:
    """Read an index, however much of it somebody left out."""
    return Index(split_footer(text))


def new_index(directory: str, billboard: str) -> str:
    """The text of a first index, without its table and footer."""
    return f"{_title(directory)}\n\n{billboard}\n\n## {CHILD_MAP}\n\n## {CONVENTIONS}\n\n(none)\n"


def _title(directory: str) -> str:
    return f"# {on_one_line(directory or '.')}/"


def with_rows(text: str, rows: list[Row], meta: dict[str, str]) -> str:
    """An index with its table and footer renewed; billboard, conventions and unknown sections stay byte for byte."""
    footed = split_footer(text)
    table = "\n".join([_HEADER, *map(str, rows)]) if rows else "(empty)"
    before = replace_section(footed.before, CHILD_MAP, table, before=(CONVENTIONS,))
    pairs = " ".join(f'{key}="{_quoted(value)}"' for key, value in meta.items())
    return with_footer(before, f"<!-- lexibrarian:meta {pairs} -->", footed.after)


def with_billboard(text: str, directory: str, billboard: str) -> str:
    """An index with another sentence about its directory; everything else stays byte for byte."""
    sections = split_sections(text)
    title = next((line for line in sections[0].text.splitlines() if line.startswith("# ")), _title(directory))
    # A heading or a comment would be taken for a part of the index.
    said = in_utf_8(billboard).replace("<!--", "").lstrip("# ").rstrip()
    return f"{title}\n\n{said}\n\n" + "".join(section.text for section in sections[1:])
