"""`lexictl update` and `lexictl sweep`."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from lexibrarian.changes import ChangeLevel
from lexibrarian.cli.output import FAILED, OK, Output, command, counted, say
from lexibrarian.config import Config, load_config
from lexibrarian.errors import LibraryError
from lexibrarian.project import LIBRARY, Project, find_root

if TYPE_CHECKING:
    from lexibrarian.report import Report

_MOST_FAILURES = 10


def add_update(lexictl: click.Group) -> None:
    """Add the commands to the group."""
    command(lexictl, "update", cls=_Update)(update)
    command(lexictl, "sweep")(sweep)


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


@click.argument("paths", nargs=-1, metavar="[PATH]")
@click.option("--changed-only", is_flag=True, help="Only the files that follow, deleted ones included.")
@click.option("--start-here", "entry", is_flag=True, help="Rewrite only START_HERE.md, unless it was edited by hand.")
@click.option("--prune", is_flag=True, help="Also remove edited design files whose source is gone.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
def update(paths: tuple[str, ...], changed_only: bool, entry: bool, prune: bool, dry_run: bool) -> Output:
    """Bring design files and indexes up to their sources: all of them, or those of a file or directory."""
    from lexibrarian.log import logged
    from lexibrarian.update import update as run_update

    if entry and (paths or changed_only or prune):
        raise LibraryError(
            "--start-here and anything else are mutually exclusive.",
            code="usage",
            hint="Run `lexictl update --start-here`.",
        )
    if len(paths) > 1 and not changed_only:
        raise LibraryError(
            "One PATH at most.", code="usage", hint="Run `lexictl update --changed-only FILES…` for several."
        )
    project = find_root()
    config, warnings = load_config(project)
    if entry:
        return _entry(project, config, warnings, dry_run=dry_run)
    places = [project.relative(each) if changed_only else _existing(project, each) for each in paths]
    some = changed_only or any((project.root / each).is_file() for each in places)
    below = places[0] if places and not some else None
    with contextlib.nullcontext() if dry_run else logged(project):
        report = run_update(project, config, files=places if some else None, below=below, dry_run=dry_run, prune=prune)
    return _reported(report, warnings)


def _entry(project: Project, config: Config, warnings: list[str], *, dry_run: bool) -> Output:
    from lexibrarian.crawl import crawl
    from lexibrarian.start_here import START_HERE, is_edited, refresh
    from lexibrarian.store import collect_planned_writes, upkeep_lock

    path = f"{LIBRARY}/{START_HERE}"
    with upkeep_lock(project), collect_planned_writes() if dry_run else contextlib.nullcontext():
        edited = is_edited(project)
        written = refresh(project, config, crawl(project, config))
    state = "was edited and is kept" if edited else "is up to date" if not written else ""
    text = f"{path} {state}." if state else f"{'Would update' if dry_run else 'Updated'} {path}."
    data = {"path": path, "written": written and not dry_run, "edited": edited, "dry_run": dry_run}
    return Output(text, data, warnings=warnings)


def _existing(project: Project, path: str) -> str:
    where = project.relative(path)
    if not (project.root / where).exists():
        raise LibraryError(f"{path} does not exist.", code="not_found", hint="Name a file or directory of the project.")
    return where


def _reported(report: Report, warnings: list[str]) -> Output:
    counts = report.counts
    lines = [f"{'Would update' if report.dry_run else 'Updated'} {counted(len(report.levels), 'source')}."]
    lines += [f"  {level.value}: {counts[level.value]}" for level in ChangeLevel if counts[level.value]]
    groups = {
        "relinked": report.relinked,
        "removed": report.removed,
        "kept, edited": report.kept,
        "indexes": report.indexes,
    }
    lines += [f"  {what}: {len(paths)}" for what, paths in groups.items() if paths]
    lines += [f"  moved: {old} -> {new}" for old, new in sorted(report.moved.items())]
    conflicts = [path for path, level in report.levels.items() if level is ChangeLevel.CONFLICT]
    warnings = [*warnings, *(f"{path} holds conflict markers and was skipped." for path in conflicts)]
    if report.over_budget:
        lines.append(f"  over the token budget: {len(report.over_budget)}; these sources may do too much")
    if report.without_model:
        lines.append(f"  described without the model: {len(report.without_model)}; too long, or names of secrets")
    if report.discarded:
        lines.append(f"  edited while the model answered, and kept: {len(report.discarded)}")
    if report.failed:
        lines.append(f"  failed: {len(report.failed)}; the next update asks again")
        lines += [f"    {path}: {problem}" for path, problem in list(report.failed.items())[:_MOST_FAILURES]]
    data = {
        "dry_run": report.dry_run,
        "counts": {level.value: counts[level.value] for level in ChangeLevel},
        "levels": {path: level.value for path, level in report.levels.items() if level is not ChangeLevel.UNCHANGED},
        "relinked": report.relinked,
        "moved": report.moved,
        "removed": report.removed,
        "kept": report.kept,
        "indexes": report.indexes,
        "over_budget": report.over_budget,
        "without_model": report.without_model,
        "discarded": report.discarded,
        "failed": report.failed,
        "without_design_file": report.listed_only,
    }
    return Output("\n".join(lines), data, FAILED if report.failed else OK, warnings)


@click.option("--watch", is_flag=True, help="Go on sweeping, in the foreground, until it is stopped.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
def sweep(watch: bool, dry_run: bool) -> Output:
    """Update everything once, unless nothing has changed since the last sweep; for timers."""
    from lexibrarian.log import logged
    from lexibrarian.sweep import sweep as run_sweep

    project = find_root()
    config, warnings = load_config(project)
    if watch:
        return _watched(project, warnings)
    with contextlib.nullcontext() if dry_run else logged(project):
        report = run_sweep(project, config, dry_run=dry_run)
    if report is None:
        return Output("Nothing changed since the last sweep.", {"skipped": True}, warnings=warnings)
    output = _reported(report, warnings)
    output.data["skipped"] = False
    return output


def _watched(project: Project, warnings: list[str]) -> Output:
    from lexibrarian.cli.foreground import until_stopped
    from lexibrarian.log import logged
    from lexibrarian.sweep import sweep_forever

    def said(report: Report | None, problem: LibraryError | None) -> None:
        say(problem.message if problem else _reported(report, []).text if report else "Nothing changed.")

    with logged(project), until_stopped() as stopped:
        count = sweep_forever(project, stopped, said)
    return Output(f"Stopped after {counted(count, 'sweep')}.", {"sweeps": count}, warnings=warnings)
