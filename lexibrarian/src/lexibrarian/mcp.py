"""The commands of `lexi` as tools of an MCP server on the standard streams; upkeep is not among them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from lexibrarian.cli.output import FAILED, REGISTERED, Output
from lexibrarian.errors import LibraryError
from lexibrarian.safe_text import visible
from lexibrarian.tokens import count_tokens
from lexibrarian.version import VERSION

INSTRUCTIONS = """The library of this codebase: what each file is for, what holds where, what was solved before.

- Begin with `.lexibrary/START_HERE.md` and `iwh_list`.
- Before you edit a file: `lookup`. Afterwards correct its design file and set `updated_by: agent`.
- To find something: `ask` for a sentence, `search` for files, concepts and posts by words, `concepts` for rules.
- Before you debug: `stack_search`. After a hard bug: `stack_post` and `stack_answer`.
- On entering a directory: `iwh_read`, which removes the signal. On leaving unfinished work: `iwh_write`.

Every tool takes `max_tokens`; what was left out is counted in the last line. Paths are relative to the project."""
_MAX_TOKENS, _LEAST_TOKENS = 2000, 50
_HIDDEN = ("as_json", "rehearse", "help")
_TYPES = {click.INT: "integer", click.FLOAT: "number", click.BOOL: "boolean"}


@dataclass(frozen=True)
class _Command:
    """A command as a tool."""

    name: str
    command: click.Command

    @property
    def parameters(self) -> dict[str, click.Parameter]:
        """What it takes, by the names that people see."""
        return {_name(each): each for each in self.command.params if each.name not in _HIDDEN}

    def as_tool(self) -> Tool:
        """Its description for clients."""
        described = {name: _schema(each) for name, each in self.parameters.items()}
        described["max_tokens"] = {
            "type": "integer",
            "minimum": _LEAST_TOKENS,
            "default": _MAX_TOKENS,
            "description": "The most tokens of the result; the rest is left out and counted.",
        }
        required = [name for name, each in self.parameters.items() if each.required]
        schema = {"type": "object", "properties": described, "required": required, "additionalProperties": False}
        writes = REGISTERED[self.command].writes
        hints = ToolAnnotations(read_only_hint=not writes, open_world_hint=False)
        return Tool(name=self.name, description=self.command.help or "", input_schema=schema, annotations=hints)

    def run(self, arguments: dict[str, Any], max_tokens: int) -> Output:
        """Its output; raises what the command line would refuse. A command with a budget of its own keeps that."""
        unknown = [name for name in arguments if name not in self.parameters]
        if unknown:
            raise LibraryError(f"There is no argument {unknown[0]}.", code="usage", hint="See the tool's input schema.")
        given = {**arguments}
        if "budget" in self.parameters:
            given.setdefault("budget", max_tokens)
        with self.command.make_context(self.name, _as_words(self.parameters, given)) as context:
            taken = {name: value for name, value in context.params.items() if name not in _HIDDEN}
            return REGISTERED[self.command].function(**taken)


def serve(lexi: click.Group) -> None:
    """Answer a client on the standard streams until it closes them."""
    asyncio.run(_serve(lexi))


async def _serve(lexi: click.Group) -> None:
    commands = {each.name: each for each in _commands(lexi)}
    turn = asyncio.Lock()

    async def list_tools(_: Any, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[each.as_tool() for each in commands.values()])

    async def call_tool(_: Any, params: CallToolRequestParams) -> CallToolResult:
        chosen = commands.get(params.name)
        if chosen is None:
            return _result(f"There is no tool {params.name}.", _MAX_TOKENS, failed=True)
        async with turn:
            return await asyncio.to_thread(_called, chosen, dict(params.arguments or {}))

    server: Server[Any] = Server(
        "lexi", version=VERSION, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _commands(group: click.Group, prefix: str = "") -> Iterator[_Command]:
    for name, each in group.commands.items():
        tool = f"{prefix}{name}".replace("-", "_")
        if isinstance(each, click.Group):
            yield from _commands(each, f"{tool}_")
        elif tool != "mcp":
            yield _Command(tool, each)


def _called(chosen: _Command, arguments: dict[str, Any]) -> CallToolResult:
    most = arguments.pop("max_tokens", _MAX_TOKENS)
    if not isinstance(most, int) or isinstance(most, bool) or most < _LEAST_TOKENS:
        return _result(f"max_tokens must be a number of at least {_LEAST_TOKENS}.", _MAX_TOKENS, failed=True)
    try:
        output = chosen.run(arguments, most)
    except LibraryError as problem:
        return _result(f"{problem.message} {problem.hint}".strip(), most, failed=True)
    except click.ClickException as problem:
        return _result(problem.format_message(), most, failed=True)
    warnings = "".join(f"Warning: {each}\n" for each in output.warnings)
    return _result(f"{warnings}{output.text}", most, failed=output.code == FAILED, left_out=output.data.get("left_out"))


def _result(text: str, most: int, *, failed: bool = False, left_out: Any = None) -> CallToolResult:
    """A text of at most so many tokens, with counts of what it holds and of what it leaves out."""
    text = visible(text)
    lines = text.splitlines()
    shown = lines
    whole = count_tokens(text)
    if whole > most:
        shown = _fitting(lines, most)
        text = "\n".join([*shown, _note(len(shown), len(lines))])
    counts = {
        "truncated": whole > most or bool(left_out),
        "tokens": count_tokens(text),
        "total_tokens": whole,
        "lines": len(shown),
        "total_lines": len(lines),
        **({"left_out": left_out} if left_out else {}),
    }
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=counts, is_error=failed)


def _note(shown: int, total: int) -> str:
    return f"[truncated: {shown} of {total} lines; raise max_tokens, or ask for less]"


def _fitting(lines: list[str], most: int) -> list[str]:
    """The first lines that leave room for the note; of one that is too long, its beginning."""
    room = most - count_tokens(_note(len(lines), len(lines))) - 1
    kept: list[str] = []
    used = 0
    for line in lines:
        used += count_tokens(f"{line}\n")
        if used > room:
            break
        kept.append(line)
    # No letter has more than two tokens.
    return kept or [lines[0][: room // 2]]


def _name(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len).lstrip("-").replace("-", "_")
    metavar = getattr(parameter, "metavar", None)
    return (metavar or parameter.name or "").strip("[]").lower()


def _schema(parameter: click.Parameter) -> dict[str, Any]:
    kind = parameter.type
    schema: dict[str, Any] = {"type": "integer" if isinstance(kind, click.IntRange) else _TYPES.get(kind, "string")}
    if isinstance(kind, click.Choice):
        schema["enum"] = list(kind.choices)
    if isinstance(parameter, click.Option):
        schema = {"type": "boolean"} if parameter.is_flag else schema
        schema = {"type": "array", "items": schema} if parameter.multiple else schema
        schema["description"] = parameter.help or ""
    return schema


def _as_words(parameters: dict[str, click.Parameter], arguments: dict[str, Any]) -> list[str]:
    """The arguments as they would stand on the command line."""
    options, words = [], []
    for name, parameter in parameters.items():
        value = arguments.get(name)
        if value is None or value is False:
            continue
        if not isinstance(parameter, click.Option):
            words.append(str(value))
            continue
        flag = max(parameter.opts, key=len)
        if parameter.is_flag:
            options.append(flag)
        else:
            options += [f"{flag}={each}" for each in (value if isinstance(value, list) else [value])]
    return [*options, "--", *words]
