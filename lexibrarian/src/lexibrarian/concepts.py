"""The concepts of a library: found, made, and linked to from design files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexibrarian.artefacts.concept import Concept, is_concept, new_concept, read_concept
from lexibrarian.artefacts.design import ORDER, WIKILINKS, replace_text_keep_footer
from lexibrarian.artefacts.markdown import replace_section, section_body, split_footer
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project
from lexibrarian.safe_text import in_utf_8
from lexibrarian.store import create_text, read_text, write_text

CONCEPTS = "concepts"
_LONGEST_NAME = 200
_NAME = re.compile(r"[^\w]+", re.UNICODE)


def all_concepts(project: Project) -> list[Concept]:
    """Every concept, sorted by name."""
    return list(_read(project))


def _read(project: Project) -> Iterator[Concept]:
    for path in sorted((project.library / CONCEPTS).glob("*.md")):
        text = read_text(path)
        if text is not None and is_concept(text):
            yield read_concept(path.name.removesuffix(".md"), text)


def folded(name: str) -> str:
    """A name as links compare it: blind to case, spaces, hyphens and underscores."""
    return re.sub(r"[\s_-]+", "", name).casefold()


def matches(concept: Concept, topic: str) -> bool:
    """Whether a topic is part of a concept's title, name, aliases or tags, all its words counted one by one."""
    known = " ".join([concept.title, concept.name, *concept.aliases, *concept.tags]).casefold()
    return folded(topic) in folded(known) or all(word in known for word in topic.casefold().split())


def create_concept(project: Project, title: str, *, tags: list[str], aliases: list[str]) -> str:
    """Write the first draft of a concept; returns the name of its file, in which a title's words are joined."""
    title = in_utf_8(title)
    words = [word for word in _NAME.split(title) if word]
    name = "".join(word[:1].upper() + word[1:] for word in words)
    if len(name.encode()) > _LONGEST_NAME:
        raise LibraryError("The name is too long.", code="invalid_name", hint="Use at most 200 letters.")
    if not name:
        raise LibraryError(f"{title!r} is no name for a concept.", code="invalid_name", hint="Use letters and digits.")
    taken = next((each for each in all_concepts(project) if folded(each.name) == folded(name)), None)
    path = project.library / CONCEPTS / f"{name}.md"
    tags = [re.sub(r"[\s_]+", "-", tag.strip().lower()) for tag in tags]
    if taken or not create_text(path, new_concept(_spaced(title), aliases, tags)):
        raise LibraryError(
            f"The concept {taken.name if taken else name} already exists.",
            code="already_exists",
            hint=f"Edit .lexibrary/{CONCEPTS}/{taken.name if taken else name}.md instead.",
        )
    return name


def _spaced(title: str) -> str:
    """`MoneyHandling` is written `Money Handling`."""
    if re.search(r"\s", title.strip()):
        return title.strip()
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])|[-_]+", " ", title.strip())


def link_concept(project: Project, source: str, concept: Concept) -> bool:
    """Add one line to the section Wikilinks of a source's design file; returns False where the link is there."""
    path = project.design_path(source)
    text = read_text(path)
    if text is None:
        raise LibraryError(
            f"No design file found for {source}.", code="no_design_file", hint=f"Run `lexictl update {source}` first."
        )
    footed = split_footer(text)
    body = section_body(footed.before, WIKILINKS)
    linked = {folded(name) for name in re.findall(r"\[\[([^\]|#]+)", body)}
    if linked & {folded(concept.name), folded(concept.title)}:
        return False
    items = "" if body in ("", "- (none)", "(none)") else f"{body}\n"
    before = replace_section(
        footed.before, WIKILINKS, f"{items}- [[{concept.name}]]", before=ORDER[ORDER.index(WIKILINKS) + 1 :]
    )
    return write_text(path, replace_text_keep_footer(text, before))
