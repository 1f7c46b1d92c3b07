"""Checks of wikilinks."""

from __future__ import annotations

from collections.abc import Iterator

from lexibrarian.checks.snapshot import Snapshot


def check_links(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Links that stand for nothing, or for several concepts; and concepts that posts name."""
    for path, links in snapshot.links.items():
        yield from _broken(snapshot, path, links)
    for post in snapshot.posts:
        yield from _broken(snapshot, snapshot.post_path(post), post.refs("concepts"))


def _broken(snapshot: Snapshot, path: str, links: list[str]) -> Iterator[tuple[str, str]]:
    for link in links:
        found = snapshot.resolver.resolve(link)
        if found.ambiguous:
            yield path, f"[[{link}]] stands for several concepts: {', '.join(found.ambiguous)}."
        elif not found.found:
            yield (
                path,
                f"[[{link}]] matches no concept or post.{f' Did you mean [[{found.meant}]]?' if found.meant else ''}",
            )


def orphans(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Concepts that nothing else links to; deprecated ones may be left alone."""
    linked = set()
    for path, links in snapshot.links.items():
        names = links if not path.endswith("START_HERE.md") else []
        found = [snapshot.resolver.resolve(name).concept for name in names]
        linked |= {concept.name for concept in found if concept and snapshot.concept_path(concept) != path}
    for post in snapshot.posts:
        found = [snapshot.resolver.resolve(name).concept for name in post.refs("concepts")]
        linked |= {concept.name for concept in found if concept}
    for concept in snapshot.concepts:
        if concept.name not in linked and concept.status != "deprecated":
            yield snapshot.concept_path(concept), "Nothing links to this concept."


def deprecated(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Links to concepts that do not hold any more."""
    for path, links in snapshot.links.items():
        for link in links:
            concept = snapshot.resolver.resolve(link).concept
            if concept and concept.status == "deprecated" and snapshot.concept_path(concept) != path:
                instead = f"; use [[{concept.superseded_by}]]" if concept.superseded_by else ""
                yield path, f"[[{link}]] is deprecated{instead}."
