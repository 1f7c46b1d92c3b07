"""Checks of posts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lexibrarian.artefacts.post import Post
from lexibrarian.checks.snapshot import Snapshot
from lexibrarian.stack import interface_of


def duplicate_ids(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Posts that share a number, as merges of two branches make them."""
    by_id: dict[str, list[Post]] = defaultdict(list)
    for post in snapshot.posts:
        by_id[post.id].append(post)
    for post_id, posts in by_id.items():
        for post in posts if len(posts) > 1 else ():
            others = ", ".join(other.name for other in posts if other is not post)
            yield snapshot.post_path(post), f"{post_id} is also the number of {others}."


def evidence(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Posts that show nothing."""
    for post in snapshot.posts:
        lines = [line for line in post.evidence.splitlines() if not line.strip().startswith(("<!--", "---"))]
        if not "".join(lines).strip():
            yield snapshot.post_path(post), "The post has no evidence: an error, a failing test, or what was seen."


def staleness(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Posts about files whose interface has changed since; those that are closed otherwise are left alone."""
    for post in snapshot.posts:
        if post.status in ("outdated", "duplicate"):
            continue
        changed = [path for path, hash_ in post.hashes.items() if interface_of(snapshot.project, path) != hash_]
        if changed:
            yield snapshot.post_path(post), f"Possibly outdated: {', '.join(changed)} changed since."
