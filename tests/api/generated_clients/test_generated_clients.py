"""Clients that published generators make of the description: they type-check as they come, and work."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.models import ApiKey, User
from api.schema.views import get_schema
from plugins.models import Plugin
from tests.client_packages import installed, npm_installed, run
from tests.servers import asgi_server

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

HERE = Path(__file__).parent
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
def schema(tmp_path: Path) -> Path:
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(get_schema()))
    return file


@pytest.fixture
def server(published: Plugin) -> Iterator[str]:
    with asgi_server() as url:
        yield url


@pytest.fixture
def secret(alice: User) -> str:
    capabilities = ["query", "read", "author"]
    return ApiKey.objects.issue(owner=alice, name="agent", capabilities=capabilities, per_minute=1000)[1]


def test_the_validator_of_openapi_finds_nothing(python_tools: Path, schema: Path) -> None:
    assert "OK" in run(python_tools / "openapi-spec-validator", schema)


def test_no_default_is_outside_of_its_own_schema_and_the_server_is_named(settings: Any) -> None:
    def parts(part: Any) -> Iterator[dict[str, Any]]:
        if isinstance(part, dict):
            yield part
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            yield from parts(inner)

    assert [part for part in parts(get_schema()) if part.get("default") == "" and part.get("minLength")] == []
    assert get_schema()["servers"] == [{"url": settings.PUBLIC_URL}]


def test_a_client_by_openapi_python_client(
    python_tools: Path, schema: Path, server: str, secret: str, tmp_path: Path
) -> None:
    overrides = {"application/zip": "application/octet-stream", "application/x-ndjson": "text/plain"}
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"content_type_overrides": overrides, "post_hooks": []}))
    target, program = tmp_path / "client", tmp_path / "client" / "program.py"
    generator = python_tools / "openapi-python-client"
    said = run(generator, "generate", "--path", schema, "--config", config, "--output-path", target)
    assert "WARNING" not in said
    shutil.copy(HERE / "python_client.py", program)
    run(sys.executable, "-m", "mypy", "--strict", "--config-file=", "program.py", "lexic_client", cwd=target)
    assert_works(json.loads(run(sys.executable, program, server, secret)))


def test_a_client_by_openapi_typescript(
    npm_tools: Path, schema: Path, server: str, secret: str, tmp_path: Path
) -> None:
    run(npm_tools / ".bin" / "openapi-typescript", schema, "-o", tmp_path / "schema.d.ts")
    assert_works(run_typescript("fetch_client.ts", npm_tools, tmp_path, server, secret), streamed=True)


def test_a_client_by_hey_api(npm_tools: Path, schema: Path, server: str, secret: str, tmp_path: Path) -> None:
    run(npm_tools / ".bin" / "openapi-ts", "-i", schema, "-o", tmp_path / "hey", cwd=tmp_path)
    assert_works(run_typescript("hey_api_client.ts", npm_tools, tmp_path, server, secret), streamed=True)


def run_typescript(program: str, npm_tools: Path, folder: Path, server: str, secret: str) -> dict[str, Any]:
    """What the program prints, after it has been checked and bundled together with what was generated."""
    shutil.copy(HERE / program, folder / "program.mts")
    (folder / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": TYPESCRIPT, "include": ["*.mts", "*.d.ts", "hey"]})
    )
    (folder / "node_modules").symlink_to(npm_tools)
    run(npm_tools / ".bin" / "tsc", "-p", ".", cwd=folder)
    bundle = folder / "program.bundle.mjs"
    run(npm_tools / ".bin" / "esbuild", "program.mts", "--bundle", "--format=esm", f"--outfile={bundle}", cwd=folder)
    printed: dict[str, Any] = json.loads(run("node", bundle, server, secret))
    return printed


def assert_works(printed: dict[str, Any], *, streamed: bool = False) -> None:
    assert "45 mm" in printed["answer"]
    assert any("45 mm" in excerpt for excerpt in printed["excerpts"])
    assert (printed["code"], printed["days"]) == ("unknown_plugin", 1)
    assert not streamed or printed["words"] == printed["answer"]
