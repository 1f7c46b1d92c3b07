"""`lexi concepts`, `lexi concept new` and `lexi concept link`."""

from __future__ import annotations

import click

from lexibrarian.cli.output import Output, command
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project, find_root


def add_concepts(lexi: click.Group) -> None:
    """Add the commands to the group."""
    command(lexi, "concepts")(concepts)
    group = click.Group("concept", help="Make a concept, or link a file to one.")
    lexi.add_command(group)
    command(group, "new", writes=True)(new)
    command(group, "link", writes=True)(link)


@click.argument("topic", required=False)
@click.option("--tag", help="Only those with this tag.")
@click.option("--status", type=click.Choice(["active", "deprecated", "draft"]), help="Only those with this status.")
@click.option("--all", "everything", is_flag=True, help="Also those that are deprecated.")
def concepts(topic: str | None, tag: str | None, status: str | None, everything: bool) -> Output:
    """List the concepts, or those whose name, alias or tag matches TOPIC."""
    from lexibrarian.concepts import all_concepts, matches
    from lexibrarian.search import concept_data, concept_line

    found = [
        concept
        for concept in all_concepts(find_root())
        if (everything or status or concept.status != "deprecated")
        and (not topic or matches(concept, topic))
        and (not tag or tag.lower() in concept.tags)
        and (not status or concept.status == status)
    ]
    narrowed = [f"{each}" for each in (topic, tag, status) if each]
    nothing = f"No concepts matching {', '.join(narrowed)}." if narrowed else "No concepts found."
    hint = "`lexi concept new <name>` makes one."
    text = "\n".join(map(concept_line, found)) or f"{nothing} {hint}"
    return Output(text, {"concepts": [concept_data(concept) for concept in found]})


@click.argument("name")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--alias", "aliases", multiple=True, help="Another name; may be repeated.")
def new(name: str, tags: tuple[str, ...], aliases: tuple[str, ...]) -> Output:
    """Write the first draft of a concept."""
    from lexibrarian.concepts import create_concept

    file = create_concept(find_root(), name, tags=list(tags), aliases=list(aliases))
    path = f".lexibrary/concepts/{file}.md"
    return Output(
        f"Created {path}. Write its summary and rules, then set `status: active`.", {"path": path, "name": file}
    )


@click.argument("first", metavar="CONCEPT")
@click.argument("second", metavar="FILE")
def link(first: str, second: str) -> Output:
    """Link the design file of FILE to CONCEPT; the two may come in either order."""
    from lexibrarian.concepts import all_concepts, link_concept
    from lexibrarian.links import Resolver

    project = find_root()
    name, file = (second, first) if _is_file(project, first) else (first, second)
    if not _is_file(project, file):
        raise LibraryError(f"Source file not found: {file}.", code="not_found", hint="Name a file of the project.")
    found = Resolver(all_concepts(project), []).resolve(name)
    if found.concept is None:
        meant = f" Did you mean {found.meant}?" if found.meant else ""
        raise LibraryError(
            f"Concept not found: {name}.{meant}",
            code="not_found",
            hint="`lexi concepts` lists all; `lexi concept new` makes one.",
        )
    source = project.relative(file)
    linked = link_concept(project, source, found.concept)
    text = f"{'Linked' if linked else 'Already linked'}: {source} → [[{found.concept.name}]]"
    return Output(text, {"source": source, "concept": found.concept.name, "linked": linked})


def _is_file(project: Project, path: str) -> bool:
    try:
        return (project.root / project.relative(path)).is_file()
    except LibraryError:
        return False
