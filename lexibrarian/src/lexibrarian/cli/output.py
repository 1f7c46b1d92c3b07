"""What commands print: plain text for people, one JSON document for programs; and what their exit codes mean."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click

from lexibrarian.errors import LibraryError

OK, FAILED, WARNED = 0, 1, 2


@dataclass
class Output:
    """The result of a command: text, the same as data, warnings, and the exit code."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    code: int = OK
    warnings: list[str] = field(default_factory=list)


def command(group: click.Group, name: str, **attributes: Any) -> Callable[[Callable[..., Output]], click.Command]:
    """Register a function that returns an `Output` as a command with `--json`."""

    def register(function: Callable[..., Output]) -> click.Command:
        @functools.wraps(function)
        def run(as_json: bool, **arguments: Any) -> None:
            raise SystemExit(_printed(lambda: function(**arguments), as_json))

        option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
        return group.command(name, **attributes)(option(run))

    return register


def _printed(call: Callable[[], Output], as_json: bool) -> int:
    try:
        output = call()
    except LibraryError as problem:
        return _refused(problem, as_json)
    if as_json:
        warnings = {"warnings": output.warnings} if output.warnings else {}
        _write(json.dumps({**output.data, **warnings}, ensure_ascii=False, indent=2, default=str))
        return output.code
    for warning in output.warnings:
        _write(f"Warning: {warning}", to_errors=True)
    if output.text:
        _write(output.text)
    return output.code


def _refused(problem: LibraryError, as_json: bool) -> int:
    if as_json:
        error = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        _write(json.dumps({"error": error}, ensure_ascii=False, indent=2))
    else:
        _write(f"Error: {problem.message}{f' {problem.hint}' if problem.hint else ''}", to_errors=True)
    return FAILED


def _write(text: str, *, to_errors: bool = False) -> None:
    """Print a text as UTF-8, whatever the terminal's encoding; names that are no UTF-8 are escaped."""
    stream = sys.stderr if to_errors else sys.stdout
    stream.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
    stream.flush()


def run(group: click.Group) -> None:
    """Run a group; wrong use is exit code 1 here, where Click would say 2; a pipe may close early."""
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
