"""What commands print: plain text for people, one JSON document for programs; and what their exit codes mean."""

from __future__ import annotations

import functools
import gc
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from lexibrarian.config import CHECKED
from lexibrarian.errors import LibraryError
from lexibrarian.project import find_root
from lexibrarian.safe_text import in_json, visible
from lexibrarian.store import collect_planned_writes

OK, FAILED, WARNED = 0, 1, 2
# What a command makes lives until its end or is freed at once: looking for cycles as often as usual finds none.
_OBJECTS_BETWEEN_COLLECTIONS = 300_000


@dataclass
class Output:
    """The result of a command: text, the same as data, warnings, and the exit code."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    code: int = OK
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Registered:
    """What stands behind a command: the function with its result, and whether it writes."""

    function: Callable[..., Output]
    writes: bool


REGISTERED: dict[click.Command, Registered] = {}


def command(
    group: click.Group, name: str, *, writes: bool = False, **attributes: Any
) -> Callable[[Callable[..., Output]], click.Command]:
    """Register a function that returns an `Output` as a command with `--json`, and `--dry-run` where it writes."""

    def register(function: Callable[..., Output]) -> click.Command:
        @functools.wraps(function)
        def run(as_json: bool, rehearse: bool = False, **arguments: Any) -> None:
            call = functools.partial(function, **arguments)
            raise SystemExit(_printed(functools.partial(_run_dry, call) if rehearse else call, as_json))

        option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
        dry = click.option("--dry-run", "rehearse", is_flag=True, help="Say what would be written, and write nothing.")
        made = group.command(name, **attributes)(option(dry(run) if writes else run))
        REGISTERED[made] = Registered(function, writes)
        return made

    return register


def _run_dry(call: Callable[[], Output]) -> Output:
    """What a command would write; its own words would say that it had."""
    with collect_planned_writes() as paths:
        output = call()
    if output.code == FAILED:
        return output
    names = sorted({_from_root(path) for path in paths if path.name != CHECKED})
    text = "\n".join(f"Would write {name}" for name in names) or "Would write nothing."
    return Output(text, {"dry_run": True, "would_write": names}, warnings=output.warnings)


def _from_root(path: Path) -> str:
    """A path relative to the project, or else to the working directory."""
    try:
        root = find_root().root
    except LibraryError:
        root = Path.cwd()
    return os.path.relpath(path, root).replace(os.sep, "/")


def counted(count: int, noun: str) -> str:
    """A number and its noun."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _printed(call: Callable[[], Output], as_json: bool) -> int:
    try:
        output = call()
    except LibraryError as problem:
        return _refused(problem, as_json)
    if as_json:
        warnings = {"warnings": output.warnings} if output.warnings else {}
        _write_json({**output.data, **warnings})
        return output.code
    for warning in output.warnings:
        _write(f"Warning: {warning}", to_errors=True)
    if output.text:
        _write(output.text)
    return output.code


def _refused(problem: LibraryError, as_json: bool) -> int:
    if as_json:
        error = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        _write_json({"error": error})
    else:
        _write(f"Error: {problem.message}{f' {problem.hint}' if problem.hint else ''}", to_errors=True)
    return FAILED


def _write(text: str, *, to_errors: bool = False) -> None:
    """Print a text as UTF-8, whatever the terminal's encoding; what would steer the terminal is escaped."""
    _write_bytes(f"{visible(text)}\n".encode(), to_errors=to_errors)


def say(text: str) -> None:
    """Print a line of a command that goes on, unless it prints JSON."""
    if not click.get_current_context().params.get("as_json", False):
        _write(text)


def _write_json(data: dict[str, Any]) -> None:
    _write_bytes(f"{in_json(json.dumps(data, ensure_ascii=False, indent=2, default=str))}\n".encode())


def _write_bytes(content: bytes, *, to_errors: bool = False) -> None:
    stream = sys.stderr if to_errors else sys.stdout
    stream.buffer.write(content)
    stream.flush()


def run(group: click.Group) -> None:
    """Run a group; wrong use is exit code 1 here, where Click would say 2; a pipe may close early."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        group.main(standalone_mode=False, prog_name=group.name)
    except click.exceptions.NoArgsIsHelpError as shown:
        _write(shown.format_message())
        raise SystemExit(OK) from None
    except click.ClickException as problem:
        if "--json" in sys.argv[1:]:
            hint = f"Run `{group.name} --help`."
            raise SystemExit(_refused(LibraryError(problem.format_message(), code="usage", hint=hint), True)) from None
        problem.show()
        raise SystemExit(FAILED) from None
    except click.exceptions.Abort:
        _write("Stopped.", to_errors=True)
        raise SystemExit(FAILED) from None
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(OK) from None
