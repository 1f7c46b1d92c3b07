"""The posts of a library: made, answered, voted on, found."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path

from lexibrarian.artefacts.markdown import set_field
from lexibrarian.artefacts.post import (
    Post,
    last_vote,
    new_post,
    read_post,
    with_accepted,
    with_answer,
    with_answer_field,
    with_comment,
)
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project, within
from lexibrarian.safe_text import in_utf_8
from lexibrarian.sources import hash_of
from lexibrarian.store import create_text, directory_lock, read_text, write_text

STACK = "stack"
UNNAMED = "agent"
_NUMBERED = re.compile(r"ST-(\d+)(?:-.*)?", re.IGNORECASE)
_SLUG_LENGTH = 60


def today() -> str:
    """The date in UTC, as posts hold it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%d")


def author_name() -> str:
    """Who writes: `LEXI_AUTHOR`, or else an agent without a name."""
    named = in_utf_8(os.environ.get("LEXI_AUTHOR", ""))
    return " ".join(named.replace("|", " ").replace("*", " ").split()) or UNNAMED


def all_posts(project: Project) -> list[Post]:
    """Every post, by number."""
    return sorted(_read(project), key=lambda post: (number_of(post.name), post.name))


def _read(project: Project) -> Iterator[Post]:
    for path in (project.library / STACK).glob("*.md"):
        if _NUMBERED.fullmatch(path.name.removesuffix(".md")):
            text = read_text(path)
            if text is not None:
                yield read_post(path.name.removesuffix(".md"), text)


def number_of(name: str) -> int:
    """The number in the name of a post's file; 0 where there is none."""
    match = _NUMBERED.match(name)
    return int(match[1]) if match else 0


def path_of(project: Project, post: Post) -> Path:
    """Where a post lies."""
    return project.library / STACK / f"{post.name}.md"


def find_post(project: Project, post_id: str) -> Post:
    """The post with an id; `ST-7`, `st-007` and `7` are the same."""
    digits = re.fullmatch(r"(?:\[\[)?(?:ST-)?(\d+)(?:\]\])?", post_id.strip(), re.IGNORECASE)
    wanted = int(digits[1]) if digits else -1
    found = [post for post in all_posts(project) if number_of(post.name) == wanted]
    if not found:
        raise LibraryError(f"Post not found: {post_id}.", code="not_found", hint="Run `lexi stack list`.")
    if len(found) > 1:
        names = ", ".join(post.name for post in found)
        raise LibraryError(
            f"{post_id} stands for several posts: {names}.",
            code="ambiguous",
            hint="Run `lexictl validate --fix`, which renumbers one.",
        )
    return found[0]


def create_post(
    project: Project,
    title: str,
    *,
    tags: list[str],
    files: list[str],
    concepts: list[str],
    problem: str = "",
    evidence: str = "",
    bead: str = "",
) -> Post:
    """Write a post under the next free number."""
    if not title.strip():
        raise LibraryError("A post needs a title.", code="invalid_title", hint="Say the problem in one line.")
    refs = {
        "concepts": concepts,
        "files": files,
        "designs": [f"{path}.md" for path in files if project.design_path(path).is_file()],
        "hashes": {path: hash_ for path in files if (hash_ := interface_of(project, path))},
    }
    tags = [re.sub(r"[\s_]+", "-", tag.strip().lower()) for tag in tags if tag.strip()]
    with directory_lock(project, STACK):
        number = max((number_of(post.name) for post in all_posts(project)), default=0) + 1
        post_id = f"ST-{number:03d}"
        name = f"{post_id}-{_slug(title)}".rstrip("-")
        text = new_post(
            post_id,
            in_utf_8(" ".join(title.split())),
            tags,
            created=today(),
            author=author_name(),
            bead=bead,
            refs=refs,
            problem=problem,
            evidence=evidence,
        )
        if not create_text(project.library / STACK / f"{name}.md", text):
            raise LibraryError(f"{name}.md already exists.", code="already_exists", hint="Run the command again.")
    return read_post(name, text)


