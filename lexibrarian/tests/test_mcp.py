"""`lexi mcp`, as a child process of the official client."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from example_library import Library
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from lexibrarian.mcp import INSTRUCTIONS, _result
from lexibrarian.tokens import count_tokens

SOURCES = Path(__file__).parent.parent / "src"
PROGRAM = "from lexibrarian.cli.lexi import main; main()"


def connected(library: Library, use: Callable[[Client], Awaitable[Any]]) -> Any:
    """What a use of the server gives, which runs in the project's `src`."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", PROGRAM, "mcp"],
        env={**os.environ, "PYTHONPATH": str(SOURCES), "LEXI_AUTHOR": "a1"},
        cwd=library.root / "src",
    )

    async def run() -> Any:
        async with Client(stdio_client(parameters)) as client:
            return await use(client)

    return asyncio.run(run())


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def test_lb_001_112_agents_get_their_commands_and_no_upkeep(shop: Library) -> None:
    async def use(client: Client) -> Any:
        return (await client.list_tools()).tools, client.instructions

    tools, instructions = connected(shop, use)
    names = {tool.name for tool in tools}
    assert {
        "lookup",
        "ask",
        "search",
        "concepts",
        "concept_new",
        "stack_post",
        "iwh_read",
        "describe",
        "index",
    } <= names
    assert not names & {"update", "validate", "status", "sweep", "init", "setup", "daemon", "mcp"}
    assert instructions == INSTRUCTIONS
    assert len(INSTRUCTIONS.encode()) < 1024
    (post,) = (tool for tool in tools if tool.name == "stack_post")
    assert post.input_schema["required"] == ["title", "tag"]
    assert post.input_schema["properties"]["tag"]["type"] == "array"
    assert post.annotations.read_only_hint is False
    assert next(tool for tool in tools if tool.name == "lookup").annotations.read_only_hint is True


def test_tools_do_what_the_commands_do(shop: Library) -> None:
    async def use(client: Client) -> list[Any]:
        return [
            await client.call_tool(name, arguments)
            for name, arguments in (
                ("lookup", {"file": "shop/money.py"}),
                ("stack_post", {"title": "-x is odd", "tag": ["a", "b"], "evidence": "--seen"}),
                ("stack_vote", {"id": "1", "direction": "up"}),
                ("iwh_write", {"directory": ".", "text": "Half done."}),
                ("iwh_read", {"directory": ".", "peek": True}),
                ("search", {"query": "amounts of money"}),
            )
        ]

    looked_up, posted, voted, _, peeked, found = connected(shop, use)
    assert text_of(looked_up) == shop.lexi("lookup", "src/shop/money.py").out.rstrip("\n")
    assert looked_up.structured_content["truncated"] is False
    assert "Created .lexibrary/stack/ST-001-x-is-odd.md" in text_of(posted)
    assert "--seen" in shop.read(".lexibrary/stack/ST-001-x-is-odd.md")
    assert "votes: 1" in text_of(voted)
    assert "a1 [upvote]" in shop.read(".lexibrary/stack/ST-001-x-is-odd.md")
    assert "Half done." in text_of(peeked)
    assert shop.has(".lexibrary/src/.iwh")
    assert "src/shop/money.py" in text_of(found)


def test_lb_088_a_budget_of_200_tokens_is_kept(shop: Library) -> None:
    for number in range(80):
        shop.write(f"src/shop/user_{number}.py", f'"""User {number} of money."""\nfrom shop import money\n')
    shop.lexictl("update")

    async def use(client: Client) -> list[Any]:
        return [
            await client.call_tool("lookup", {"file": "shop/money.py", "max_tokens": 200}),
            await client.call_tool("search", {"query": "money", "max_tokens": 200}),
            await client.call_tool("search", {"query": "money", "max_tokens": 100_000}),
        ]

    *cut, whole = connected(shop, use)
    for result in cut:
        counts = result.structured_content
        assert counts["truncated"] is True
        assert counts["tokens"] == count_tokens(text_of(result)) <= 200
    assert cut[0].structured_content["left_out"]["dependents"] > 0
    counts = cut[1].structured_content
    assert counts["total_tokens"] == whole.structured_content["tokens"] > 200
    assert counts["total_lines"] == whole.structured_content["lines"] > counts["lines"]
    assert f"{counts['lines']} of {counts['total_lines']} lines" in text_of(cut[1])


def test_refusals_are_results_that_say_what_to_do(shop: Library) -> None:
    cases: list[tuple[str, dict[str, object], str]] = [
        ("lookup", {"file": "none.py"}, "No design file found"),
        ("lookup", {}, "Missing argument"),
        ("lookup", {"file": "shop/money.py", "depth": 1}, "no argument depth"),
        ("lookup", {"file": "shop/money.py", "max_tokens": 3}, "max_tokens"),
        ("lookup", {"file": "shop/\0.py"}, "NUL"),
        ("stack_vote", {"id": "1", "direction": "sideways"}, "sideways"),
        ("update", {}, "no tool update"),
    ]

    async def use(client: Client) -> list[Any]:
        return [await client.call_tool(tool, arguments) for tool, arguments, _ in cases]

    for (tool, arguments, words), result in zip(cases, connected(shop, use), strict=True):
        assert result.is_error is True, (tool, arguments)
        assert words in text_of(result)


def test_a_result_holds_a_budget_and_no_steering_characters_in_any_script() -> None:
    for letters in ("漢字", "😀", "ab ", "\x1b[31m", "\udce9"):
        result = _result(letters * 2000, 200)
        assert count_tokens(text_of(result)) <= 200
        assert text_of(result).encode()
        assert "\x1b" not in text_of(result)


def test_without_the_extra_it_says_what_to_install(shop: Library) -> None:
    program = f"import sys; sys.modules['mcp'] = None; {PROGRAM}"
    done = subprocess.run(
        [sys.executable, "-c", program, "mcp"],
        cwd=shop.root,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert 'pip install "lexibrarian[mcp]"' in done.stderr
