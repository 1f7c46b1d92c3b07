"""The pipeline that brings the library up to its sources; hook, sweep, CI and people all come in here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lexibrarian import orphans, start_here
from lexibrarian.archivist.chat import Archivist, ArchivistFailed, Suggestion, archivist_for
from lexibrarian.archivist.plain import describe
from lexibrarian.archivist.redact import redact
from lexibrarian.artefacts.conflicts import healed
from lexibrarian.artefacts.design import (
    NONE,
    OWN,
    Design,
    Parts,
    new_design,
    read_design,
    sealed,
    short_hash,
    with_description,
    with_missing_sections,
    with_parts,
)
from lexibrarian.changes import WRITTEN, Level, level_of
from lexibrarian.concepts import all_concepts
from lexibrarian.config import Config
from lexibrarian.crawl import Crawl, Directory, crawl
from lexibrarian.directories import index_all, index_directory, now
from lexibrarian.ignoring import Ignoring, Pattern, read_pattern
from lexibrarian.index import Digests, Known, reading
from lexibrarian.indexed_files import IndexedFiles, all_files
from lexibrarian.languages import dependencies_of, outline_of
from lexibrarian.languages.outline import Outline
from lexibrarian.languages.tree import ProjectFiles
from lexibrarian.log import logger
from lexibrarian.matching_tests import match_tests, stem_of, tested_name
from lexibrarian.project import Project, parent_of, within
from lexibrarian.remembered import Remembered, config_digest, remember
from lexibrarian.report import Report
from lexibrarian.sources import Source, read_source
from lexibrarian.store import read_text, upkeep_lock, write_text
from lexibrarian.version import GENERATOR


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
    archivist: Archivist | None = None
    remembered: Remembered = field(init=False)
    paths: ProjectFiles = field(init=False)
    tests: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dependencies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Whether imports and tests still stand for the files that they stood for, because no file came or went.
    same_files: bool = False
    rules: list[tuple[Pattern, str]] = field(init=False)
    ignoring: Ignoring = field(init=False)

    def __post_init__(self) -> None:
        self.ignoring = Ignoring(self.project.root, self.config.ignore.additional_patterns)
        pairs = ((read_pattern(rule.pattern), rule.strategy) for rule in self.config.mapping.strategies)
        self.rules = [(pattern, strategy) for pattern, strategy in pairs if pattern]

    # What is looked at

    def tree(self, below: str) -> None:
        """All sources below a directory."""
        everything = crawl(self.project, self.config, ignoring=self.ignoring)
        files = set(everything.files())
        self.remembered = remember(self.project, self.config)
        self.paths = ProjectFiles(files, self.project.root)
        self.tests = match_tests(files)
        digests = Digests(self._digest(files), config_digest(self.config))
        self.same_files = digests == self.remembered.digests
        sources = [path for path in everything.sources() if within(path, below)]
        self._move_and_remove(set(everything.sources()), sources, below)
        for path in sources:
            self._one(path)
        if self.report.dry_run:
            return
        chosen = {path: each for path, each in everything.directories.items() if within(path, below)}
        self.report.indexes = index_all(self.remembered, self.config, Crawl(chosen, everything.scopes))
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
        self.remembered = remember(self.project, self.config, sorted(seen | set(files)))
        with reading(self.project) as connection:
            indexed = IndexedFiles(connection, came, went, self.project.root) if connection else None
            if indexed is None or indexed.is_empty():
                everything = set(crawl(self.project, self.config, ignoring=self.ignoring).files())
                self.paths, self.tests, came, went = (
                    ProjectFiles(everything, self.project.root),
                    match_tests(everything),
                    set(),
                    set(),
                )
            else:
                stems = {stem for path in files for stem in (stem_of(path), tested_name(path)) if stem}
                self.paths, self.tests = indexed, match_tests({path for stem in stems for path in indexed.about(stem)})
                came, went = {path for path in came if not indexed.holds(path)}, set(filter(indexed.holds, went))
            self._some(files, here, seen)
        if not self.report.dry_run:
            known = self.remembered.digests
            digests = Digests("", known.of_config) if came or went else known
            self.remembered.store(set(files) - seen, came, went, digests)

    def _some(self, files: list[str], here: dict[str, Directory], seen: set[str]) -> None:
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

    def _shallow(self, directory: str) -> list[tuple[str, Directory]]:
        found = crawl(self.project, self.config, below=directory, deep=False, ignoring=self.ignoring)
        return list(found.directories.items())

    # One source

    def _one(self, path: str) -> None:
        strategy = self._strategy(path)
        if self._needs_no_look(path, strategy):
            return
        # States are older than what is read, so that a change in between is seen the next time.
        states = self.remembered.source_state(path), self.remembered.design_state(path)
        source = read_source(self.project, self.config, path)
        if isinstance(source, str):
            self.report.listed_only[path] = source
            self.remembered.learn(Known(path, source_state=states[0], listed=source))
            return
        text = read_text(self.project.design_path(path)) if states[1] else None
        whole = healed(text, OWN) if text is not None else None
        design = read_design(whole) if whole is not None else None
        if design and self._belongs_to_another(path, design):
            self.report.listed_only[path] = "its place in the library is taken"
            return
        outlines: list[Outline | None] = []

        def outline() -> Outline | None:
            if not outlines:
                outlines.append(outline_of(path, source.text))
            return outlines[0]

        level = level_of(source, design, lambda: each.interface_hash if (each := outline()) else "")
        if whole != text and level is not Level.CONFLICT:
            level = Level.INTERFACE_CHANGED if outline() else Level.CONTENT_CHANGED
        self.report.levels[path] = level
        if level is Level.CONFLICT:
            logger.warning("skipped %s: it holds conflict markers", path)
            return
        self._imports(source, outline, states[0])
        if level is Level.UNCHANGED:
            assert design is not None
            self._relink(source, design, states[1])
        elif not self.report.dry_run:
            logger.info("%s: %s", level.value, path)
            self._write(source, outline(), design, level, abridged=strategy == "abridged")

    def _needs_no_look(self, path: str, strategy: str) -> bool:
        """Report a source that is only listed by its name or as before, or that is still as it was."""
        if strategy in ("skipped", "reference"):
            self.report.listed_only[path] = strategy
        elif self.remembered.is_settled(path) and (self.same_files or self._links_are_settled(path)):
            self.report.levels[path] = Level.UNCHANGED
        elif reason := self.remembered.listed(path):
            self.report.listed_only[path] = reason
        else:
            return False
        return True

    def _links_are_settled(self, path: str) -> bool:
        """Whether what a file imports, and what tests it, is still the same."""
        known = self.remembered.known[path]
        found = dependencies_of(path, tuple(json.loads(known.imports)), self.paths)
        return known.dependencies == json.dumps(found) and known.tests == json.dumps(self.tests.get(path, ()))

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

    def _imports(self, source: Source, outline: Callable[[], Outline | None], state: str) -> None:
        known = self.remembered.known.get(source.path)
        if known is not None and known.hash == source.hash:
            imports = tuple(json.loads(known.imports))
        else:
            read = outline()
            imports = read.imports if read else ()
        found = self.dependencies[source.path] = dependencies_of(source.path, imports, self.paths)
        tests = self.tests.get(source.path, ())
        texts = (json.dumps(imports), json.dumps(found), json.dumps(tests))
        self.remembered.learn(Known(source.path, source.hash, *texts, state))

    def _relink(self, source: Source, design: Design, state: str) -> None:
        """The source is as it was, but what it imports, or what tests it, may have come or gone."""
        dependencies, tests = self.dependencies[source.path], self.tests.get(source.path, ())
        listed = (design.items("Dependencies"), design.items("Tests"))
        if listed == (list(dependencies), list(tests)) or design.edited:
            self.remembered.agreed(source.path, design, state)
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
        said = self._said(source, outline, design, level)
        if said is None:
            return
        parts = self._parts(source.path, outline, abridged=abridged)
        if design is None:
            meta["description_hash"] = short_hash(said.description)
            before = with_missing_sections(new_design(source.path, said.description, parts), said.sections)
            self._seal(source.path, before, meta)
            return
        before = with_parts(design.footed.before, source.path, parts)
        if not design.keeps_description:
            before = with_description(before, said.description)
            meta["description_hash"] = short_hash(said.description)
        if level is not Level.CONTENT_ONLY:
            before = with_missing_sections(before, said.sections)
        self._seal(source.path, before, meta, design.footed.after)

    def _said(self, source: Source, outline: Outline | None, design: Design | None, level: Level) -> Suggestion | None:
        """What there is to say about a source; `None`, and nothing may be written, where no model's answer came, or
        where somebody edited the design file meanwhile."""
        plain = Suggestion(describe(source.path, source.text, outline))
        light = level is Level.CONTENT_ONLY
        if self.archivist is None or (light and design and design.keeps_description):
            return plain
        if not self.archivist.takes(source):
            self.report.without_model.append(source.path)
            return plain
        try:
            said = self.archivist.describe(source, outline, before=design.description if light and design else "")
        except ArchivistFailed as problem:
            logger.error("no description of %s: %s", source.path, problem)
            self.report.failed[source.path] = str(problem)
            return None
        if read_text(self.project.design_path(source.path)) != (design.text if design else None):
            logger.warning("discarded what the model said of %s: its design file was edited meanwhile", source.path)
            self.report.discarded.append(source.path)
            return None
        return said

    def _parts(self, path: str, outline: Outline | None, *, abridged: bool) -> Parts:
        signatures = list(outline.signatures) if outline else []
        if abridged:
            signatures = [signature.partition("\n    ")[0].rstrip(":") for signature in signatures]
        interface = redact("\n".join(signatures))
        fence = max(re.findall(r"`{3,}", interface), key=len, default="``") + "`"
        body = f"{fence}{outline.fence}\n{interface}\n{fence}" if outline and interface else NONE
        return Parts(body, self.dependencies[path], self.tests.get(path, ()))

    def _seal(self, path: str, before: str, meta: dict[str, str], after: str = "") -> None:
        text = sealed(before, {**meta, "generated": self.clock(), "generator": GENERATOR}, after)
        write_text(self.project.design_path(path), text)
        self.remembered.wrote(path, text)
        budgets = self.config.token_budgets
        limit = budgets.abridged_tokens if self._strategy(path) == "abridged" else budgets.design_file_tokens
        summary = self.remembered.summary(path)
        if summary and summary.tokens > limit:
            self.report.over_budget[path] = summary.tokens

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
        new, changed = index_directory(self.remembered, self.config, found) if found else (False, False)
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
        known = self.remembered.known
        gone = {path for path in known if within(path, below) and path not in (sources if known[path].hash else files)}
        if below:
            self.remembered.store(gone, set(), set(), self.remembered.digests)
            return
        came, went = files, set[str]()
        if self.same_files:
            came = set()
        else:
            with reading(self.project) as connection:
                before = all_files(connection) if connection else set()
            came, went = files - before, before - files
        self.remembered.store(gone, came, went, digests)
