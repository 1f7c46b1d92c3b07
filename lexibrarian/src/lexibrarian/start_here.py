"""START_HERE.md: what an agent reads first. Written after full updates, unless somebody wrote in it."""

from __future__ import annotations

from lexibrarian.artefacts.aindex import read_index
from lexibrarian.artefacts.concept import Concept
from lexibrarian.artefacts.conflicts import sides_of
from lexibrarian.artefacts.design import design_hash
from lexibrarian.artefacts.markdown import split_footer, with_footer
from lexibrarian.concepts import all_concepts
from lexibrarian.config import Config
from lexibrarian.crawl import Crawl
from lexibrarian.project import LIBRARY, Project
from lexibrarian.safe_text import on_one_line
from lexibrarian.store import read_text, write_text
from lexibrarian.tokens import count_tokens
from lexibrarian.version import GENERATOR

START_HERE = "START_HERE.md"
_MOST_TERMS = 8
_CONVENTIONS_BYTES = 1000
_PROTOCOL = """1. Before you enter a directory, read its `.lexibrary/<directory>/.aindex`. A `.iwh`: read, act, delete.
2. Before you edit a file, run `lexi lookup <file>`. Afterwards update its design file; set `updated_by: agent`.
3. Before a decision, run `lexi concepts <topic>`. Follow `[[Name]]` to `.lexibrary/concepts/Name.md`.
4. Before you debug, run `lexi stack search "<error>"`."""


def is_edited(project: Project) -> bool:
    """Whether somebody wrote in the file, or wrote it."""
    text = read_text(project.library / START_HERE)
    if not text or not text.strip():
        return False
    # Where two branches met, either side may be as the program left it.
    for side in sides_of(text):
        footed = split_footer(side)
        if (footed.meta or {}).get("design_hash") == design_hash(footed.before, footed.after):
            return False
    return True


def refresh(project: Project, config: Config, found: Crawl) -> bool:
    """Write the file anew where it is missing, or as the program left it; returns whether it changed."""
    path = project.library / START_HERE
    if is_edited(project):
        return False
    text = _text(project, config, found)
    if text.rstrip() == split_footer(read_text(path) or "").before.rstrip():
        return False
    footer = f"<!-- lexibrarian:meta\ndesign_hash: {design_hash(text)}\ngenerator: {GENERATOR}\n-->"
    return write_text(path, with_footer(text, footer))


def _text(project: Project, config: Config, found: Crawl) -> str:
    """As many directories as the budget allows."""
    concepts = [concept for concept in all_concepts(project) if concept.status == "active"]
    top = found.directories.get("")
    directories = [name for name in (top.directories if top else []) if name in found.directories]
    for most in range(len(directories), -1, -1):
        text = _written(project, config, directories, most, concepts)
        if count_tokens(text) <= config.token_budgets.start_here_tokens:
            break
    return text


def _written(project: Project, config: Config, directories: list[str], most: int, concepts: list[Concept]) -> str:
    shown = directories[:most]
    about = {name: _billboard(project, name) for name in shown}
    left = f"\n{len(directories) - most} more: see `{LIBRARY}/.aindex`." if most < len(directories) else ""
    draw = _mermaid if config.start_here.topology_format == "mermaid" else _ascii
    name = on_one_line(config.project_name or project.root.name)
    routes = [f"- {about[each].rstrip('.')} → `{LIBRARY}/{on_one_line(each)}/.aindex`" for each in shown if about[each]]
    routes += [f"- Work with {concept.title} → [[{concept.name}]]" for concept in concepts[:_MOST_TERMS]]
    sections = {
        "Project Topology": f"{draw(name, about)}{left}",
        "Project Ontology": _lines(concepts[:_MOST_TERMS]) or "No terms yet: `lexi concept new <name>` adds one.",
        "Navigation by Intent": "\n".join(routes) or f"- Anything → `{LIBRARY}/.aindex`",
        "Navigation Protocol": _PROTOCOL,
        "Convention Index": _conventions(concepts),
    }
    return f"# {name}\n\n" + "\n\n".join(f"## {heading}\n\n{body}" for heading, body in sections.items()) + "\n"


def _billboard(project: Project, directory: str) -> str:
    text = read_text(project.aindex_path(directory))
    return " ".join(read_index(text).billboard.split()) if text else ""


def _ascii(name: str, about: dict[str, str]) -> str:
    names = [f"{on_one_line(each)}/" for each in about]
    width = max(map(len, names), default=0)
    lines = [f"  {each:<{width}}  {said}".rstrip() for each, said in zip(names, about.values(), strict=True)]
    return "\n".join(["```text", f"{name}/", *lines, "```"])


def _mermaid(name: str, about: dict[str, str]) -> str:
    lines = [f'  root --> d{at}["{on_one_line(each)}/"]' for at, each in enumerate(about)]
    return "\n".join(["```mermaid", "graph TD", f'  root["{name}"]', *lines, "```"])


def _lines(concepts: list[Concept]) -> str:
    return "\n".join(f"- **{concept.title}**: {concept.summary}".rstrip(": ") for concept in concepts)


def _conventions(concepts: list[Concept]) -> str:
    """Concepts that are tagged as conventions, as many as fit into 1 KB; the others are listed by `lexi concepts`."""
    text = ""
    for concept in concepts:
        line = f"- [[{concept.name}]]: {concept.summary}\n"
        if {"convention", "decision"} & set(concept.tags) and len((text + line).encode()) <= _CONVENTIONS_BYTES:
            text += line
    return f"{text}`lexi concepts` lists all concepts."