def interface_of(project: Project, path: str) -> str:
    """The hash of a file's public signatures, or of its content where it is no code; `""` where it cannot be read."""
    from lexibrarian.languages import outline_of

    try:
        content = (project.root / path).read_bytes()
        outline = outline_of(path, content.decode("utf-8"))
    except (OSError, UnicodeDecodeError):
        return ""
    return outline.interface_hash if outline else hash_of(content)


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_SLUG_LENGTH].strip("-")


def _change(project: Project, post_id: str, change: Callable[[Post], str]) -> Post:
    """Read, change and write a post, one process at a time."""
    with directory_lock(project, STACK):
        post = find_post(project, post_id)
        text = change(post)
        write_text(path_of(project, post), text)
    return read_post(post.name, text)


def answer(project: Project, post_id: str, body: str) -> tuple[Post, int]:
    """Add an answer; returns the post and the answer's number."""
    if not body.strip():
        raise LibraryError(
            "An answer needs a text.", code="empty_answer", hint="Say with --body what solved the problem."
        )
    numbers: list[int] = []

    def change(post: Post) -> str:
        text, number = with_answer(post.text, body, date=today(), author=author_name())
        numbers.append(number)
        return text

    return _change(project, post_id, change), numbers[0]


def _existing_answer(post: Post, number: int) -> None:
    if number not in [each.number for each in post.answers]:
        raise LibraryError(
            f"{post.id} has no answer A{number}.",
            code="not_found",
            hint=f"Run `lexi stack view {post.id}` to see its answers.",
        )


def vote(project: Project, post_id: str, *, up: bool, number: int = 0, comment: str = "") -> tuple[Post, int]:
    """Vote on a post, or on one of its answers; returns the post and the new sum. A named author has one vote."""
    if not up and not comment.strip():
        raise LibraryError(
            "A downvote needs a reason.", code="comment_required", hint="Say with --comment what is wrong."
        )
    sums: list[int] = []

    def change(post: Post) -> str:
        if number:
            _existing_answer(post, number)
        author, value = author_name(), 1 if up else -1
        before = last_vote(post.text, author, answer=number) if author != UNNAMED else 0
        if before == value:
            raise LibraryError(
                f"{author} has voted this already.", code="already_voted", hint="Vote the other way to change it."
            )
        old = next(each.votes for each in post.answers if each.number == number) if number else post.votes
        sums.append(old + value - before)
        kind = "upvote" if up else "downvote"
        text = with_comment(post.text, comment, answer=number, date=today(), author=author, kind=kind)
        return with_answer_field(text, number, "Votes", str(sums[0])) if number else set_field(text, "votes", sums[0])

    return _change(project, post_id, change), sums[0]


def accept(project: Project, post_id: str, number: int) -> Post:
    """Accept an answer, in the place of any other, and resolve the post."""

    def change(post: Post) -> str:
        _existing_answer(post, number)
        return with_accepted(post.text, number)

    return _change(project, post_id, change)


def mark_outdated(project: Project, post_id: str) -> Post:
    """Say that a post does not hold any more."""
    return _change(project, post_id, lambda post: set_field(post.text, "status", "outdated"))


def mark_duplicate(project: Project, post_id: str, original_id: str) -> Post:
    """Say that another post is about the same."""
    original = find_post(project, original_id)

    def change(post: Post) -> str:
        if post.name == original.name:
            raise LibraryError(
                f"{post.id} is no duplicate of itself.", code="invalid_reference", hint="Name another post."
            )
        return set_field(set_field(post.text, "status", "duplicate"), "duplicate_of", original.id)

    return _change(project, post_id, change)


def select(
    posts: list[Post], *, query: str = "", tag: str = "", scope: str = "", status: str = "", concept: str = ""
) -> list[Post]:
    """The posts that match everything: all words of the query in the text, a tag, a path, a status, a concept."""
    words = query.casefold().split()
    return [
        post
        for post in posts
        if all(word in post.text.casefold() for word in words)
        and (not tag or tag.lower() in post.tags)
        and (not status or post.status == status)
        and (not scope or any(within(path, scope.strip("/")) or path.startswith(scope) for path in post.refs("files")))
        and (not concept or concept.casefold() in [each.casefold() for each in post.refs("concepts")])
    ]
