"""The pipeline that brings the library up to its sources; hook, sweep, CI and people all come in here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from logging import LogRecord
from typing import NamedTuple

from lexibrarian import orphans, start_here
from lexibrarian.archivist.chat import Archivist, archivist_for
from lexibrarian.artefacts.conflicts import resolve_generated_conflicts
from lexibrarian.artefacts.design import (
    GENERATED_SECTIONS,
    Design,
    read_design,
    short_hash,
)
from lexibrarian.changes import ChangeLevel, level_of
from lexibrarian.concepts import all_concepts
from lexibrarian.config import Config
from lexibrarian.crawl import Crawl, Directory, crawl
from lexibrarian.design_writer import DesignWriter, Links
from lexibrarian.directories import index_all, index_directory, now
from lexibrarian.file_cache import FileCache, Learned, config_digest, remember
from lexibrarian.ignoring import Ignoring, Pattern, read_pattern
from lexibrarian.index import Digests, FileRecord, as_json, reading
from lexibrarian.indexed_files import IndexedFiles, all_files
from lexibrarian.languages import dependencies_of, outline_of
from lexibrarian.languages.outline import Outline
from lexibrarian.languages.project_files import ProjectFiles
from lexibrarian.log import Events, kept_log, logger
from lexibrarian.matching_tests import match_tests, stem_of, tested_name
from lexibrarian.processes import share, usable_processors
from lexibrarian.project import Project, parent_of, within
from lexibrarian.report import Report
from lexibrarian.sources import Source, read_source
from lexibrarian.store import read_text, upkeep_lock

_EVENTS_TOGETHER = 100
# A process more costs as much as some hundred sources.
_WORTH_SHARING = 1000


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

    With `prune`, edited design files go too when their source is gone. Raises `LibraryError` before anything is
    written where a model is configured and its key is missing.
    """
    asks = config.llm.provider != "none" and not dry_run
    archivist = archivist_for(config.llm, all_concepts(project)) if asks else None
    run = _Run(project, config, clock, Report(dry_run), prune, archivist)
    with upkeep_lock(project):
        try:
            if files is not None:
                run.some(sorted(set(files)))
            else:
                run.tree(below or "")
        finally:
            run.log_events()
    return run.report


class _Part(NamedTuple):
    """What came of a part of the sources."""

    report: Report
    learned: Learned
    log: list[LogRecord]


