"""`lexictl daemon start`, `stop` and `status`."""

from __future__ import annotations

import click

from lexibrarian.cli.output import Output, command, counted, say
from lexibrarian.config import load_config
from lexibrarian.errors import LibraryError
from lexibrarian.project import find_root


def add_daemon(lexictl: click.Group) -> None:
    """Add the commands to the group."""
    group = click.Group(
        "daemon", help="Deprecated: update on every change. `setup --hooks` and `sweep --watch` cost less."
    )
    lexictl.add_command(group)
    command(group, "start")(start)
    command(group, "stop")(stop)
    command(group, "status")(status)


def start() -> Output:
    """Watch the project in the foreground, and update what changes, until it is stopped."""
    from lexibrarian.cli.foreground import until_stopped
    from lexibrarian.daemon_lock import only_daemon
    from lexibrarian.log import logged

    project = find_root()
    config, warnings = load_config(project)
    if not config.daemon.watchdog_enabled:
        raise LibraryError(
            "The daemon is turned off: `daemon.watchdog_enabled` is false.",
            code="disabled",
            hint="Run `lexictl setup --hooks` or `lexictl sweep --watch` instead.",
        )
    try:
        from lexibrarian.watch import watch
    except ModuleNotFoundError as missing:
        raise LibraryError(
            "The daemon needs an extra.", code="missing_extra", hint='Run `pip install "lexibrarian[watch]"`.'
        ) from missing

    def begun() -> None:
        say(f"Watching {project.root}. Ctrl-C or `lexictl daemon stop` ends it.")

    with only_daemon(project), logged(project), until_stopped() as stopped:
        count = watch(project, config, stopped, begun)
    return Output(f"Stopped after {counted(count, 'update')}.", {"updates": count}, warnings=warnings)


def stop() -> Output:
    """End the daemon."""
    from lexibrarian.daemon_lock import stop_daemon

    pid = stop_daemon(find_root())
    return Output(f"Stopped process {pid}." if pid else "No daemon is running.", {"stopped": pid})


def status() -> Output:
    """Say whether the daemon runs."""
    from lexibrarian.daemon_lock import running_daemon

    pid = running_daemon(find_root())
    return Output(f"The daemon runs as process {pid}." if pid else "No daemon is running.", {"running": pid})
