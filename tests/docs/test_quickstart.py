"""docs/quickstart.md and the programs on the first page run as they stand, against the real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client

from marketplace.plugin_page.code_snippets import build_snippets
from tests.client_packages import npm_installed
from tests.docs.pages import blocks
from tests.docs.running import ANSWER, environment, run_javascript, run_program
from tests.sdk_ts.package import CONSUMER

__all__ = ["environment"]

QUESTION = "What is the minimum cover for a beam exposed to weather?"
PLUGIN = "structural-engineering-concrete-cover"
EXPECTED = {"HTTP": ['"outcome":"answered"', ANSWER], "Python": [ANSWER, "Cover handbook"]}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("heading", EXPECTED)
def test_each_program_of_the_quickstart_prints_what_it_should(environment: dict[str, str], heading: str) -> None:
    (program,) = ((language, code) for where, language, code in blocks("quickstart.md") if where == heading)
    printed = run_program(*program, environment)
    assert [text for text in EXPECTED[heading] if text not in printed] == [], printed


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_the_program_in_typescript_prints_it_as_well(environment: dict[str, str], tmp_path: Path) -> None:
    (code,) = (code for where, _, code in blocks("quickstart.md") if where == "TypeScript")
    modules = npm_installed("sdk-ts-consumer", CONSUMER)
    printed = run_javascript(code, tmp_path, environment, modules=modules, with_package=True)
    assert [text for text in EXPECTED["Python"] if text not in printed] == [], printed


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["http", "python"])
def test_what_the_first_page_shows_runs_as_well(environment: dict[str, str], settings, name: str) -> None:
    settings.PUBLIC_URL = environment["LEXIC_BASE_URL"]
    code = {one.id: one.code for one in build_snippets(PLUGIN, question=QUESTION)}[name]
    quiet = code.replace("curl ", "curl -s ", 1) if name == "http" else code
    assert ANSWER in run_program("bash" if name == "http" else "python", quiet, environment)


@pytest.mark.django_db
def test_the_way_to_mcp_is_the_same_everywhere(client: Client, settings) -> None:
    settings.PUBLIC_URL = "https://lexic.example.org"
    shown = {one.id: one.code for one in build_snippets(PLUGIN)}["mcp"]
    told = [code for _, language, code in blocks("quickstart.md") + blocks("api.md") if language == "json"]
    in_docs = [json.loads(code) for code in told]
    assert in_docs[0] == in_docs[1]
    assert json.loads(shown.replace("${LEXIC_API_KEY}", "lx_your-key")) == in_docs[0]
