"""Everything about one source at once: its design file, what imports it, what holds where it lies, and signals."""

from __future__ import annotations

from dataclasses import dataclass, field

from lexibrarian.artefacts.aindex import read_index
from lexibrarian.artefacts.design import DEPENDENCIES, Design, read_design
from lexibrarian.artefacts.iwh import Signal, read_signal
from lexibrarian.config import Config
from lexibrarian.errors import LibraryError
from lexibrarian.index import dependents_of
from lexibrarian.project import Project, ancestors_of, parent_of, within
from lexibrarian.sources import hash_of, read_source
from lexibrarian.store import read_text
from lexibrarian.tokens import count_tokens

STALE = "> ⚠️ This doc may be outdated. Source file changed since last update."


@dataclass
class LookupResult:
    """What a lookup found. `conventions` are those of directories, the closest first."""

    source: str
    design: Design
    stale: bool
    dependents: list[str]
    conventions: dict[str, list[str]]
    signal: Signal | None
    left_out: dict[str, int] = field(default_factory=dict)
    history: str = ""

    def as_text(self) -> str:
        """The whole answer as Markdown."""
        parts = [f"Warning: {self.source} changed after its design file was written.\n{STALE}"] if self.stale else []
        parts.append(self.design.footed.before.rstrip())
        if self.design.footed.after.strip():
            parts.append(self.design.footed.after.rstrip())
        parts.append("## Imported by\n\n" + ("\n".join(f"- {each}" for each in self.dependents) or "- (none)"))
        if self.conventions:
            groups = [
                f"**From `{place}`:**\n" + "\n".join(f"- {each}" for each in held)
                for place, held in self.conventions.items()
            ]
            parts.append("## Applicable Conventions\n\n" + "\n\n".join(groups))
        if self.signal:
            parts.append(
                f"## Signal ({self.signal.scope}, {self.signal.author}, {self.signal.created})\n\n{self.signal.text}"
            )
        if self.history:
            parts.append(f"## History\n\n{self.history}")
        if self.left_out:
            said = ", ".join(f"{count} {what}" for what, count in self.left_out.items())
            parts.append(f"Left out to keep the budget: {said}.")
        return "\n\n".join(parts)

    def as_data(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "source": self.source,
            "stale": self.stale,
            "description": self.design.description,
            "design": self.design.text,
            "dependents": self.dependents,
            "conventions": [{"directory": place, "conventions": held} for place, held in self.conventions.items()],
            "signal": vars(self.signal) if self.signal else None,
            "left_out": self.left_out,
        }


def look_up(project: Project, config: Config, source: str, *, budget: int = 0, history: str = "") -> LookupResult:
    """What the library knows of a source; with a budget, in tokens, the longest lists are cut first."""
    if not any(within(source, scope) for scope in config.scopes):
        roots = ", ".join(scope or "." for scope in config.scopes)
        raise LibraryError(
            f"{source} is outside scope_root ({roots}).", code="outside_scope", hint="Read its `.aindex` instead."
        )
    text = read_text(project.design_path(source))
    design = read_design(text) if text is not None else None
    if design is None or (source.startswith(("concepts/", "stack/")) and not design.meta.get("source")):
        raise _without_design(project, config, source)
    found = LookupResult(
        source, design, is_stale(project, source, design), _dependents(project, source), {}, None, history=history
    )
    found.conventions = _conventions(project, config, source)
    signal = read_text(project.iwh_path(parent_of(source))) if config.iwh.enabled else None
    found.signal = read_signal(signal) if signal else None
    if budget:
        _cut(found, budget)
    return found


def _without_design(project: Project, config: Config, source: str) -> LibraryError:
    if (project.root / source).is_dir():
        where = source or "."
        return LibraryError(
            f"{where} is a directory.", code="is_directory", hint=f"Run `lexi index {where}` and read its `.aindex`."
        )
    read = read_source(project, config, source)
    if isinstance(read, str) and (project.root / source).exists():
        return LibraryError(
            f"No design file found for {source}: {read}.",
            code="no_design_file",
            hint="`lexictl update` makes none for it; its directory's `.aindex` lists it.",
        )
    return LibraryError(
        f"No design file found for {source}.",
        code="no_design_file",
        hint=f"Run `lexictl update {source}` to make one.",
    )


def is_stale(project: Project, source: str, design: Design) -> bool:
    """Whether a source changed, or went, after its design file was written."""
    stored = design.meta.get("source_hash", "")
    try:
        return bool(stored) and hash_of((project.root / source).read_bytes()) != stored
    except OSError:
        return True


def _dependents(project: Project, source: str) -> list[str]:
    indexed = dependents_of(project, source)
    if indexed is not None:
        return indexed
    # Without an index, the design files themselves say what they import.
    from lexibrarian import orphans

    found = []
    for path in orphans.design_sources(project):
        text = read_text(project.design_path(path)) or ""
        if source in text and source in read_design(text).items(DEPENDENCIES):
            found.append(path)
    return sorted(found)


def _conventions(project: Project, config: Config, source: str) -> dict[str, list[str]]:
    """The conventions of the directory and of those above it, up to the scope root."""
    found = {}
    for directory in ancestors_of(parent_of(source)):
        if not any(within(directory, scope) for scope in config.scopes):
            break
        text = read_text(project.aindex_path(directory))
        held = read_index(text).conventions if text else []
        if held:
            found[f"{directory}/" if directory else "./"] = held
    return found


def _cut(found: LookupResult, budget: int) -> None:
    """Leave out dependents, then conventions from the farthest on, then the end of the design file."""
    while found.dependents and count_tokens(found.as_text()) > budget:
        drop = max(1, len(found.dependents) // 2)
        found.dependents = found.dependents[:-drop]
        found.left_out["dependents"] = found.left_out.get("dependents", 0) + drop
    while found.conventions and count_tokens(found.as_text()) > budget:
        _, dropped = found.conventions.popitem()
        found.left_out["conventions"] = found.left_out.get("conventions", 0) + len(dropped)
    lines = found.design.footed.before.rstrip().splitlines()
    while len(lines) > 1 and count_tokens(found.as_text()) > budget:
        keep = max(1, len(lines) * 3 // 4)
        found.left_out["lines"] = found.left_out.get("lines", 0) + len(lines) - keep
        lines = lines[:keep]
        found.design = read_design("\n".join(lines))
