"""`lexictl`: setting the library up, and its upkeep."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lexibrarian.changes import Level
from lexibrarian.cli.output import FAILED, OK, WARNED, Output, command, run
from lexibrarian.config import load_config
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project, find_root
from lexibrarian.version import VERSION

if TYPE_CHECKING:
    from lexibrarian.update import Report


@click.group("lexictl", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="lexictl")
def lexictl() -> None:
    """Set the library of a codebase up, and keep it in step with its sources."""


@command(lexictl, "init")
@click.option("--defaults", is_flag=True, required=True, help="Ask nothing: the whole project, no model.")
def init(defaults: bool) -> Output:
    """Make a library in this directory."""
    from lexibrarian.setup.init import create_library, detect_agents, detect_name

    root = Path.cwd()
    name = detect_name(root)
    written = create_library(root, name=name, agents=detect_agents(root))
    text = "\n".join(
        [*(f"Created {path}" for path in written), f"{name} has a library. Run `lexictl update` to fill it."]
    )
    return Output(text, {"project": name, "written": written})


@command(lexictl, "setup")
@click.option("--hooks", is_flag=True, help="Update the library after each commit and merge, in the background.")
@click.pass_context
def setup(ctx: click.Context, hooks: bool) -> Output:
    """Connect the library with git."""
    from lexibrarian.setup.hook import install_hooks

    if not hooks:
        return Output(ctx.get_help(), {"hooks": []})
    found = install_hooks(find_root())
    lines = [f"The hook is {'installed' if written else 'already installed'}: {path}" for path, written in found]
    return Output("\n".join(lines), {"hooks": [{"path": str(path), "written": written} for path, written in found]})


class _Update(click.Command):
    """Notices names on both sides of `--changed-only`: a path, and files."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        flag = "--changed-only"
        if flag in args:
            at = args.index(flag)
            before, behind = (
                [each for each in part if not each.startswith("-")] for part in (args[:at], args[at + 1 :])
            )
            if before and behind:
                raise click.UsageError("A PATH and --changed-only FILES are mutually exclusive.", ctx)
        return super().parse_args(ctx, args)


@command(lexictl, "update", cls=_Update)
@click.argument("paths", nargs=-1, metavar="[PATH]")
@click.option("--changed-only", is_flag=True, help="Only the files that follow, deleted ones included.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
def update(paths: tuple[str, ...], changed_only: bool, dry_run: bool) -> Output:
    """Bring design files and indexes up to their sources: all of them, or those of a file or directory."""
    from lexibrarian.log import logged
    from lexibrarian.update import update as run_update

    if len(paths) > 1 and not changed_only:
        raise LibraryError(
            "One PATH at most.", code="usage", hint="Run `lexictl update --changed-only FILES…` for several."
        )
    project = find_root()
    config, warnings = load_config(project)
    places = [project.relative(each) if changed_only else _existing(project, each) for each in paths]
    some = changed_only or any((project.root / each).is_file() for each in places)
    below = places[0] if places and not some else None
    with contextlib.nullcontext() if dry_run else logged(project):
        report = run_update(project, config, files=places if some else None, below=below, dry_run=dry_run)
    return _reported(report, warnings)


def _existing(project: Project, path: str) -> str:
    where = project.relative(path)
    if not (project.root / where).exists():
        raise LibraryError(f"{path} does not exist.", code="not_found", hint="Name a file or directory of the project.")
    return where


def _reported(report: Report, warnings: list[str]) -> Output:
    counts = report.counts
    lines = [f"{'Would update' if report.dry_run else 'Updated'} {_counted(len(report.levels), 'source')}."]
    lines += [f"  {level.value}: {counts[level.value]}" for level in Level if counts[level.value]]
    groups = {
        "relinked": report.relinked,
        "removed": report.removed,
        "kept, edited": report.kept,
        "indexes": report.indexes,
    }
    lines += [f"  {what}: {len(paths)}" for what, paths in groups.items() if paths]
    lines += [f"  moved: {old} -> {new}" for old, new in sorted(report.moved.items())]
    conflicts = [path for path, level in report.levels.items() if level is Level.CONFLICT]
    warnings = [*warnings, *(f"{path} holds conflict markers and was skipped." for path in conflicts)]
    if report.over_budget:
        lines.append(f"  over the token budget: {len(report.over_budget)}; these sources may do too much")
    data = {
        "dry_run": report.dry_run,
        "counts": {level.value: counts[level.value] for level in Level},
        "levels": {path: level.value for path, level in report.levels.items() if level is not Level.UNCHANGED},
        "relinked": report.relinked,
        "moved": report.moved,
        "removed": report.removed,
        "kept": report.kept,
        "indexes": report.indexes,
        "over_budget": report.over_budget,
        "without_design_file": report.listed_only,
    }
    return Output("\n".join(lines), data, warnings=warnings)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


@command(lexictl, "sweep")
def sweep() -> Output:
    """Update everything once, unless nothing has changed since the last sweep; for timers."""
    from lexibrarian.log import logged
    from lexibrarian.sweep import sweep as run_sweep

    project = find_root()
    config, warnings = load_config(project)
    with logged(project):
        report = run_sweep(project, config)
    if report is None:
        return Output("Nothing changed since the last sweep.", {"skipped": True}, warnings=warnings)
    output = _reported(report, warnings)
    output.data["skipped"] = False
    return output


@command(lexictl, "validate")
@click.option("--severity", type=click.Choice(["error", "warning", "info"]), help="Only issues this severe, or more.")
@click.option("--check", "names", multiple=True, help="Only this check; may be repeated.")
def validate(severity: str | None, names: tuple[str, ...]) -> Output:
    """Check the library, and change nothing. Exit code 1 means errors, 2 warnings only."""
    from lexibrarian.checks import SEVERITIES
    from lexibrarian.checks import validate as run_checks

    project = find_root()
    config, warnings = load_config(project)
    shown = SEVERITIES[: SEVERITIES.index(severity) + 1] if severity else SEVERITIES
    issues = [issue for issue in run_checks(project, config, names) if issue.severity in shown]
    lines = [f"{issue.severity:<7}  {issue.check:<24}  {issue.path}: {issue.message}" for issue in issues]
    counts = {kind: sum(issue.severity == kind for issue in issues) for kind in SEVERITIES}
    lines.append(
        ", ".join(_counted(count, kind) for kind, count in counts.items()) if issues else "No validation issues found."
    )
    summary = {**{f"{kind}_count": count for kind, count in counts.items()}, "total": len(issues)}
    data = {"issues": [vars(issue) for issue in issues], "summary": summary}
    return Output("\n".join(lines), data, _severest(counts), warnings)


@command(lexictl, "status")
@click.option("-q", "--quiet", is_flag=True, help="One line, for the start of a session.")
def status(quiet: bool) -> Output:
    """Show what there is, what is stale, and how many issues there are. Exit codes are those of `validate`."""
    from lexibrarian.status import read_status

    project = find_root()
    config, warnings = load_config(project)
    found = read_status(project, config)
    text = found.as_line() if quiet else found.as_text()
    return Output(text, found.as_data(), _severest(found.counts), warnings)


def _severest(counts: dict[str, int]) -> int:
    return FAILED if counts["error"] else WARNED if counts["warning"] else OK


def main() -> None:
    """The entry point."""
    run(lexictl)
