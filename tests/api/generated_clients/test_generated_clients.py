"""Clients that published generators make of the description: they type-check as they come, and work.

They are made and checked once for each description, program and set of tools, and asked to work in every run."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.models import ApiKey, User
from api.schema.views import get_schema
from plugins.models import Plugin
from tests import prepared
from tests.client_packages import installed, made_once, npm_installed, run
from tests.servers import asgi_server

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

HERE = Path(__file__).parent
DEV_LOCK = prepared.ROOT / "requirements-dev.lock"
PYTHON_TOOLS = ("openapi-spec-validator==0.9.0", "openapi-python-client==0.29.1")
NPM_TOOLS = (
    "openapi-typescript@7.13.0",
    "openapi-fetch@0.17.0",
    "@hey-api/openapi-ts@0.95.0",
    "typescript@5.9.3",
    "@types/node@20.19.0",
    "esbuild@0.25.0",
)
TYPESCRIPT = {
    "strict": True,
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": ["node"],
    "noEmit": True,
}


@pytest.fixture
def python_tools() -> Path:
    venv = [sys.executable, "-m", "venv", "venv"]
    pip = ["venv/bin/python", "-m", "pip", "--quiet", "--no-input", "install", *PYTHON_TOOLS]
    return installed("client-generators-python", PYTHON_TOOLS, venv, pip) / "venv" / "bin"


@pytest.fixture
def npm_tools() -> Path:
    return npm_installed("client-generators-npm", NPM_TOOLS)


@pytest.fixture
def schema() -> str:
    return json.dumps(get_schema())


@pytest.fixture
def server(published: Plugin) -> Iterator[str]:
    with asgi_server() as url:
        yield url


@pytest.fixture
def secret(alice: User) -> str:
    capabilities = ["query", "read", "author"]
    return ApiKey.objects.issue(owner=alice, name="agent", capabilities=capabilities, per_minute=1000)[1]


def test_the_validator_of_openapi_finds_nothing(python_tools: Path, schema: str) -> None:
    def validate(folder: Path) -> None:
        (folder / "schema.json").write_text(schema)
        assert "OK" in run(python_tools / "openapi-spec-validator", folder / "schema.json")

    made_once("valid-schema", validate, schema, *PYTHON_TOOLS)


def test_no_default_is_outside_of_its_own_schema_and_the_server_is_named(settings: Any) -> None:
    def parts(part: Any) -> Iterator[dict[str, Any]]:
        if isinstance(part, dict):
            yield part
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            yield from parts(inner)

    assert [part for part in parts(get_schema()) if part.get("default") == "" and part.get("minLength")] == []
    assert get_schema()["servers"] == [{"url": settings.PUBLIC_URL}]


def test_a_client_by_openapi_python_client(python_tools: Path, schema: str, server: str, secret: str) -> None:
    files = ("application/zip", "application/x-ndjson", "application/jsonl")
    overrides = dict.fromkeys(files, "application/octet-stream")
    config = json.dumps({"content_type_overrides": overrides, "post_hooks": []})

    def make(folder: Path) -> None:
        (folder / "schema.json").write_text(schema)
        (folder / "config.json").write_text(config)
        target = folder / "client"
        given = ["--path", folder / "schema.json", "--config", folder / "config.json", "--output-path", target]
        run(python_tools / "openapi-python-client", "generate", "--fail-on-warning", *given)
        shutil.copy(HERE / "python_client.py", target / "program.py")
        run(sys.executable, "-m", "mypy", "--strict", "--config-file=", "program.py", "lexic_client", cwd=target)

    program = (HERE / "python_client.py").read_text()
    made = made_once("python-client", make, schema, config, program, *PYTHON_TOOLS, DEV_LOCK.read_text())
    assert_works(json.loads(run(sys.executable, made / "client" / "program.py", server, secret)))


def test_a_client_by_openapi_typescript(npm_tools: Path, schema: str, server: str, secret: str) -> None:
    def generate(folder: Path) -> None:
        run(npm_tools / ".bin" / "openapi-typescript", folder / "schema.json", "-o", folder / "schema.d.ts")

    bundle = typescript_bundle("fetch_client.ts", generate, npm_tools, schema)
    assert_works(json.loads(run("node", bundle, server, secret)), streamed=True)


def test_a_client_by_hey_api(npm_tools: Path, schema: str, server: str, secret: str) -> None:
    def generate(folder: Path) -> None:
        run(npm_tools / ".bin" / "openapi-ts", "-i", folder / "schema.json", "-o", folder / "hey", cwd=folder)

    bundle = typescript_bundle("hey_api_client.ts", generate, npm_tools, schema)
    assert_works(json.loads(run("node", bundle, server, secret)), streamed=True)


def typescript_bundle(program: str, generate: Callable[[Path], None], npm_tools: Path, schema: str) -> Path:
    """The program together with what was generated, checked and bundled."""
    config = json.dumps({"compilerOptions": TYPESCRIPT, "include": ["*.mts", "*.d.ts", "hey"]})

    def make(folder: Path) -> None:
        (folder / "schema.json").write_text(schema)
        generate(folder)
        shutil.copy(HERE / program, folder / "program.mts")
        (folder / "tsconfig.json").write_text(config)
        (folder / "node_modules").symlink_to(npm_tools)
        run(npm_tools / ".bin" / "tsc", "-p", ".", cwd=folder)
        bundled = [npm_tools / ".bin" / "esbuild", "program.mts", "--bundle", "--format=esm"]
        run(*bundled, "--outfile=program.bundle.mjs", cwd=folder)

    text = (HERE / program).read_text()
    return made_once(Path(program).stem, make, schema, config, text, *NPM_TOOLS) / "program.bundle.mjs"


def assert_works(printed: dict[str, Any], *, streamed: bool = False) -> None:
    assert "45 mm" in printed["answer"]
    assert any("45 mm" in excerpt for excerpt in printed["excerpts"])
    assert (printed["code"], printed["days"]) == ("unknown_plugin", 1)
    assert not streamed or printed["words"] == printed["answer"]
