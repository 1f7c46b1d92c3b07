"""docs/clients.md: what it shows runs as it stands, with the packages as they are published."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from marketplace.site import guides
from tests.api.a2a.clients.test_clients import A2A_PACKAGE
from tests.api.generated_clients.test_generated_clients import NPM_TOOLS
from tests.api.mcp.typescript_hosts.test_typescript_hosts import PACKAGES
from tests.client_packages import npm_installed, python_with
from tests.docs.pages import DOCS, blocks
from tests.docs.running import ANSWER, environment, run_javascript, run_program
from tests.sdk_ts.package import CONSUMER

__all__ = ["environment"]
SLUG = "structural-engineering-concrete-cover"
DOCUMENT = "Cover handbook"

# What each block prints, or parts of it; None: it is not a program.
EXPECTED: list[tuple[str, str, list[str] | None]] = [
    ("Before you start", "bash", None),
    ("curl", "bash", ['"outcome":"answered"', ANSWER]),
    ("The command", "bash", [f"{SLUG}  ", ANSWER, f"[1] {DOCUMENT}"]),
    ("Python", "python", [ANSWER, DOCUMENT]),
    ("openai for Python", "python", [ANSWER, DOCUMENT]),
    ("TypeScript", "javascript", [ANSWER, DOCUMENT]),
    ("LangChain", "python", ['"answer": ', ANSWER]),
    ("LangChain for JavaScript", "javascript", ['"answer":', ANSWER]),
    ("AutoGPT", "python", ["consult_expert", ANSWER, f"[1] {DOCUMENT}"]),
    ("MCP in a desktop host", "json", None),
    ("MCP in a hosted assistant", "text", None),
    ("MCP from Python", "python", [f"['{SLUG}']", DOCUMENT, ANSWER]),
    ("MCP from TypeScript", "javascript", [ANSWER, DOCUMENT]),
    ("A2A from Python", "python", [ANSWER, DOCUMENT]),
    ("fetch", "javascript", ["after the break:", ANSWER]),
    ("openapi-fetch", "javascript", [ANSWER, DOCUMENT]),
]
A2A = "A2A from Python"
PROGRAMS = [
    number
    for number, (name, language, parts) in enumerate(EXPECTED)
    if parts and language != "javascript" and name != A2A
]
# With the folder of packages that other tests have installed for the same clients, and what it is made with.
JAVASCRIPT: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]] | None] = {
    "TypeScript": ("sdk-ts-consumer", CONSUMER, ()),
    "LangChain for JavaScript": ("sdk-ts-consumer", CONSUMER, ()),
    "MCP from TypeScript": ("mcp-hosts", PACKAGES, ("--legacy-peer-deps", "--omit=optional")),
    "fetch": None,
    "openapi-fetch": ("client-generators-npm", NPM_TOOLS, ()),
}


def test_every_block_of_the_page_is_known() -> None:
    assert [one[:2] for one in blocks("clients.md")] == [one[:2] for one in EXPECTED]
    assert JAVASCRIPT.keys() == {heading for heading, language, _ in EXPECTED if language == "javascript"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", PROGRAMS, ids=[EXPECTED[number][0] for number in PROGRAMS])
def test_each_program_runs_and_prints_what_it_should(environment: dict[str, str], number: int) -> None:
    _, language, code = blocks("clients.md")[number]
    printed = run_program(language, code, environment)
    assert [part for part in EXPECTED[number][2] or [] if part not in printed] == [], printed


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_the_client_of_a2a_does_in_an_environment_of_its_own(environment: dict[str, str], settings: Any) -> None:
    settings.PUBLIC_URL = environment["LEXIC_BASE_URL"]  # the card says where its agent is
    (code,) = (code for title, _, code in blocks("clients.md") if title == A2A)
    python = python_with(A2A_PACKAGE)
    done = subprocess.run(
        [python, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    (expected,) = (parts for title, _, parts in EXPECTED if title == A2A)
    assert [part for part in expected or [] if part not in done.stdout] == [], done.stdout


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("heading", JAVASCRIPT)
def test_each_program_in_javascript_does(environment: dict[str, str], tmp_path: Path, heading: str) -> None:
    code = next(code for title, _, code in blocks("clients.md") if title == heading)
    modules = None
    if packages := JAVASCRIPT[heading]:
        name, wanted, options = packages
        modules = npm_installed(name, wanted, *options)
    printed = run_javascript(code, tmp_path, environment, modules=modules, with_package="lexic-sdk" in code)
    expected = next(parts for title, _, parts in EXPECTED if title == heading)
    assert [part for part in expected or [] if part not in printed] == [], printed


def test_the_settings_of_a_host_are_json() -> None:
    (settings,) = (json.loads(code) for _, language, code in blocks("clients.md") if language == "json")
    assert settings["mcpServers"]["lexic"]["url"].endswith("/mcp")


def test_the_links_of_the_page_lead_to_headings() -> None:
    for page, anchor in re.findall(r"\]\(([a-z]*(?:\.md)?)#([^)]+)\)", (DOCS / "clients.md").read_text()):
        text = (DOCS / (page or "clients.md")).read_text()
        assert anchor in {title.lower().replace(" ", "-") for title in re.findall(r"^## (.+)$", text, re.MULTILINE)}


def test_the_page_is_in_the_menu_and_lists_every_client() -> None:
    assert "clients" in guides.GUIDE_NAMES
    names = {anchor for anchor, _ in guides.load_guide("clients").sections}
    assert names >= {"curl", "langchain", "fetch"}
