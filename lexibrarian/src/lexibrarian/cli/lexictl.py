"""`lexictl`: setting the library up, and its upkeep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lexibrarian.cli.daemon import add_daemon
from lexibrarian.cli.output import FAILED, OK, WARNED, Output, command, counted, run
from lexibrarian.cli.setup import add_setup
from lexibrarian.cli.update import add_update
from lexibrarian.config import Config, load_config
from lexibrarian.project import Project, find_root
from lexibrarian.version import VERSION

if TYPE_CHECKING:
    from lexibrarian.renumber import Renumbered


@click.group("lexictl", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="lexictl")
def lexictl() -> None:
    """Set the library of a codebase up, and keep it in step with its sources."""


@command(lexictl, "validate", writes=True)
@click.option("--severity", type=click.Choice(["error", "warning", "info"]), help="Only issues this severe, or more.")
@click.option("--check", "names", multiple=True, help="Only this check; may be repeated.")
@click.option("--fix", is_flag=True, help="First give posts that share a number one of their own.")
def validate(severity: str | None, names: tuple[str, ...], fix: bool) -> Output:
    """Check the library, and change nothing but with --fix. Exit code 1 means errors, 2 warnings only."""
    from lexibrarian.checks import SEVERITIES
    from lexibrarian.checks import validate as run_checks

    project = find_root()
    config, warnings = load_config(project)
    fixed = _fix(project, config) if fix else []
    shown = SEVERITIES[: SEVERITIES.index(severity) + 1] if severity else SEVERITIES
    issues = [issue for issue in run_checks(project, config, names) if issue.severity in shown]
    lines = [f"Renumbered {each.old} to {each.new}: {each.path}" for each in fixed]
    lines += [f"{issue.severity:<7}  {issue.check:<24}  {issue.path}: {issue.message}" for issue in issues]
    counts = {kind: sum(issue.severity == kind for issue in issues) for kind in SEVERITIES}
    lines.append(
        ", ".join(counted(count, kind) for kind, count in counts.items()) if issues else "No validation issues found."
    )
    summary = {**{f"{kind}_count": count for kind, count in counts.items()}, "total": len(issues)}
    data = {"issues": [vars(issue) for issue in issues], "summary": summary}
    data |= {"fixed": [vars(each) for each in fixed]} if fix else {}
    unclear = [f"{path} may mean {each.new} by {each.old}." for each in fixed for path in each.unclear]
    return Output("\n".join(lines), data, _severest(counts), [*warnings, *unclear])


def _fix(project: Project, config: Config) -> list[Renumbered]:
    from lexibrarian.checks.snapshot import take_snapshot
    from lexibrarian.renumber import renumber
    from lexibrarian.store import upkeep_lock

    with upkeep_lock(project):
        return renumber(take_snapshot(project, config))


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


add_setup(lexictl)
add_update(lexictl)
add_daemon(lexictl)


def main() -> None:
    """The entry point."""
    run(lexictl)
