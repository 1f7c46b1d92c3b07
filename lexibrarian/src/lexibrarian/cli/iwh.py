"""`lexi iwh`: signals for whoever enters a directory next."""

from __future__ import annotations

import click

from lexibrarian.artefacts.iwh import SCOPES, Signal
from lexibrarian.cli.output import Output, command
from lexibrarian.config import load_config
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project, find_root

_OFF = "Signals are turned off: `iwh.enabled` is false."


def add_iwh(lexi: click.Group) -> None:
    """Add the commands to the group."""
    group = click.Group("iwh", help="Signals about unfinished work, for whoever enters a directory next.")
    lexi.add_command(group)
    command(group, "write", writes=True)(write)
    command(group, "read", writes=True)(read)
    command(group, "list")(list_signals)


@click.argument("directory", default=".")
@click.argument("text", default="")
@click.option("-s", "--scope", type=click.Choice(SCOPES), default="incomplete", show_default=True, help="How urgent.")
@click.option("-b", "--body", default="", help="What is unfinished, in place of TEXT.")
def write(directory: str, text: str, scope: str, body: str) -> Output:
    """Leave a signal in a directory, in the place of the one that lies there."""
    from lexibrarian.signals import leave_signal

    project = find_root()
    enabled, warnings = _enabled(project)
    if not enabled:
        raise LibraryError(_OFF, code="disabled", hint="Set it to true in .lexibrary/config.yaml.")
    where = project.existing_directory(directory)
    signal = leave_signal(project, where, scope, body or text)
    path = project.iwh_path(where).relative_to(project.root).as_posix()
    return Output(f"Created {path} ({scope}).", {"path": path, **_data(where, signal)}, warnings=warnings)


@click.argument("directory", default=".")
@click.option("--peek", is_flag=True, help="Leave the signal where it is.")
def read(directory: str, peek: bool) -> Output:
    """Print the signal of a directory, and remove it."""
    from lexibrarian.signals import take_signal

    project = find_root()
    enabled, warnings = _enabled(project)
    where = project.existing_directory(directory)
    if not enabled:
        return Output(_OFF, {"signal": None}, warnings=warnings)
    signal = take_signal(project, where, peek=peek)
    if signal is None:
        return Output(f"No signal in {_shown(where)}", {"signal": None}, warnings=warnings)
    text = f"{_line(where, signal)}\n\n{signal.text}"
    return Output(text, {"signal": _data(where, signal), "removed": not peek}, warnings=warnings)


def list_signals() -> Output:
    """List the signals that lie in the library, and leave them there."""
    from lexibrarian.signals import all_signals

    project = find_root()
    enabled, warnings = _enabled(project)
    found = all_signals(project) if enabled else {}
    nothing = "No signals found." if enabled else _OFF
    text = "\n".join(f"{_line(where, signal)}: {_first(signal)}" for where, signal in found.items()) or nothing
    return Output(text, {"signals": [_data(where, signal) for where, signal in found.items()]}, warnings=warnings)


def _enabled(project: Project) -> tuple[bool, list[str]]:
    config, warnings = load_config(project)
    return config.iwh.enabled, warnings


def _shown(directory: str) -> str:
    return f"{directory}/" if directory else "./"


def _line(directory: str, signal: Signal) -> str:
    return f"{_shown(directory)}  [{signal.scope}] {signal.author}, {signal.created or 'no date'}"


def _first(signal: Signal) -> str:
    return next((line for line in signal.text.splitlines() if line.strip()), "(no text)")


def _data(directory: str, signal: Signal) -> dict[str, str]:
    return {"directory": directory or ".", **vars(signal)}
