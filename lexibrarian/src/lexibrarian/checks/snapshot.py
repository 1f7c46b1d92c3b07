"""Everything that checks look at, read once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

from lexibrarian.artefacts.aindex import Index, read_index
from lexibrarian.artefacts.concept import Concept
from lexibrarian.artefacts.design_summary import DesignSummary
from lexibrarian.artefacts.post import Post
from lexibrarian.concepts import all_concepts
from lexibrarian.config import Config
from lexibrarian.crawl import Crawl, crawl
from lexibrarian.file_cache import FileCache, remember
from lexibrarian.links import Resolver, links_in
from lexibrarian.project import LIBRARY, Project
from lexibrarian.stack import all_posts
from lexibrarian.store import read_text


@dataclass(frozen=True)
class Snapshot:
    """A library as it was read; keys of `designs` are sources, those of `indexes` directories."""

    project: Project
    config: Config
    file_cache: FileCache
    designs: dict[str, DesignSummary]
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
    def own_texts(self) -> dict[str, str]:
        """The texts of what is no design file, by the path of their file."""
        found = {self.index_path(directory): index.footed.before for directory, index in self.indexes.items()}
        found |= {self.concept_path(concept): concept.text for concept in self.concepts}
        found |= {self.post_path(post): post.text for post in self.posts}
        return found | ({f"{LIBRARY}/START_HERE.md": self.start_here} if self.start_here else {})

    @cached_property
    def paths(self) -> list[str]:
        """The files of the library in which links count."""
        return [*map(self.design_path, self.designs), *self.own_texts]

    @cached_property
    def links(self) -> dict[str, list[str]]:
        """The links of each file that has some."""
        found = {self.design_path(source): design.links for source, design in self.designs.items()}
        found |= {path: links_in(text) for path, text in self.own_texts.items()}
        return {path: links for path, links in found.items() if links}

    @cached_property
    def start_here(self) -> str:
        """The text of the entry file, `""` where there is none."""
        return read_text(self.project.library / "START_HERE.md") or ""

    @cached_property
    def _files(self) -> set[str]:
        return set(self.crawl.files())

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory of the project at a path."""
        return bool(path) and (path in self._files or (self.project.root / path).exists())

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
    """Read the whole library; of design files that the index knows, what it knows."""
    file_cache = remember(project, config)
    designs: dict[str, DesignSummary] = {}
    indexes: dict[str, Index] = {}
    library = str(project.library)
    for place, _, names in os.walk(library):
        where = place[len(library) + 1 :].replace(os.sep, "/")
        prefix = f"{where}/" if where else ""
        for name in sorted(names):
            if name == ".aindex":
                text = read_text(project.aindex_path(where))
                indexes |= {where: read_index(text)} if text is not None else {}
            elif name.endswith(".md"):
                source = f"{prefix}{name[: -len('.md')]}"
                summary = file_cache.summary(source)
                if summary is not None and _is_design(project, source, summary):
                    designs[source] = summary
    return Snapshot(project, config, file_cache, designs, indexes, all_concepts(project), all_posts(project))


def _is_design(project: Project, source: str, design: DesignSummary) -> bool:
    """A footer names a source; or, outside of `concepts/` and `stack/`, there is a source of that name."""
    if design.has_source:
        return True
    return not source.startswith(("concepts/", "stack/")) and (project.root / source).is_file()
