"""The types of the TypeScript package are those of the API's description."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from api.schema.client_schema import OPERATIONS, make_client_schema
from tests.api.generated_clients.test_generated_clients import NPM_TOOLS
from tests.client_packages import npm_installed, run
from tests.sdk_ts.package import SDK


def test_the_description_that_the_package_keeps_is_that_of_the_server() -> None:
    kept = json.loads((SDK / "openapi.json").read_text())
    assert kept == make_client_schema(), "run: manage.py client_schema > sdk-ts/openapi.json; cd sdk-ts; npm run types"


def test_it_says_what_the_package_calls_and_nothing_of_errors_or_examples() -> None:
    made = make_client_schema()
    assert made["paths"].keys() == OPERATIONS.keys()
    assert {"Answer", "AnswerEvent", "Error", "Batch", "QueryRequest"} <= made["components"]["schemas"].keys()
    assert "WebhookWithSecret" not in made["components"]["schemas"]
    assert '"example' not in json.dumps(made)


def test_the_package_calls_each_path_that_it_describes() -> None:
    sources = "".join(path.read_text() for path in (SDK / "src").glob("*.ts") if path.name != "openapi.ts")
    assert [path for path in OPERATIONS if f'"{path}"' not in sources] == []


@pytest.mark.long
def test_the_types_are_those_that_openapi_typescript_makes_of_it(tmp_path: Path) -> None:
    tools = npm_installed("client-generators-npm", NPM_TOOLS)
    run(tools / ".bin" / "openapi-typescript", SDK / "openapi.json", "-o", tmp_path / "openapi.ts")
    assert (SDK / "src" / "openapi.ts").read_text() == (tmp_path / "openapi.ts").read_text()
