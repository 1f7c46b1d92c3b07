"""Everything that checks look at, read once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

from lexibrarian.artefacts.aindex import Index, read_index
from lexibrarian.artefacts.concept import Concept
from lexibrarian.artefacts.design import Design, read_design
from lexibrarian.artefacts.post import Post
from lexibrarian.concepts import all_concepts
from lexibrarian.config import Config
from lexibrarian.crawl import Crawl, crawl
from lexibrarian.links import Resolver
from lexibrarian.project import LIBRARY, Project
from lexibrarian.stack import all_posts
from lexibrarian.store import read_text


@dataclass(frozen=True)
class Snapshot:
    """A library as it was read; keys of `designs` are sources, those of `indexes` directories."""

    project: Project
    config: Config
    designs: dict[str, Design]
    indexes: dict[str, Index]
    concepts: list[Concept]
    posts: list[Post]

    @cached_property
    def crawl(self) -> Crawl:
        """What is in view."""
        return crawl(self.project, self.config)

    @cached_property
    def resolver(self) -> Resolver:
        """Resolves the links of this library."""
        return Resolver(self.concepts, [post.id for post in self.posts])

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts in which links count, by the path of their file."""
        found = {self.design_path(source): design.body for source, design in self.designs.items()}
        found |= {self.index_path(directory): index.footed.before for directory, index in self.indexes.items()}
        found |= {self.concept_path(concept): concept.text for concept in self.concepts}
        found |= {self.post_path(post): post.text for post in self.posts}
        start = read_text(self.project.library / "START_HERE.md")
        return found | ({f"{LIBRARY}/START_HERE.md": start} if start else {})

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory of the project at a path."""
        return bool(path) and (self.project.root / path).exists()

    def design_path(self, source: str) -> str:
        """The path of a design file."""
        return f"{LIBRARY}/{source}.md"

    def index_path(self, directory: str) -> str:
        """The path of an index."""
        return f"{LIBRARY}/{directory}/.aindex" if directory else f"{LIBRARY}/.aindex"

    def concept_path(self, concept: Concept) -> str:
        """The path of a concept."""
        return f"{LIBRARY}/concepts/{concept.name}.md"

    def post_path(self, post: Post) -> str:
        """The path of a post."""
        return f"{LIBRARY}/stack/{post.name}.md"


def take_snapshot(project: Project, config: Config) -> Snapshot:
    """Read the whole library."""
    designs, indexes = {}, {}
    for place, _, names in os.walk(project.library):
        where = os.path.relpath(place, project.library).replace(os.sep, "/")
        prefix = "" if where == "." else f"{where}/"
        for name in sorted(names):
            text = read_text(project.library / f"{prefix}{name}") if name == ".aindex" or name.endswith(".md") else None
            if text is None:
                continue
            if name == ".aindex":
                indexes[prefix.rstrip("/")] = read_index(text)
                continue
            source = f"{prefix}{name[: -len('.md')]}"
            design = read_design(text)
            if _is_design(project, source, design):
                designs[source] = design
    return Snapshot(project, config, designs, indexes, all_concepts(project), all_posts(project))


def _is_design(project: Project, source: str, design: Design) -> bool:
    """A footer names a source; or, outside of `concepts/` and `stack/`, there is a source of that name."""
    if "source" in design.meta:
        return True
    return not source.startswith(("concepts/", "stack/")) and (project.root / source).is_file()
