"""One search over concepts, design files and posts."""

from __future__ import annotations

from dataclasses import dataclass, field

from lexibrarian import orphans
from lexibrarian.artefacts.concept import Concept
from lexibrarian.artefacts.design import Design, read_design
from lexibrarian.artefacts.post import Post
from lexibrarian.concepts import all_concepts
from lexibrarian.project import Project, within
from lexibrarian.stack import all_posts, select
from lexibrarian.store import read_text


@dataclass
class Hits:
    """What was found, the best first in each group."""

    concepts: list[Concept] = field(default_factory=list)
    designs: list[tuple[str, Design]] = field(default_factory=list)
    posts: list[Post] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.concepts or self.designs or self.posts)

    def as_text(self) -> str:
        """The groups that hold something."""
        groups = {
            "Concepts": [concept_line(concept) for concept in self.concepts],
            "Design Files": [f"{source}  — {design.description}" for source, design in self.designs],
            "Stack": [post_line(post) for post in self.posts],
        }
        return "\n\n".join("\n".join([f"── {name} ──", *lines]) for name, lines in groups.items() if lines)

    def as_data(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "concepts": [concept_data(concept) for concept in self.concepts],
            "designs": [
                {"source": source, "description": design.description, "tags": design.tags}
                for source, design in self.designs
            ],
            "stack": [post_data(post) for post in self.posts],
        }


def concept_line(concept: Concept) -> str:
    """A concept in a line; what does not hold any more says so."""
    gone = f" [deprecated{f', see {concept.superseded_by}' if concept.superseded_by else ''}]"
    return f"{concept.name}{gone if concept.status == 'deprecated' else ''}  — {concept.summary or concept.title}"


def concept_data(concept: Concept) -> dict[str, object]:
    """A concept for programs."""
    return {
        "name": concept.name,
        "title": concept.title,
        "aliases": concept.aliases,
        "tags": concept.tags,
        "status": concept.status,
        "superseded_by": concept.superseded_by or None,
        "summary": concept.summary,
    }


def post_line(post: Post) -> str:
    """A post in a line: its id, status, votes and title."""
    return f"{post.id}  [{post.status}] {'▼' if post.votes < 0 else '▲'}{abs(post.votes)}  {post.title}"


def post_data(post: Post) -> dict[str, object]:
    """A post for programs."""
    return {"id": post.id, "title": post.title, "status": post.status, "votes": post.votes, "tags": post.tags}


def search(project: Project, *, query: str = "", tag: str = "", scope: str = "") -> Hits:
    """Everything that has all words of a query, a tag, and a path below `scope`; concepts have no path."""
    words, tag, scope = query.casefold().split(), tag.lower(), scope.strip("/")
    hits = Hits(posts=select(all_posts(project), query=query, tag=tag, scope=scope))
    if not scope:
        found = [each for each in all_concepts(project) if _has(words, each.text) and (not tag or tag in each.tags)]
        hits.concepts = sorted(
            found, key=lambda each: -_weight(words, f"{each.title} {each.name} {' '.join(each.aliases)}")
        )
    hits.designs = _designs(project, words, tag, scope)
    hits.posts.sort(key=lambda post: (-_weight(words, post.title), post.status == "outdated", -post.votes))
    return hits


def _designs(project: Project, words: list[str], tag: str, scope: str) -> list[tuple[str, Design]]:
    found = []
    for source in orphans.design_sources(project):
        text = read_text(project.design_path(source)) if within(source, scope) else None
        if text is None or not _has(words, text):
            continue
        design = read_design(text)
        if design.meta.get("source") == source and _has(words, design.body) and (not tag or tag in design.tags):
            found.append((source, design))
    return sorted(found, key=lambda each: (-_weight(words, f"{each[0]} {each[1].description}"), each[0]))


def _has(words: list[str], text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _weight(words: list[str], title: str) -> int:
    return sum(word in title.casefold() for word in words)
