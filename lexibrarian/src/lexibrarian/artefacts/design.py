"""Design files: what a source is for. Interface, Dependencies and Tests are the program's, all else is its reader's."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from lexibrarian.artefacts.markdown import (
    Footed,
    list_items,
    read_description,
    read_front_matter,
    remove_section,
    replace_section,
    section_body,
    set_field,
    split_footer,
    split_sections,
    with_footer,
    yaml_text,
)

INTERFACE, DEPENDENCIES, DEPENDENTS = "Interface Contract", "Dependencies", "Dependents"
TESTS, WARNING, WIKILINKS, TAGS, STACK = "Tests", "Complexity Warning", "Wikilinks", "Tags", "Stack"
ORDER = (INTERFACE, DEPENDENCIES, DEPENDENTS, TESTS, WARNING, WIKILINKS, TAGS, STACK)
# The sections that the program writes; all others are their readers'.
GENERATED_SECTIONS = (INTERFACE, DEPENDENCIES, DEPENDENTS, TESTS)
NONE = "- (none)"
META = ("source", "source_hash", "interface_hash", "design_hash", "description_hash", "generated", "generator")


class Parts(NamedTuple):
    """What the program knows about a source, as texts of sections; without tests there is no such section."""

    interface: str
    dependencies: tuple[str, ...]
    tests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Design:
    """A design file as it was read."""

    text: str
    footed: Footed

    @property
    def meta(self) -> dict[str, str]:
        """The fields of the footer."""
        return self.footed.meta or {}

    @property
    def has_footer(self) -> bool:
        """Whether the program has ever written this file."""
        return self.footed.meta is not None

    @property
    def body(self) -> str:
        """Everything but the footer."""
        return self.footed.before + self.footed.after

    def front_matter(self) -> dict[str, Any]:
        """The fields `description` and `updated_by`, as far as they are there."""
        return read_front_matter(self.text) or {}

    @property
    def description(self) -> str:
        """The one sentence about the source."""
        return " ".join(read_description(self.text).split())

    @property
    def by_agent(self) -> bool:
        """Whether an agent says that the description is its own."""
        return self.front_matter().get("updated_by") == "agent"

    @property
    def edited(self) -> bool:
        """Whether anything but the footer changed since the program wrote it."""
        return self.meta.get("design_hash") not in _accepted_hashes(self.footed)

    @property
    def description_edited(self) -> bool:
        """Whether the description is not the one that the program wrote last."""
        stored = self.meta.get("description_hash")
        return stored is not None and stored != short_hash(self.description)

    @property
    def keeps_description(self) -> bool:
        """Whether the description is somebody's own, so that no update changes it."""
        return self.by_agent or self.description_edited

    @cached_property
    def _sections(self) -> dict[str, str]:
        # Of two sections with one name, the first counts.
        return {section.heading: section.body for section in reversed(split_sections(self.footed.before))}

    def section(self, heading: str) -> str:
        """The body of a section."""
        return self._sections.get(heading, "")

    def items(self, heading: str) -> list[str]:
        """The list items of a section, code marks taken off."""
        return [item.strip("`") for item in list_items(self.section(heading))]

    @property
    def tags(self) -> list[str]:
        """The tags of the section `## Tags`, one an item or separated by commas."""
        body = self.section(TAGS)
        words = list_items(body) or [word for word in body.replace("\n", ",").split(",") if word.strip() != "(none)"]
        return [word.strip(" `#").lower() for word in words if word.strip(" `#")]


def read_design(text: str) -> Design:
    """Read a design file, however much of it somebody left out."""
    return Design(text, split_footer(text))


def short_hash(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def design_hash(before: str, after: str = "") -> str:
    """The hash by which an edit is noticed: all but the footer, with LF and without blank lines at the end."""
    return short_hash((before + after).replace("\r\n", "\n").rstrip() + "\n")


def _accepted_hashes(footed: Footed) -> set[str]:
    """Ours, and the forms that other writers of this format use."""
    text = (footed.before + footed.after).replace("\r\n", "\n")
    return {
        design_hash(footed.before, footed.after),
        *(short_hash(form) for form in (text, text.rstrip(), text.rstrip("\n"))),
    }


def new_design(source: str, description: str, parts: Parts) -> str:
    """The text of a first design file, without its footer."""
    text = f"---\ndescription: {yaml_text(description)}\nupdated_by: archivist\n---\n\n# {source}\n\n"
    sections = {**_bodies(parts), DEPENDENTS: _pointer(source)}
    return text + "".join(f"## {name}\n\n{sections[name]}\n\n" for name in ORDER if sections.get(name))


def with_parts(before: str, source: str, parts: Parts) -> str:
    """A design file's text, without its footer, with the program's sections renewed and all else as it was."""
    text = before
    for heading, body in _bodies(parts).items():
        later = ORDER[ORDER.index(heading) + 1 :]
        text = replace_section(text, heading, body, before=later) if body else remove_section(text, heading)
    if not section_body(text, DEPENDENTS):
        text = replace_section(text, DEPENDENTS, _pointer(source), before=ORDER[ORDER.index(DEPENDENTS) + 1 :])
    return text


def _bodies(parts: Parts) -> dict[str, str]:
    return {
        INTERFACE: parts.interface.strip("\n"),
        DEPENDENCIES: "\n".join(f"- {path}" for path in parts.dependencies) or NONE,
        TESTS: "\n".join(f"- {path}" for path in parts.tests),
    }


def _pointer(source: str) -> str:
    return f"`lexi lookup {source}` lists the files that import this one."


def with_description(before: str, description: str) -> str:
    """A design file's text with another description."""
    return set_field(before, "description", description)


def with_missing_sections(before: str, sections: dict[str, str]) -> str:
    """A design file's text with some sections, where it has none of that name and there is something to put there."""
    there = {section.heading for section in split_sections(before)}
    for heading, body in sections.items():
        if body and heading not in there:
            before = replace_section(before, heading, body, before=ORDER[ORDER.index(heading) + 1 :])
    return before


def with_updated_footer(before: str, meta: dict[str, str], after: str = "") -> str:
    """The whole file: text and footer, whose `design_hash` is that of the text."""
    meta = {**meta, "design_hash": design_hash(before, after)}
    lines = "".join(f"{key}: {meta[key]}\n" for key in META if meta.get(key))
    others = "".join(f"{key}: {value}\n" for key, value in meta.items() if key not in META)
    return with_footer(before, f"<!-- lexibrarian:meta\n{lines}{others}-->", after)


def replace_text_keep_footer(text: str, before: str) -> str:
    """A design file with other text before its footer. What the program changes is no edit; what was one stays one."""
    design = read_design(text)
    rest = text[len(design.footed.before) :]
    if design.has_footer and not design.edited:
        rest = rest.replace(design.meta.get("design_hash", ""), design_hash(before, design.footed.after), 1)
    return before + rest