@dataclass
class _Run:
    project: Project
    config: Config
    clock: Callable[[], str]
    report: Report
    prune: bool = False
    archivist: Archivist | None = None
    file_cache: FileCache = field(init=False)
    paths: ProjectFiles = field(init=False)
    # The files among which tests are matched with what they test.
    matched: set[str] = field(default_factory=set)
    # Whether imports and tests still stand for the files that they stood for, because no file came or went.
    same_files: bool = False
    rules: list[tuple[Pattern, str]] = field(init=False)
    events: list[str] = field(default_factory=list)
    ignoring: Ignoring = field(init=False)

    def __post_init__(self) -> None:
        self.ignoring = Ignoring(self.project.root, self.config.ignore.additional_patterns)
        pairs = ((read_pattern(rule.pattern), rule.strategy) for rule in self.config.mapping.strategies)
        self.rules = [(pattern, strategy) for pattern, strategy in pairs if pattern]

    @property
    def writer(self) -> DesignWriter:
        """What writes the design files, and says in the report what became of them."""
        return DesignWriter(self.project, self.config, self.clock, self.report, self.archivist, self.file_cache)

    @cached_property
    def tests(self) -> dict[str, tuple[str, ...]]:
        """The test files of each source; nobody asks where no file came or went, and none changed."""
        return match_tests(self.matched)

    # What is looked at

    def tree(self, below: str) -> None:
        """All sources below a directory."""
        everything = crawl(self.project, self.config, ignoring=self.ignoring)
        files = set(everything.files())
        self.file_cache = remember(self.project, self.config)
        self.paths = ProjectFiles(files, self.project.root)
        self.matched = files
        digests = Digests(self._digest(files), config_digest(self.config))
        self.same_files = digests == self.file_cache.digests
        present = everything.sources()
        sources = [path for path in present if within(path, below)]
        self._move_and_remove(set(present), sources, below)
        self._all(sources)
        if self.report.dry_run:
            return
        chosen = {path: each for path, each in everything.directories.items() if within(path, below)}
        self.report.indexes = index_all(self.file_cache, self.config, Crawl(chosen, everything.scopes))
        self._index_above(below)
        orphans.remove_empty_indexes(self.project, everything, below)
        if not below:
            start_here.refresh(self.project, self.config, everything)
        self._learn_all(files, set(sources), below, digests)

    def _digest(self, files: set[str]) -> str:
        modules = [read_text(self.project.root / path) or "" for path in self.paths.named("go.mod")]
        return short_hash("\0".join([*sorted(files), *modules, repr(self.config)]))

    def some(self, files: list[str]) -> None:
        """The given files; of the rest of the project, what the index remembers."""
        here = {
            path: each for directory in {parent_of(path) for path in files} for path, each in self._shallow(directory)
        }
        seen = {path for each in here.values() for path in map(each.join, each.files) if path not in each.links}
        came, went = seen & set(files), set(files) - seen
        self.file_cache = remember(self.project, self.config, sorted(seen | set(files)))
        with reading(self.project) as connection:
            indexed = IndexedFiles(connection, came, went, self.project.root) if connection else None
            if indexed is None or indexed.is_empty():
                everything = set(crawl(self.project, self.config, ignoring=self.ignoring).files())
                self.paths, self.matched = ProjectFiles(everything, self.project.root), everything
                came, went = set(), set()
            else:
                stems = {stem for path in files for stem in (stem_of(path), tested_name(path)) if stem}
                self.paths, self.matched = indexed, {path for stem in stems for path in indexed.about(stem)}
                came, went = {path for path in came if not indexed.holds(path)}, set(filter(indexed.holds, went))
            self._some(files, here, seen)
        if not self.report.dry_run:
            known = self.file_cache.digests
            digests = Digests("", known.of_config) if came or went else known
            self.file_cache.store(set(files) - seen, came, went, digests)

    def _some(self, files: list[str], here: dict[str, Directory], seen: set[str]) -> None:
        sources = [path for path in files if path in seen and any(within(path, scope) for scope in self.config.scopes)]
        gone = [path for path in files if path not in sources]
        self._move_and_remove(set(sources), sources, "", only=set(gone))
        self._all(sources)
        if self.report.dry_run:
            return
        for directory in sorted({parent_of(path) for path in files}, key=lambda each: (-each.count("/"), each)):
            if directory in here:
                self._index(directory)
            self._index_above(directory)

    def _shallow(self, directory: str) -> list[tuple[str, Directory]]:
        found = crawl(self.project, self.config, below=directory, deep=False, ignoring=self.ignoring)
        return list(found.directories.items())

    # Several sources

    def _all(self, paths: list[str]) -> None:
        """Look at sources; many are shared among processes, but not where a model is asked, which takes its time."""
        pending = [path for path in paths if not self._needs_no_look(path)]
        processes = usable_processors() if len(pending) >= _WORTH_SHARING else 1
        if processes == 1 or self.archivist or self.report.dry_run:
            for path in pending:
                self._one(path)
            return
        _ = self.tests  # is made once, before there are several of this process
        for part in share(pending, self._part, processes=processes):
            self.report.add(part.report)
            self.file_cache.add(part.learned)
            for record in part.log:
                logger.handle(record)

    def _part(self, paths: Iterable[str]) -> _Part:
        """What comes of some sources, in a process of their own."""
        self.file_cache.take_learned()
        self.report = Report()
        with kept_log() as log:
            for path in paths:
                self._one(path)
            self.log_events()
        return _Part(self.report, self.file_cache.take_learned(), log)

    # One source

    def _one(self, path: str) -> None:
        # States are older than what is read, so that a change in between is seen the next time.
        states = self.file_cache.source_state(path), self.file_cache.design_state(path)
        source = read_source(self.project, self.config, path)
        if isinstance(source, str):
            self.report.listed_only[path] = source
            self.file_cache.learn(FileRecord(path, source_state=states[0], listed=source))
            return
        text = read_text(self.project.design_file(path)) if states[1] else None
        whole = resolve_generated_conflicts(text, GENERATED_SECTIONS) if text is not None else None
        design = read_design(whole) if whole is not None else None
        if design and self._belongs_to_another(path, design):
            self.report.listed_only[path] = "its place in the library is taken"
            return

        @cache
        def outline() -> Outline | None:
            return outline_of(path, source.text)

        level = level_of(source, design, lambda: each.interface_hash if (each := outline()) else "")
        if whole != text and level is not ChangeLevel.CONFLICT:
            level = ChangeLevel.INTERFACE_CHANGED if outline() else ChangeLevel.CONTENT_CHANGED
        self.report.levels[path] = level
        if level is ChangeLevel.CONFLICT:
            logger.warning("skipped %s: it holds conflict markers", path)
            return
        links = self._links(source, outline, states[0])
        abridged = self._strategy(path) == "abridged"
        if level is ChangeLevel.UNCHANGED:
            assert design is not None
            self.writer.relink(source, design, links, states[1], abridged=abridged)
        elif not self.report.dry_run:
            self._note(f"{level.value}: {path}")
            self.writer.write(source, outline(), design, level, links, abridged=abridged)

    def _note(self, event: str) -> None:
        self.events.append(event)
        if self.archivist or len(self.events) == _EVENTS_TOGETHER:
            self.log_events()

    def log_events(self) -> None:
        """Log what waits to be logged."""
        if self.events:
            logger.info(Events(self.events))
            self.events.clear()

    def _needs_no_look(self, path: str) -> bool:
        """Report a source that is only listed by its name or as before, or that is still as it was."""
        if (strategy := self._strategy(path)) in ("skipped", "reference"):
            self.report.listed_only[path] = strategy
        elif self.file_cache.is_settled(path) and (self.same_files or self._links_are_settled(path)):
            self.report.levels[path] = ChangeLevel.UNCHANGED
        elif reason := self.file_cache.listed(path):
            self.report.listed_only[path] = reason
        else:
            return False
        return True

    def _links_are_settled(self, path: str) -> bool:
        """Whether what a file imports, and what tests it, is still the same."""
        known = self.file_cache.known[path]
        found = dependencies_of(path, tuple(json.loads(known.imports)), self.paths)
        return known.dependencies == as_json(found) and known.tests == as_json(self.tests.get(path, ()))

    def _strategy(self, path: str) -> str:
        parts = path.split("/") if self.rules else []
        for pattern, strategy in reversed(self.rules):
            if any(pattern.matches("/".join(parts[:n]), directory=n < len(parts)) for n in range(1, len(parts) + 1)):
                return strategy
        return "full"

    def _belongs_to_another(self, path: str, design: Design) -> bool:
        """A concept or a post may lie where the design file of a source in `concepts/` or `stack/` would."""
        fields = design.front_matter()
        return not design.has_footer and path.startswith(("concepts/", "stack/")) and "title" in fields

    def _links(self, source: Source, outline: Callable[[], Outline | None], state: str) -> Links:
        """What a source imports, and what tests it; both are remembered."""
        known = self.file_cache.known.get(source.path)
        if known is not None and known.hash == source.hash:
            imports = tuple(json.loads(known.imports))
        else:
            read = outline()
            imports = read.imports if read else ()
        links = Links(dependencies_of(source.path, imports, self.paths), self.tests.get(source.path, ()))
        texts = (as_json(imports), as_json(links.dependencies), as_json(links.tests))
        self.file_cache.learn(FileRecord(source.path, source.hash, *texts, state))
        return links

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
        new, changed = index_directory(self.file_cache, self.config, found) if found else (False, False)
        if changed:
            self.report.indexes.append(directory)
        return new or found is None

    def _index_above(self, directory: str) -> None:
        """A directory that came, went or was described anew is a row of the one above it."""
        while directory:
            directory = parent_of(directory)
            if not self._index(directory):
                return

    def _learn_all(self, files: set[str], sources: set[str], below: str, digests: Digests) -> None:
        """Store what was learned of all files below a directory."""
        known = self.file_cache.known
        gone = {path for path in known if within(path, below) and path not in (sources if known[path].hash else files)}
        if below:
            self.file_cache.store(gone, set(), set(), self.file_cache.digests)
            return
        came, went = files, set[str]()
        if self.same_files:
            came = set()
        else:
            with reading(self.project) as connection:
                before = all_files(connection) if connection else set()
            came, went = files - before, before - files
        self.file_cache.store(gone, came, went, digests)
