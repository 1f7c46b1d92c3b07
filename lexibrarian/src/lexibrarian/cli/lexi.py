"""`lexi`: what agents ask and write while they work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lexibrarian.cli.concepts import add_concepts
from lexibrarian.cli.iwh import add_iwh
from lexibrarian.cli.output import Output, command, run
from lexibrarian.cli.stack import add_stack
from lexibrarian.config import load_config
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project, find_root
from lexibrarian.version import VERSION

if TYPE_CHECKING:
    from lexibrarian.history import History


@click.group("lexi", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="lexi")
def lexi() -> None:
    """Read and write the library of a codebase: what each file is for, what holds where, and what was solved before."""


@command(lexi, "lookup")
@click.argument("file")
@click.option("--budget", type=click.IntRange(min=1), help="The most tokens to print; what is left out is counted.")
@click.option("--history", is_flag=True, help="Also how often the file changed, and when last.")
def lookup(file: str, budget: int | None, history: bool) -> Output:
    """Print the design file of a source, with what imports it and what holds where it lies."""
    from lexibrarian.lookup import look_up

    project = find_root()
    config, warnings = load_config(project)
    source = project.relative(file)
    past = _history_of(project, source) if history else None
    said = (str(past) if past else "No commit holds this file.") if history else ""
    found = look_up(project, config, source, budget=budget or 0, history=said)
    data = {**found.as_data(), **({"history": vars(past) if past else None} if history else {})}
    return Output(found.as_text(), data, warnings=warnings)


def _history_of(project: Project, source: str) -> History | None:
    # Git is only asked for on demand.
    from lexibrarian.history import history_of

    return history_of(project, source)


@command(lexi, "index", writes=True)
@click.argument("directory", default=".")
@click.option("-r", "--recursive", is_flag=True, help="Also the directories below, the innermost first.")
def index(directory: str, recursive: bool) -> Output:
    """Write the index of a directory: what it is for, and what each entry is."""
    from lexibrarian.crawl import crawl
    from lexibrarian.directories import index_all
    from lexibrarian.file_cache import remember

    project = find_root()
    config, warnings = load_config(project)
    where = project.existing_directory(directory)
    found = crawl(project, config, below=where, deep=recursive)
    if where not in found.directories:
        raise LibraryError(
            f"{directory} is ignored or empty.", code="nothing_there", hint="See .gitignore and .lexignore."
        )
    index_all(remember(project, config, list(found.files()), keeps=False), config, found)
    wrote = project.aindex_path(where).relative_to(project.root).as_posix()
    count = len(found.directories)
    text = f"Wrote {wrote}"
    if recursive:
        text += f"\nIndexing complete: {count} {'directory' if count == 1 else 'directories'} indexed"
    return Output(text, {"path": wrote, "directories": count}, warnings=warnings)


@command(lexi, "describe", writes=True)
@click.argument("directory")
@click.argument("text")
def describe(directory: str, text: str) -> Output:
    """Say in one sentence what a directory is for."""
    from lexibrarian.directories import set_billboard

    project = find_root()
    where = project.existing_directory(directory)
    set_billboard(project, where, text)
    path = project.aindex_path(where).relative_to(project.root).as_posix()
    return Output(f"Updated {path}", {"path": path})


@command(lexi, "search")
@click.argument("words", nargs=-1, metavar="[QUERY]")
@click.option("--tag", default="", help="Only what has this tag.")
@click.option("--scope", default="", help="Only what is about files below this path.")
def search(words: tuple[str, ...], tag: str, scope: str) -> Output:
    """Search concepts, design files and posts for all words of QUERY."""
    from lexibrarian.search import search as find

    project = find_root()
    query = " ".join(words)
    if not (query.strip() or tag or scope):
        raise LibraryError("Provide a query, --tag or --scope.", code="usage", hint="Run `lexi search <words>`.")
    hits = find(project, query=query, tag=tag, scope=project.relative(scope, base=project.root) if scope else "")
    return Output(hits.as_text() or "No results found.", hits.as_data())


@command(lexi, "ask")
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@click.option("--limit", type=click.IntRange(1, 20), default=3, show_default=True, help="The most sentences to quote.")
def ask(words: tuple[str, ...], limit: int) -> Output:
    """Quote the sentences of the library and its sources that answer QUESTION, or say that there is none."""
    from lexibrarian.ask import ask as find

    project = find_root()
    config, warnings = load_config(project)
    found = find(project, config, " ".join(words), limit=limit)
    return Output(found.as_text(), found.as_data(), warnings=warnings)


add_concepts(lexi)
add_stack(lexi)
add_iwh(lexi)


@lexi.command("mcp")
def mcp() -> None:
    """Serve these commands to an MCP client, on the standard streams."""
    try:
        from lexibrarian.mcp import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "mcp":
            raise
        raise click.ClickException('This needs an extra: run `pip install "lexibrarian[mcp]"`.') from missing
    serve(lexi)


def main() -> None:
    """The entry point."""
    run(lexi)
