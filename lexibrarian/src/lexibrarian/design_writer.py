"""Writes one design file: what the program owns in it, what the source or a model says, and the footer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from lexibrarian.archivist.chat import Archivist, ArchivistFailed, Suggestion
from lexibrarian.archivist.plain import describe
from lexibrarian.archivist.redact import redact
from lexibrarian.artefacts.conflicts import resolve_generated_conflicts
from lexibrarian.artefacts.design import (
    DEPENDENCIES,
    GENERATED_SECTIONS,
    INTERFACE,
    NONE,
    TESTS,
    Design,
    Parts,
    new_design,
    short_hash,
    with_description,
    with_missing_sections,
    with_parts,
    with_updated_footer,
)
from lexibrarian.artefacts.design_summary import summary_of
from lexibrarian.changes import WRITTEN, ChangeLevel
from lexibrarian.config import Config
from lexibrarian.file_cache import FileCache
from lexibrarian.languages.outline import Outline
from lexibrarian.log import logger
from lexibrarian.project import Project
from lexibrarian.report import Report
from lexibrarian.sources import Source
from lexibrarian.store import read_text, write_text
from lexibrarian.version import GENERATOR

_FENCES = re.compile(r"`{3,}")


class Links(NamedTuple):
    """The project files that a source imports, and those that test it; both sorted."""

    dependencies: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True)
class DesignWriter:
    """Writes the design files of one update, and says in its report what became of them."""

    project: Project
    config: Config
    clock: Callable[[], str]
    report: Report
    archivist: Archivist | None
    file_cache: FileCache

    def relink(self, source: Source, design: Design, links: Links, state: str, *, abridged: bool) -> None:
        """Renew what a source imports, and what tests it; the source itself is as it was.

        `state` is that of the design file from before it was read.
        """
        listed = (design.items(DEPENDENCIES), design.items(TESTS))
        if listed == (list(links.dependencies), list(links.tests)) or design.edited:
            self.file_cache.agreed(source.path, design, state)
            return
        self.report.relinked.append(source.path)
        if not self.report.dry_run:
            parts = Parts(design.section(INTERFACE) or NONE, *links)
            before = with_parts(design.footed.before, source.path, parts)
            self._seal(source.path, before, design.meta, design.footed.after, abridged=abridged)

    def write(
        self,
        source: Source,
        outline: Outline | None,
        design: Design | None,
        level: ChangeLevel,
        links: Links,
        *,
        abridged: bool,
    ) -> None:
        """Write the design file of a source that changed, or of a new one; a model is asked where there is one."""
        interface = outline.interface_hash if outline else ""
        meta = {
            **(design.meta if design else {}),
            "source": source.path,
            "source_hash": source.hash,
            "interface_hash": interface,
        }
        if design and level not in WRITTEN:
            self._seal(source.path, design.footed.before, meta, design.footed.after, abridged=abridged)
            return
        said = self._said(source, outline, design, level)
        if said is None:
            return
        parts = _parts(outline, links, abridged=abridged)
        if design is None:
            meta["description_hash"] = short_hash(said.description)
            before = with_missing_sections(new_design(source.path, said.description, parts), said.sections)
            self._seal(source.path, before, meta, abridged=abridged, new=(said.description, links))
            return
        before = with_parts(design.footed.before, source.path, parts)
        if not design.keeps_description:
            before = with_description(before, said.description)
            meta["description_hash"] = short_hash(said.description)
        if level is not ChangeLevel.CONTENT_ONLY:
            before = with_missing_sections(before, said.sections)
        self._seal(source.path, before, meta, design.footed.after, abridged=abridged)

    def _said(
        self, source: Source, outline: Outline | None, design: Design | None, level: ChangeLevel
    ) -> Suggestion | None:
        """What there is to say about a source; `None`, and nothing may be written, where no model's answer came, or
        where somebody edited the design file meanwhile."""
        plain = Suggestion(describe(source.path, source.text, outline))
        light = level is ChangeLevel.CONTENT_ONLY
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
        now = read_text(self.project.design_path(source.path))
        if (resolve_generated_conflicts(now, GENERATED_SECTIONS) if now is not None else None) != (
            design.text if design else None
        ):
            logger.warning("discarded what the model said of %s: its design file was edited meanwhile", source.path)
            self.report.discarded.append(source.path)
            return None
        return said

    def _seal(
        self,
        path: str,
        before: str,
        meta: dict[str, str],
        after: str = "",
        *,
        abridged: bool,
        new: tuple[str, Links] | None = None,
    ) -> None:
        """Write text and footer; of a `new` file, what its text says need not be read out of it."""
        meta = {**meta, "generated": self.clock(), "generator": GENERATOR}
        text = with_updated_footer(before, meta, after)
        write_text(self.project.design_file(path), text)
        known = summary_of(meta, before, new[0], list(new[1].dependencies), list(new[1].tests)) if new else None
        self.file_cache.wrote(path, text, known)
        budgets = self.config.token_budgets
        limit = budgets.abridged_tokens if abridged else budgets.design_file_tokens
        summary = self.file_cache.summary(path)
        if summary and summary.tokens > limit:
            self.report.over_budget[path] = summary.tokens


def _parts(outline: Outline | None, links: Links, *, abridged: bool) -> Parts:
    signatures = list(outline.signatures) if outline else []
    if abridged:
        signatures = [signature.partition("\n    ")[0].rstrip(":") for signature in signatures]
    interface = redact("\n".join(signatures))
    fence = max(_FENCES.findall(interface), key=len, default="``") + "`"
    body = f"{fence}{outline.fence}\n{interface}\n{fence}" if outline and interface else NONE
    return Parts(body, *links)
