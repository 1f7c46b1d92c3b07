"""A caller of the public chat who has gone before the first byte keeps no place among the questions."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.core.cache import cache
from django.test import AsyncClient

from conversations import plain_text_stream
from lexic.redis_cache import redis_client
from plugins.models import Plugin
from querying.admission import answer_limit
from querying.models import Query
from tests.conversations.asking import WORN
from tests.conversations.conftest import chat, nobody_has_asked_yet, plugin, tree
from tests.openai_stub import OpenAIStub

__all__ = ["chat", "nobody_has_asked_yet", "plugin", "tree"]
pytestmark = pytest.mark.django_db(transaction=True)
SENTENCE = "Safety boots with a steel toe are worn on every site. [Source 1] "


@pytest.fixture(autouse=True)
def nobody_collects_garbage() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def opened(chat: Plugin, stub: OpenAIStub) -> Plugin:
    """Its answers are long enough to begin before they end."""
    stub.answer = lambda body: SENTENCE * 3
    return chat


async def ask() -> Any:
    body = json.dumps({"message": WORN})
    response = await AsyncClient().post("/api/public/boots/chat", data=body, content_type="application/json")
    assert response.streaming
    assert await places() == (1, 1)
    return response


async def places() -> tuple[int, int]:
    """How many questions hold one in this process, and among the streams of the site."""
    held = await sync_to_async(lambda: redis_client().zcard(cache.make_key("streams")))()
    return answer_limit()._entered, held


async def until_free() -> None:
    """And until the question has its row, which is written at the very end."""
    for _ in range(3000):
        if await places() == (0, 0) and await Query.objects.aexists():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"(process, site) still hold {await places()}")


def test_a_response_that_is_closed_unread_gives_its_place_back(opened: Plugin) -> None:
    """Django closes a response that it could not begin to send."""

    async def leave() -> None:
        response = await ask()
        await sync_to_async(response.close)()
        await until_free()

    asyncio.run(leave())  # as a web server does: no thread of ours waits outside
    assert Query.objects.get().outcome == "abandoned"


def test_a_response_that_is_dropped_gives_its_place_back_soon(opened: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    """So it goes where the caller leaves while the view returns: nobody closes the response, and something refers to
    it for as long as it likes."""
    monkeypatch.setattr(plain_text_stream, "UNREAD_SECONDS", 0.2)

    async def leave() -> None:
        dropped = await ask()
        await until_free()
        assert dropped.streaming

    asyncio.run(leave())  # as a web server does: no thread of ours waits outside
    assert Query.objects.get().outcome == "abandoned"


def test_a_response_that_is_read_slowly_is_read_to_its_end(opened: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text_stream, "UNREAD_SECONDS", 0.1)

    @async_to_sync
    async def read() -> str:
        response, text = await ask(), b""
        async for piece in response.streaming_content:
            text += piece
            await asyncio.sleep(0.2)
        await sync_to_async(response.close)()
        await until_free()
        return text.decode()

    assert read().count("steel toe") >= 2
    assert Query.objects.get().outcome == "answered"
