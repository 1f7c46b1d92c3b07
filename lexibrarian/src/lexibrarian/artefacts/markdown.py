"""What the artefacts share: front matter, sections under `## `, and the footer that the program keeps."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lexibrarian.safe_text import in_utf_8

FOOTER = "<!-- lexibrarian:meta"
# The lines that can begin or end a stretch: fences of code, and headings.
_MARKED_LINE = re.compile(
    r"^(?: {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)|(?P<level>#{1,6}) (?P<heading>.*))$", re.MULTILINE
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_PAIR = re.compile(r'(\w+)="([^"]*)"')
_DESCRIPTION = re.compile(r'^description: ("(?:[^"\\]|\\["\\nt])*")\r?$', re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z_][\w-]*")
# What YAML takes only in escapes, and what readers of lines take for the end of one.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_quoted = json.JSONEncoder(ensure_ascii=False).encode
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "none", "y", "n"}


def split_front_matter(text: str) -> tuple[str, str]:
    """The front matter with its fences, `""` where there is none, and what follows it."""
    match = re.match(r"---[ \t]*\r?\n(?:.*?\r?\n)?---[ \t]*(?:\r?\n|\Z)", text, re.DOTALL)
    return (match[0], text[match.end() :]) if match else ("", text)


def read_description(text: str) -> str:
    """The field `description`, without YAML where it stands in quotes on one line, as the program writes it."""
    block, _ = split_front_matter(text)
    quoted = _DESCRIPTION.search(block)
    if quoted and block.count("\ndescription:") == 1:
        with contextlib.suppress(ValueError):
            return str(json.loads(quoted[1]))
    return str((read_front_matter(text) or {}).get("description") or "")


def read_front_matter(text: str) -> dict[str, Any] | None:
    """The fields of a text's front matter; `None` where it is absent or no mapping."""
    import yaml

    block, _ = split_front_matter(text)
    if not block:
        return None
    inner = "\n".join(block.splitlines()[1:-1])
    try:
        data = yaml.load(in_utf_8(inner), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except (yaml.YAMLError, ValueError):
        return None
    return data if isinstance(data, dict) else None


def yaml_text(value: object) -> str:
    """A scalar or a list as YAML on one line, quoted where it must be."""
    if isinstance(value, list):
        return f"[{', '.join(yaml_text(item) for item in value)}]"
    if value is None:
        return "null"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _RESERVED
        return value if plain else yaml_quoted(value)
    return str(value)


def yaml_quoted(text: str) -> str:
    """A text as YAML in quotes."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", _quoted(in_utf_8(text)))


def set_field(text: str, key: str, value: object) -> str:
    """The text with one field of its front matter set; every other byte stays. A text without front matter stays."""
    block, rest = split_front_matter(text)
    if not block:
        return text
    lines = block.splitlines(keepends=True)
    end = lines[0][len(lines[0].rstrip("\r\n")) :]
    line = f"{key}: {yaml_text(value)}{end}"
    for at in range(1, len(lines) - 1):
        if lines[at].startswith(f"{key}:"):
            after = at + 1
            while after < len(lines) - 1 and lines[after].startswith((" ", "\t", "- ")):
                after += 1
            return "".join([*lines[:at], line, *lines[after:]]) + rest
    return "".join([*lines[:-1], line, lines[-1]]) + rest


@dataclass(frozen=True)
class Section:
    """A stretch of text: `text` begins with its heading line, but for the first stretch, which has none."""

    heading: str
    text: str

    @property
    def body(self) -> str:
        """What stands below the heading, without the white space around it."""
        return self.text.partition("\n")[2].strip() if self.heading else self.text.strip()


def headings(text: str) -> Iterator[re.Match[str]]:
    """The lines outside of code that are headings; their groups are `level`, the marks, and `heading`, the words."""
    fence = ""
    for line in _MARKED_LINE.finditer(text):
        mark = line["fence"]
        if mark and not fence:
            fence = mark
        elif mark and mark.startswith(fence) and not line["info"].strip().strip(fence[0]):
            fence = ""
        elif not mark and not fence:
            yield line


def split_sections(text: str, level: int = 2) -> list[Section]:
    """Cut at headings of one level outside of code; the texts of the sections, joined, are the text."""
    lines = [line for line in headings(text) if len(line["level"]) == level]
    names = ["", *(line["heading"].strip() for line in lines)]
    starts = [0, *(line.start() for line in lines)]
    ends = [*starts[1:], len(text)]
    return [Section(name, text[start:end]) for name, start, end in zip(names, starts, ends, strict=True)]


def replace_section(text: str, heading: str, body: str, *, before: tuple[str, ...] = ()) -> str:
    """The text with the body of one section replaced; a missing one is put before the first of `before`, or last."""
    sections = split_sections(text)
    new = Section(heading, f"## {heading}\n\n{body.strip(chr(10))}\n\n")
    for at, section in enumerate(sections):
        if section.heading == heading:
            if section.body == body.strip():
                return text
            sections[at] = new
            return _joined(sections)
    places = [at for at, section in enumerate(sections) if section.heading in before]
    place = places[0] if places else len(sections)
    if not sections[place - 1].text.endswith("\n\n"):
        sections[place - 1] = replace(sections[place - 1], text=sections[place - 1].text.rstrip("\n") + "\n\n")
    sections.insert(place, new)
    return _joined(sections)


def remove_section(text: str, heading: str) -> str:
    """The text without one section."""
    return _joined([section for section in split_sections(text) if section.heading != heading])


def section_body(text: str, heading: str) -> str:
    """What stands in a section, `""` where it is absent."""
    if f"## {heading}" not in text:
        return ""
    return next((section.body for section in split_sections(text) if section.heading == heading), "")


def without_copies(text: str, headings: Collection[str]) -> str:
    """A text without the code, lists and tables of some sections, which the program copies out of sources."""
    return "".join(
        _without_copies(section.text) if section.heading in headings else section.text
        for section in split_sections(text)
    )


def _without_copies(text: str) -> str:
    kept, fence = [], ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and not line.startswith(("- ", "* ", "|")):
            kept.append(line)
    return "".join(kept)


def _joined(sections: list[Section]) -> str:
    return "".join(section.text for section in sections)


def list_items(body: str) -> list[str]:
    """The items of a list, without marks; `(none)` is no item."""
    items = [line.strip()[2:].strip() for line in body.splitlines() if line.lstrip().startswith(("- ", "* "))]
    return [item for item in items if item.strip("()").lower() != "none"]


@dataclass(frozen=True)
class Footed:
    """A text in three parts. `meta` is `None` where there is no footer; `after` is what somebody wrote behind it."""

    before: str
    meta: dict[str, str] | None
    after: str = ""
    footer: str = field(default="", compare=False)


def split_footer(text: str) -> Footed:
    """Find the last footer of a text, in either shape: one `key: value` a line, or `key="value"` pairs on one line."""
    start = text.rfind(FOOTER)
    end = text.find("-->", start)
    if start < 0 or end < 0 or (start and text[start - 1] != "\n"):
        return Footed(text, None)
    inner = text[start + len(FOOTER) : end]
    # Looked for only where it can be: in long words without the mark it would be quadratic.
    pairs = _PAIR.findall(inner) if '="' in inner else []
    if not pairs:
        pairs = [
            (key.strip(), value.strip()) for key, mark, value in (x.partition(":") for x in inner.splitlines()) if mark
        ]
    meta = {key: value for key, value in pairs if key}
    return Footed(text[:start], meta, text[end + len("-->") :].lstrip("\r\n"), text[start : end + len("-->")])


def with_footer(before: str, footer: str, after: str = "") -> str:
    """A text with its footer behind one blank line, at the end unless somebody wrote behind it."""
    ending = f"{after}" if after.strip() else ""
    return f"{before.rstrip(chr(10))}\n\n{footer}\n{ending}"
