from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.models import ApiKey, User
from tests.openai_stub import OpenAIStub
from tests.servers import asgi_server


@pytest.fixture
def server() -> Iterator[str]:
    with asgi_server() as url:
        yield url


@pytest.fixture
def reader(alice: User) -> str:
    """A key of Alice's that may read documents as well."""
    return ApiKey.objects.issue(owner=alice, name="reader", capabilities=["query", "read"])[1]


@pytest.fixture
def stub(settings) -> Iterator[OpenAIStub]:
    with OpenAIStub() as running:
        settings.LEXIC_LLM = "openai"
        settings.OPENAI_API_KEY = "sk-test"
        settings.OPENAI_BASE_URL = running.base_url
        yield running
