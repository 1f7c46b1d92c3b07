"""The pipeline that brings the library up to its sources; hook, sweep, CI and people all come in here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lexibrarian import orphans, start_here
from lexibrarian.archivist.plain import describe
from lexibrarian.artefacts.design import (
    NONE,
    Design,
    Parts,
    new_design,
    read_design,
    sealed,
    short_hash,
    with_description,
    with_parts,
)
from lexibrarian.changes import WRITTEN, Level, level_of
from lexibrarian.config import Config
from lexibrarian.crawl import Crawl, Directory, crawl
from lexibrarian.directories import index_all, index_directory, now
from lexibrarian.ignoring import Pattern, read_pattern
from lexibrarian.index import Known, read_index, write_index
from lexibrarian.languages import dependencies_of, outline_of
from lexibrarian.languages.outline import Outline
from lexibrarian.languages.tree import ProjectFiles
from lexibrarian.log import logger
from lexibrarian.matching_tests import match_tests
from lexibrarian.project import Project, parent_of, within
from lexibrarian.sources import Source, read_source
from lexibrarian.store import read_text, upkeep_lock, write_text
from lexibrarian.tokens import count_tokens
from lexibrarian.version import GENERATOR


@dataclass
class Report:
    """What an update did, or with `dry_run` would do; paths are those of the sources."""

    dry_run: bool = False
    levels: dict[str, Level] = field(default_factory=dict)
    listed_only: dict[str, str] = field(default_factory=dict)
    relinked: list[str] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)
    over_budget: dict[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> Counter[str]:
        """How many sources there are on each level."""
        return Counter(level.value for level in self.levels.values())


def update(
    project: Project,
    config: Config,
    *,
    below: str | None = None,
    files: Iterable[str] | None = None,
    dry_run: bool = False,
    prune: bool = False,
    clock: Callable[[], str] = now,
) -> Report:
    """Update everything, or what lies `below` a directory, or some `files`, deleted ones included.

    With `prune`, edited design files go too when their source is gone.
    """
    run = _Run(project, config, clock, Report(dry_run), prune)
    with upkeep_lock(project):
        if files is not None:
            run.some(sorted(set(files)))
        else:
            run.tree(below or "")
    return run.report


@dataclass
class _Run:
    project: Project
    config: Config
    clock: Callable[[], str]
    report: Report
    prune: bool = False
    known: dict[str, Known] = field(default_factory=dict)
    learned: dict[str, Known] = field(default_factory=dict)
    paths: ProjectFiles = field(init=False)
    tests: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rules: list[tuple[Pattern, str]] = field(init=False)

    def __post_init__(self) -> None:
        pairs = ((read_pattern(rule.pattern), rule.strategy) for rule in self.config.mapping.strategies)
        self.rules = [(pattern, strategy) for pattern, strategy in pairs if pattern]

    # What is looked at

    def tree(self, below: str) -> None:
        """All sources below a directory."""
        everything = crawl(self.project, self.config)
        self._know(set(everything.files()))
        sources = [path for path in everything.sources() if within(path, below)]
        self._move_and_remove(set(everything.sources()), sources, below)
        for path in sources:
            self._one(path)
        if self.report.dry_run:
            return
        chosen = {path: each for path, each in everything.directories.items() if within(path, below)}
        self.report.indexes = index_all(self.project, self.config, Crawl(chosen, everything.scopes))
        self._index_above(below)
        orphans.remove_empty_indexes(self.project, everything, below)
        if not below:
            start_here.refresh(self.project, self.config, everything)
        self._learn({path for path in self.known if within(path, below)} - set(sources))

    def some(self, files: list[str]) -> None:
        """The given files; of the rest of the project, what the index remembers."""
        here = {
            path: each for directory in {parent_of(path) for path in files} for path, each in self._shallow(directory)
        }
        seen = {path for each in here.values() for path in map(each.join, each.files) if path not in each.links}
        known = read_index(self.project)
        paths = (set(known) or set(crawl(self.project, self.config).files())) - set(files) | (seen & set(files))
        self._know(paths, known)
        sources = [path for path in files if path in seen and any(within(path, scope) for scope in self.config.scopes)]
        gone = [path for path in files if path not in sources]
        self._move_and_remove(set(sources), sources, "", only=set(gone))
        for path in sources:
            self._one(path)
        if self.report.dry_run:
            return
        for directory in sorted({parent_of(path) for path in files}, key=lambda each: (-each.count("/"), each)):
            if directory in here:
                self._index(directory)
            self._index_above(directory)
        self._learn(gone)

    def _shallow(self, directory: str) -> list[tuple[str, Directory]]:
        return list(crawl(self.project, self.config, below=directory, deep=False).directories.items())

    def _know(self, paths: set[str], known: dict[str, Known] | None = None) -> None:
        self.known = read_index(self.project) if known is None else known
        self.paths = ProjectFiles(paths, self.project.root)
        self.tests = match_tests(paths)

    # One source

    def _one(self, path: str) -> None:
        strategy = self._strategy(path)
        if strategy in ("skipped", "reference"):
            self.report.listed_only[path] = strategy
            return
        source = read_source(self.project, self.config, path)
        if isinstance(source, str):
            self.report.listed_only[path] = source
            return
        text = read_text(self.project.design_path(path))
        design = read_design(text) if text is not None else None
        if design and self._belongs_to_another(path, design):
            self.report.listed_only[path] = "its place in the library is taken"
            return
        outlines: list[Outline | None] = []

        def outline() -> Outline | None:
            if not outlines:
                outlines.append(outline_of(path, source.text))
            return outlines[0]

        level = level_of(source, design, lambda: each.interface_hash if (each := outline()) else "")
        self.report.levels[path] = level
        if level is Level.CONFLICT:
            logger.warning("skipped %s: it holds conflict markers", path)
            return
        self._imports(source, outline)
        if level is Level.UNCHANGED:
            self._relink(source, design)
        elif not self.report.dry_run:
            logger.info("%s: %s", level.value, path)
            self._write(source, outline(), design, level, abridged=strategy == "abridged")

    def _strategy(self, path: str) -> str:
        for pattern, strategy in reversed(self.rules):
            parts = path.split("/")
            if any(pattern.matches("/".join(parts[:n]), directory=n < len(parts)) for n in range(1, len(parts) + 1)):
                return strategy
        return "full"

    def _belongs_to_another(self, path: str, design: Design) -> bool:
        """A concept or a post may lie where the design file of a source in `concepts/` or `stack/` would."""
        fields = design.front_matter()
        return not design.has_footer and path.startswith(("concepts/", "stack/")) and "title" in fields

    def _imports(self, source: Source, outline: Callable[[], Outline | None]) -> None:
        known = self.known.get(source.path)
        if known is not None and known.hash == source.hash:
            imports = known.imports
        else:
            read = outline()
            imports = read.imports if read else ()
        found = dependencies_of(source.path, imports, self.paths)
        self.learned[source.path] = Known(source.hash, imports, found)

    def _relink(self, source: Source, design: Design | None) -> None:
        """The source is as it was, but what it imports, or what tests it, may have come or gone."""
        assert design is not None
        dependencies, tests = self.learned[source.path].dependencies, self.tests.get(source.path, ())
        listed = (design.items("Dependencies"), design.items("Tests"))
        if listed == (list(dependencies), list(tests)) or design.edited:
            return
        self.report.relinked.append(source.path)
        if not self.report.dry_run:
            parts = Parts(design.section("Interface Contract") or NONE, dependencies, tests)
            before = with_parts(design.footed.before, source.path, parts)
            self._seal(source.path, before, design.meta, design.footed.after)

    def _write(
        self, source: Source, outline: Outline | None, design: Design | None, level: Level, *, abridged: bool
    ) -> None:
        interface = outline.interface_hash if outline else ""
        meta = {
            **(design.meta if design else {}),
            "source": source.path,
            "source_hash": source.hash,
            "interface_hash": interface,
        }
        if design and level not in WRITTEN:
            self._seal(source.path, design.footed.before, meta, design.footed.after)
            return
        parts = self._parts(source.path, outline, abridged=abridged)
        description = describe(source.path, source.text, outline)
        if design is None:
            meta["description_hash"] = short_hash(description)
            self._seal(source.path, new_design(source.path, description, parts), meta)
            return
        before = with_parts(design.footed.before, source.path, parts)
        if not (design.by_agent or design.description_edited):
            before = with_description(before, description)
            meta["description_hash"] = short_hash(description)
        self._seal(source.path, before, meta, design.footed.after)

    def _parts(self, path: str, outline: Outline | None, *, abridged: bool) -> Parts:
        signatures = list(outline.signatures) if outline else []
        if abridged:
            signatures = [signature.partition("\n    ")[0].rstrip(":") for signature in signatures]
        interface = "\n".join(signatures)
        fence = max(re.findall(r"`{3,}", interface), key=len, default="``") + "`"
        body = f"{fence}{outline.fence}\n{interface}\n{fence}" if outline and interface else NONE
        return Parts(body, self.learned[path].dependencies, self.tests.get(path, ()))

    def _seal(self, path: str, before: str, meta: dict[str, str], after: str = "") -> None:
        text = sealed(before, {**meta, "generated": self.clock(), "generator": GENERATOR}, after)
        write_text(self.project.design_path(path), text)
        budgets = self.config.token_budgets
        limit = budgets.abridged_tokens if self._strategy(path) == "abridged" else budgets.design_file_tokens
        size = count_tokens(before)
        if size > limit:
            self.report.over_budget[path] = size

    # Around the sources

    def _move_and_remove(self, present: set[str], sources: list[str], below: str, only: set[str] | None = None) -> None:
        documented = {path for path in present if self._strategy(path) not in ("skipped", "reference")}
        lost = orphans.find(self.project, documented, below, only)
        if not lost:
            return
        fresh = {
            source.hash: path
            for path in sources
            if path in documented and not self.project.design_path(path).exists()
            if not isinstance(source := read_source(self.project, self.config, path), str)
        }
        for orphan in lost:
            target = fresh.pop(orphan.design.meta.get("source_hash", ""), None)
            if target:
                self.report.moved[orphan.source] = target
            elif orphan.design.edited and not self.prune:
                self.report.kept.append(orphan.source)
            else:
                self.report.removed.append(orphan.source)
            if not self.report.dry_run:
                orphans.settle(self.project, orphan, target, prune=self.prune)

    def _index(self, directory: str) -> bool:
        found = dict(self._shallow(directory)).get(directory)
        new, changed = index_directory(self.project, self.config, found) if found else (False, False)
        if changed:
            self.report.indexes.append(directory)
        return new or found is None

    def _index_above(self, directory: str) -> None:
        """A directory that came, went or was described anew is a row of the one above it."""
        while directory:
            directory = parent_of(directory)
            if not self._index(directory):
                return

    def _learn(self, gone: Iterable[str]) -> None:
        changed = {path: known for path, known in self.learned.items() if self.known.get(path) != known}
        forgotten = [path for path in gone if path in self.known]
        if changed or forgotten:
            write_index(self.project, changed, forgotten)
