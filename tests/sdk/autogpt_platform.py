"""As much of AutoGPT's `backend.sdk` as the blocks use: the same names, arguments and meanings, over real HTTP.

The platform cannot be installed as a package. What is stood in for here was read in its repository: schemas are
pydantic models, credentials come as an argument of `run`, and `Requests` buffers the reply.
"""

from __future__ import annotations

import enum
import importlib.util
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import httpx2
from pydantic import BaseModel, Field, SecretStr

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "autogpt" / "lexic"


class BlockCategory(enum.Enum):
    AI = "ai"
    SEARCH = "search"


class BlockCostType(enum.Enum):
    RUN = "run"


class BlockSchema(BaseModel):
    pass


class APIKeyCredentials(BaseModel):
    id: str
    provider: str
    title: str
    api_key: SecretStr
    expires_at: int | None = None
    type: str = "api_key"

    def auth_header(self) -> str:
        return f"Bearer {self.api_key.get_secret_value()}"


class CredentialsMetaInput(BaseModel):
    id: str
    provider: str
    type: str
    title: str | None = None


def schema_field(
    default: Any = ...,
    *args: Any,
    default_factory: Callable[[], Any] | None = None,
    title: str = "",
    description: str = "",
    placeholder: str = "",
    advanced: bool | None = None,
) -> Any:
    given = {"default_factory": default_factory} if default_factory else {"default": default}
    return Field(**given, description=description)


class Block:
    def __init__(self, **given: Any) -> None:
        known = {"id", "description", "categories", "input_schema", "output_schema"}
        assert set(given) - known == {"test_input", "test_output", "test_mock", "test_credentials"}
        self.__dict__.update(given)


class Provider:
    def __init__(self, name: str) -> None:
        self.name = name

    def credentials_field(self, *, description: str) -> Any:
        return Field(description=description)


class ProviderBuilder:
    def __init__(self, name: str) -> None:
        self.name = name

    def with_api_key(self, env_var_name: str, title: str) -> ProviderBuilder:
        return self

    def with_base_cost(self, amount: int, cost_type: BlockCostType, cost_divisor: int = 1) -> ProviderBuilder:
        return self

    def build(self) -> Provider:
        return Provider(self.name)


class Response:
    def __init__(self, reply: httpx2.Response) -> None:
        self.status, self._reply = reply.status_code, reply

    def json(self) -> Any:
        return self._reply.json()


class Requests:
    """Sends what is meant for https://lexic.example.org to `server` instead."""

    server = ""

    def __init__(self, *, raise_for_status: bool = True, retry_max_attempts: int | None = None) -> None:
        assert not raise_for_status, "a raised error would show the whole reply"
        assert retry_max_attempts, "the platform would ask a server that is busy for ever"

    async def post(self, url: str, *, headers: dict[str, str], json: Any, allow_redirects: bool) -> Response:
        assert not allow_redirects
        address = url.replace("https://lexic.example.org", self.server)
        async with httpx2.AsyncClient(trust_env=False, timeout=30) as client:
            return Response(await client.post(address, headers=headers, json=json))


def _sdk() -> ModuleType:
    module = ModuleType("backend.sdk")
    for named in (APIKeyCredentials, Block, BlockCategory, BlockCostType, CredentialsMetaInput, ProviderBuilder):
        setattr(module, named.__name__, named)
    module.__dict__.update(
        BlockOutput=AsyncGenerator[tuple[str, Any], None],
        BlockSchemaInput=BlockSchema,
        BlockSchemaOutput=BlockSchema,
        Requests=Requests,
        SchemaField=schema_field,
        SecretStr=SecretStr,
    )
    return module


@contextmanager
def platform_with_blocks() -> Iterator[ModuleType]:
    """The module `ask_expert` of the folder, imported as the platform imports it."""
    packages = {name: ModuleType(name) for name in ("backend", "backend.blocks", "backend.blocks.lexic")}
    packages["backend.blocks.lexic"].__path__ = [str(FOLDER)]
    with mock.patch.dict(sys.modules, {**packages, "backend.sdk": _sdk()}):
        name = "backend.blocks.lexic.ask_expert"
        spec = importlib.util.spec_from_file_location(name, FOLDER / "ask_expert.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        yield module
