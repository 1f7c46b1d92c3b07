"""docs/quickstart.md and the programs on the first page run as they stand, against the real server."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client

from marketplace.demo import DEMO_KEY_NAME, LoadedDemo, load_demo
from marketplace.plugin_page.code_snippets import build_snippets
from marketplace.site import guides
from marketplace.site.sdk_wheel import build_sdk_wheel
from querying.models import Query
from tests.client_packages import npm_installed, python_with, run
from tests.docs.pages import blocks
from tests.docs.running import ANSWER, SDK, environment, run_javascript, run_program
from tests.openai_stub import Answer, OpenAIStub, tool_call
from tests.sdk_ts.package import CONSUMER
from tests.servers import asgi_server

__all__ = ["environment"]

QUESTION = "What is the minimum cover for a beam exposed to weather?"
PLUGIN = "structural-engineering-concrete-cover"
_PIECES = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGCHAIN = "langchain[openai]==1.5.2"
CITED = [ANSWER, "Cover handbook"]
EXPECTED = {"HTTP": ['"outcome":"answered"', ANSWER], "Python": CITED, "Any OpenAI client": CITED}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("heading", EXPECTED)
def test_each_program_of_the_quickstart_prints_what_it_should(environment: dict[str, str], heading: str) -> None:
    shown = [(language, code) for where, language, code in blocks("quickstart.md") if where == heading]
    (program,) = (one for one in shown if one[0] != "console")
    printed = run_program(*program, environment)
    assert [text for text in EXPECTED[heading] if text not in printed] == [], printed


@pytest.mark.django_db(transaction=True)
def test_the_program_without_a_package_prints_it_in_node(environment: dict[str, str], tmp_path: Path) -> None:
    (plain, _) = (code for where, _, code in blocks("quickstart.md") if where == "TypeScript")
    printed = run_javascript(plain, tmp_path, environment, modules=None)
    assert [text for text in CITED if text not in printed] == [], printed


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_the_program_in_typescript_prints_it_as_well(environment: dict[str, str], tmp_path: Path) -> None:
    (_, code) = (code for where, _, code in blocks("quickstart.md") if where == "TypeScript")
    modules = npm_installed("sdk-ts-consumer", CONSUMER)
    printed = run_javascript(code, tmp_path, environment, modules=modules, with_package=True)
    assert [text for text in CITED if text not in printed] == [], printed


@pytest.mark.django_db(transaction=True)
def test_what_the_quickstart_installs_is_what_its_program_runs_with(
    environment: dict[str, str], settings: Any, tmp_path: Path
) -> None:
    """The command as the page shows it, with the digest, from the site itself; then the program, without the source."""
    url = environment["LEXIC_BASE_URL"]
    settings.PUBLIC_URL = url
    guides.read_guide.cache_clear()
    try:
        shown = _PIECES.findall(guides.read_guide("quickstart"))
    finally:
        guides.read_guide.cache_clear()
    (install,) = (
        code.strip() for language, code in shown if language == "console" and '"http' in code and "@" not in code
    )
    assert install == f'pip install "{url}{build_sdk_wheel().pinned}"'
    # Where packages go and whether others come along is said by variables, so that the command stays as it is shown.
    pip = {"PIP_TARGET": str(tmp_path / "packages"), "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1"}
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    assert "Successfully installed lexic-sdk" in run_program("bash", install, {**environment, **pip, **quiet})
    (program,) = (
        code for where, language, code in blocks("quickstart.md") if (where, language) == ("Python", "python")
    )
    with_place = f"{program}\nimport lexic_sdk; print(lexic_sdk.__file__)"
    printed = run_program("python", with_place, {**environment, "PYTHONPATH": str(tmp_path / "packages")})
    assert [text for text in [*CITED, str(tmp_path)] if text not in printed] == [], printed
    changed = install.replace("#sha256=", "#sha256=0")[:-2] + '"'
    refused = {**environment, **pip, **quiet}
    done = subprocess.run(["bash", "-c", changed], env=refused, capture_output=True, text=True, check=False)
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in done.stderr


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["http", "python", "openai"])
def test_what_the_first_page_shows_runs_as_well(environment: dict[str, str], settings, name: str) -> None:
    settings.PUBLIC_URL = environment["LEXIC_BASE_URL"]
    code = {one.id: one.code for one in build_snippets(PLUGIN, question=QUESTION)}[name]
    quiet = code.replace("curl ", "curl -s ", 1) if name == "http" else code
    assert ANSWER in run_program("bash" if name == "http" else "python", quiet, environment)


def agents_model(body: dict[str, Any]) -> Answer:
    """A model that asks the tool it is given what it was asked, and repeats the answer."""
    last = body["messages"][-1]
    if last["role"] != "tool":
        [tool] = body["tools"]
        return None, [tool_call(tool["function"]["name"], {"query": last["content"]})]
    told = json.loads(last["content"])
    cited = told["citations"][0]
    return f"The expert says: {told['answer']} ({cited['document']}, page {cited['page']})"


@pytest.fixture
def demo(settings: Any, tmp_path: Path) -> Iterator[tuple[LoadedDemo, dict[str, str]]]:
    """What `make demo` sets up, and how its key asks it."""
    settings.VAR_DIR = tmp_path
    loaded = load_demo(say=lambda sentence: None)
    with asgi_server() as url:
        yield loaded, {"LEXIC_BASE_URL": url, "LEXIC_API_KEY": loaded.key, "PYTHONPATH": str(SDK)}


@pytest.mark.django_db(transaction=True)
def test_the_answer_that_the_quickstart_shows_is_the_one_that_the_demo_gives(
    demo: tuple[LoadedDemo, dict[str, str]],
) -> None:
    (code,) = (code for where, _, code in blocks("quickstart.md") if where == "Read the answer")
    shown = json.loads(code)
    loaded, environment = demo
    response = httpx.post(
        f"{environment['LEXIC_BASE_URL']}/api/v1/query",
        json={"plugin": PLUGIN, "query": QUESTION},
        headers={"Authorization": f"Bearer {loaded.key}"},
        timeout=60,
    )
    given = response.json()
    assert given["answer"].startswith(shown.pop("answer").removesuffix("…"))
    [cited], [real] = shown.pop("citations"), given["citations"]
    assert re.sub(r"^.*/source/\d+", "", cited.pop("url")) == re.sub(r"^.*/source/\d+", "", real["url"])
    assert cited.items() <= real.items()
    assert {name: given[name] for name in shown} == shown


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_sp_12_a_langchain_agent_asks_the_plugin_of_the_demo(
    demo: tuple[LoadedDemo, dict[str, str]], tmp_path: Path
) -> None:
    loaded, environment = demo
    assert loaded.plugin.slug == PLUGIN
    (code,) = (
        code
        for where, language, code in blocks("quickstart.md")
        if where == "A LangChain agent" and language == "python"
    )
    program = tmp_path / "agent.py"
    program.write_text(code)
    with OpenAIStub(agents_model) as model:
        environment |= {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "any"}
        printed = run(python_with(LANGCHAIN), program, env=environment)
    assert "The expert says: The expert recommends: 45 mm nominal cover" in printed
    assert "(Concrete cover in buildings, page 5)" in printed
    assert Query.objects.get().api_key.name == DEMO_KEY_NAME


@pytest.mark.django_db
def test_the_way_to_mcp_is_the_same_everywhere(client: Client, settings) -> None:
    settings.PUBLIC_URL = "https://lexic.example.org"
    shown = {one.id: one.code for one in build_snippets(PLUGIN)}["mcp"]
    told = blocks("quickstart.md") + blocks("api.md")
    in_docs = [json.loads(code) for where, language, code in told if (where, language) == ("MCP", "json")]
    assert in_docs[0] == in_docs[1]
    assert json.loads(shown.replace("${LEXIC_API_KEY}", "lx_your-key")) == in_docs[0]
