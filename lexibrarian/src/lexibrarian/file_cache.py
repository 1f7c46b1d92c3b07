"""What the index remembers of files, taken for true only of those that are still as they were when they were read.

A file is still the same when its size, its two times and its inode are. A file that changed in the very moment in which
it was read could show the same times: what is as young as the index itself is not remembered, as in git.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lexibrarian.artefacts.design import Design, read_design, short_hash
from lexibrarian.artefacts.design_summary import DesignSummary, from_json, summarise, to_json
from lexibrarian.config import Config
from lexibrarian.index import Digests, FileRecord, read_digests, read_index, write_index
from lexibrarian.languages import title_of
from lexibrarian.project import Project
from lexibrarian.sources import count_lines, hash_of
from lexibrarian.store import LOCKS, read_bytes, read_text


def state_of(path: str) -> str:
    """What tells that a file is still the same; `""` where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


def moment_on(directory: Path) -> int:
    """The time on the file system of a directory, in nanoseconds; its clock may be coarse."""
    os.utime(directory)
    return directory.stat().st_mtime_ns


def unchanged_state(state: str, moment: int) -> str:
    """The state of a file that was last changed before a moment, or else none."""
    if not state:
        return ""
    _, modified, changed, _ = state.split()
    return state if int(modified) < moment and int(changed) < moment else ""


class Learned(NamedTuple):
    """What was read of files, and what their design files say."""

    records: dict[str, FileRecord]
    summaries: dict[str, DesignSummary | None]


@dataclass
class FileCache:
    """What is known of the files of a project, and what was learned since; `keeps` whether that will be stored."""

    project: Project
    known: dict[str, FileRecord]
    digests: Digests
    keeps: bool = True
    learned: dict[str, FileRecord] = field(default_factory=dict)
    _summaries: dict[str, DesignSummary | None] = field(default_factory=dict)
    _same_designs: set[str] = field(default_factory=set)

    def source_state(self, path: str) -> str:
        """The state of a source."""
        return state_of(f"{self.project.location}/{path}")

    def design_state(self, path: str) -> str:
        """The state of the design file of a source."""
        return state_of(self.project.design_file(path))

    def is_settled(self, path: str) -> bool:
        """Whether a source and its design file are as they were when they agreed."""
        known = self.known.get(path)
        same = (
            known is not None
            and known.design_state != ""
            and known.source_state == self.source_state(path)
            and known.design_state == self.design_state(path)
        )
        if same:
            self._same_designs.add(path)
        return same

    def listed(self, path: str) -> str:
        """Why a file is only listed, if it is and still the same."""
        known = self.known.get(path)
        same = known is not None and known.listed and known.source_state == self.source_state(path)
        return known.listed if known is not None and same else ""

    def learn(self, known: FileRecord) -> None:
        """Take in what was read of a file; it is stored with the index."""
        self.learned[known.path] = known

    def take_learned(self) -> Learned:
        """What was learned so far, for another process to add; it is forgotten here."""
        taken = Learned(self.learned, self._summaries)
        self.learned, self._summaries = {}, {}
        return taken

    def add(self, other: Learned) -> None:
        """Take in what another process learned for the same update."""
        self.learned.update(other.records)
        self._summaries.update(other.summaries)

    def wrote(self, path: str, text: str, summary: DesignSummary | None = None) -> None:
        """Take in a design file that was just written; its summary is read where it is not known."""
        summary = summary or summarise(read_design(text))
        state = self.design_state(path)
        # Somebody may have been quicker.
        same = state.partition(" ")[0] == str(len(text.encode("utf-8", "surrogateescape")))
        self._summaries.pop(path, None)
        self._same_designs.discard(path)
        if same and path in self.learned:
            self.learned[path] = self.learned[path]._replace(design_state=state, summary=to_json(summary))
            self._summaries[path] = summary

    def agreed(self, path: str, design: Design, state: str) -> None:
        """Take in that a source and its design file agree; `state` is from before the design file was read."""
        summary = self._summaries[path] = summarise(design)
        self.learned[path] = self.learned[path]._replace(design_state=state, summary=to_json(summary))

    def summary(self, path: str) -> DesignSummary | None:
        """The summary of the design file of a source; `None` where there is none."""
        if path not in self._summaries:
            self._summaries[path] = self._read_summary(path)
        return self._summaries[path]

    def _read_summary(self, path: str) -> DesignSummary | None:
        known = self.known.get(path)
        state = known.design_state if known and path in self._same_designs else self.design_state(path)
        if not state:
            return None
        if known is not None and known.summary and known.design_state == state:
            return from_json(known.summary)
        text = read_text(self.project.design_file(path))
        return summarise(read_design(text)) if text is not None else None

    def source_hash(self, path: str) -> str:
        """The hash of a source as it is now; `""` where it cannot be read."""
        known = self.known.get(path)
        if known is not None and known.hash and known.source_state == self.source_state(path):
            return known.hash
        try:
            return hash_of(read_bytes(f"{self.project.location}/{path}"))
        except OSError:
            return ""

    def about(self, config: Config, path: str, *, designed: bool) -> str:
        """What an index says of a file: its description where it is `designed`, else why not, or how long it is."""
        summary = self.summary(path) if designed and self.project.can_mirror(path) else None
        if summary is not None and summary.description:
            return summary.description
        known = self.known.get(path)
        state = self.source_state(path) if known or self.keeps else ""
        if known is None or known.source_state != state or not (known.listed or known.lines):
            known = _looked_at(self.project, config, path, state)
            if path not in self.learned:
                self.learn(known)
        return f"{known.listed.capitalize()}." if known.listed else f"{title_of(path)}, {known.lines} lines."

    def store(self, gone: set[str], came: set[str], went: set[str], digests: Digests) -> None:
        """Write what was learned into the index, and which files came and went; forget the files that are `gone`."""
        if not (self.learned or gone or came or went) and digests == self.digests:
            return
        moment = moment_on(self.project.library / LOCKS)
        seen = [
            each._replace(
                source_state=unchanged_state(each.source_state, moment),
                design_state=unchanged_state(each.design_state, moment),
            )
            for each in self.learned.values()
        ]
        changed = [each for each in seen if self.known.get(each.path) != each]
        forgotten = gone & set(self.known)
        if changed or forgotten or came or went or digests != self.digests:
            write_index(self.project, changed, forgotten, came=came, went=went, digests=digests)


def _looked_at(project: Project, config: Config, path: str, state: str) -> FileRecord:
    found = count_lines(project, config, path)
    if isinstance(found, str):
        return FileRecord(path, source_state=state, listed=found)
    return FileRecord(path, source_state=state, lines=found)


def remember(project: Project, config: Config, paths: list[str] | None = None, *, keeps: bool = True) -> FileCache:
    """What the index knows of all files, or of some; `keeps` says whether the caller stores what is learned."""
    digests, known = read_digests(project), read_index(project, paths)
    if digests.of_config != config_digest(config):
        # What is only listed may be so no longer.
        known = {path: each for path, each in known.items() if each.hash}
    return FileCache(project, known, digests, keeps)


def config_digest(config: Config) -> str:
    """What tells that the settings on which files are only listed are the same."""
    return short_hash(repr(config.crawl))
