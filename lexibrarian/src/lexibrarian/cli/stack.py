"""`lexi stack`: problems that were met, and what solved them."""

from __future__ import annotations

import click

from lexibrarian.cli.output import Output, command
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project, find_root
from lexibrarian.safe_text import is_nameable

_STATUSES = click.Choice(["open", "resolved", "outdated", "duplicate"])


def add_stack(lexi: click.Group) -> None:
    """Add the commands to the group."""
    group = click.Group("stack", help="Problems that were met, and what solved them.")
    lexi.add_command(group)
    for name, function in (
        ("post", post),
        ("answer", answer),
        ("vote", vote),
        ("accept", accept),
        ("view", view),
        ("list", list_posts),
        ("search", search),
        ("mark-outdated", mark_outdated),
        ("duplicate", duplicate),
    ):
        command(group, name, writes=function not in (view, list_posts, search))(function)


@click.option("--title", required=True, help="The problem in one line.")
@click.option("--tag", "tags", multiple=True, required=True, help="A tag; may be repeated.")
@click.option("--bead", default="", help="The task it came up in.")
@click.option("--file", "files", multiple=True, help="A file it is about; may be repeated.")
@click.option("--concept", "concepts", multiple=True, help="A concept it is about; may be repeated.")
@click.option("--problem", default="", help="What happens, and what should.")
@click.option("--evidence", default="", help="The error, the failing test, or what was seen.")
def post(
    title: str,
    tags: tuple[str, ...],
    bead: str,
    files: tuple[str, ...],
    concepts: tuple[str, ...],
    problem: str,
    evidence: str,
) -> Output:
    """Record a problem."""
    from lexibrarian.stack import create_post, path_of

    project = find_root()
    paths = [_file(project, each) for each in files]
    made = create_post(
        project,
        title,
        tags=list(tags),
        files=paths,
        concepts=[_concept(project, each) for each in concepts],
        problem=problem,
        evidence=evidence,
        bead=bead,
    )
    path = path_of(project, made).relative_to(project.root).as_posix()
    missing = [what for what, said in (("Problem", problem), ("Evidence", evidence)) if not said.strip()]
    text = f"Created {path}."
    if missing:
        text += f" Still to be filled in: {' and '.join(missing)}."
    return Output(text, {"id": made.id, "path": path, "missing": missing})


def _file(project: Project, path: str) -> str:
    where = project.relative(path)
    if not (project.root / where).is_file():
        raise LibraryError(f"Source file not found: {path}.", code="not_found", hint="Name a file of the project.")
    if not is_nameable(where):
        raise LibraryError(f"No post can name {path}.", code="invalid_name", hint="Rename the file, or leave it out.")
    return where


def _concept(project: Project, name: str) -> str:
    from lexibrarian.concepts import all_concepts
    from lexibrarian.links import Resolver

    found = Resolver(all_concepts(project), []).resolve(name)
    if found.concept is None:
        raise LibraryError(f"Concept not found: {name}.", code="not_found", hint="`lexi concepts` lists all.")
    return found.concept.name


@click.argument("post_id", metavar="ID")
@click.option("--body", required=True, help="What solved the problem.")
def answer(post_id: str, body: str) -> Output:
    """Add an answer to a post."""
    from lexibrarian import stack

    found, number = stack.answer(find_root(), post_id, body)
    return Output(f"Added answer A{number} to {found.id}.", {"id": found.id, "answer": number})


@click.argument("post_id", metavar="ID")
@click.argument("direction", type=click.Choice(["up", "down"]))
@click.option("--answer", "number", type=click.IntRange(min=1), help="Vote on this answer, not on the post.")
@click.option("--comment", default="", help="The reason; a downvote needs one.")
def vote(post_id: str, direction: str, number: int | None, comment: str) -> Output:
    """Vote on a post, or on one of its answers."""
    from lexibrarian import stack

    found, votes = stack.vote(find_root(), post_id, up=direction == "up", number=number or 0, comment=comment)
    what = f"{found.id} A{number}" if number else found.id
    return Output(f"{direction}vote on {what}, votes: {votes}", {"id": found.id, "answer": number, "votes": votes})


@click.argument("post_id", metavar="ID")
@click.option("--answer", "number", type=click.IntRange(min=1), required=True, help="The answer that holds.")
def accept(post_id: str, number: int) -> Output:
    """Accept an answer, which resolves the post."""
    from lexibrarian import stack

    found = stack.accept(find_root(), post_id, number)
    return Output(
        f"Accepted A{number}: {found.id} is resolved.", {"id": found.id, "answer": number, "status": found.status}
    )


@click.argument("post_id", metavar="ID")
def view(post_id: str) -> Output:
    """Show a post with its answers."""
    from lexibrarian.search import post_data, post_line
    from lexibrarian.stack import find_post

    found = find_post(find_root(), post_id)
    about = ", ".join(found.refs("files"))
    head = [post_line(found), f"Tags: {', '.join(found.tags)}"]
    head += [f"Files: {about}"] if about else []
    head += [f"Duplicate of {found.fields['duplicate_of']}"] if found.fields.get("duplicate_of") else []
    answers = [{"number": each.number, "votes": each.votes, "accepted": each.accepted} for each in found.answers]
    data = {**post_data(found), "files": found.refs("files"), "answers": answers, "text": found.text}
    return Output("\n".join(head) + "\n\n" + found.body.strip(), data)


@click.option("--status", type=_STATUSES, help="Only those with this status.")
@click.option("--tag", default="", help="Only those with this tag.")
def list_posts(status: str | None, tag: str) -> Output:
    """List the posts."""
    return _selected(status=status or "", tag=tag)


@click.argument("words", nargs=-1, metavar="[QUERY]")
@click.option("--tag", default="", help="Only those with this tag.")
@click.option("--scope", default="", help="Only those about files below this path.")
@click.option("--status", type=_STATUSES, help="Only those with this status.")
@click.option("--concept", default="", help="Only those about this concept.")
def search(words: tuple[str, ...], tag: str, scope: str, status: str | None, concept: str) -> Output:
    """Search titles, problems and answers for all words of QUERY."""
    return _selected(query=" ".join(words), tag=tag, scope=scope, status=status or "", concept=concept)


def _selected(**criteria: str) -> Output:
    from lexibrarian.search import post_data, post_line
    from lexibrarian.stack import all_posts, select

    found = select(all_posts(find_root()), **criteria)
    return Output("\n".join(map(post_line, found)) or "No posts found.", {"posts": [post_data(each) for each in found]})


@click.argument("post_id", metavar="ID")
def mark_outdated(post_id: str) -> Output:
    """Say that a post does not hold any more."""
    from lexibrarian import stack

    found = stack.mark_outdated(find_root(), post_id)
    return Output(f"{found.id} is outdated.", {"id": found.id, "status": found.status})


@click.argument("post_id", metavar="ID")
@click.option("--of", "original", required=True, metavar="ID", help="The post about the same.")
def duplicate(post_id: str, original: str) -> Output:
    """Say that another post is about the same."""
    from lexibrarian import stack

    found = stack.mark_duplicate(find_root(), post_id, original)
    return Output(
        f"{found.id} is a duplicate of {found.fields['duplicate_of']}.", {"id": found.id, "status": found.status}
    )
