"""The places of questions whose web process was killed are free again within a minute; who goes on keeps theirs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache

from accounts import quotas
from lexic.redis_cache import redis_client
from tests.faults.held_command import environment_of_tests
from tests.prepared import ROOT
from tests.worker_processes import kill

HOLDS_A_PLACE = """
import asyncio, django, sys
django.setup()
from django.conf import settings
settings.CACHE_URL = sys.argv[1]  # the part of Redis that this test has
from accounts import quotas
quotas._SLOT_SECONDS = 6

async def hold():
    async with quotas.stream_slot("killed"):
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(hold())
"""


@pytest.fixture(autouse=True)
def nobody_asks() -> None:
    redis_client().delete(*map(cache.make_key, ("streams", "streams:killed", "streams:alive")))


def can_enter(account: str) -> bool:
    """Whether this account may ask one more question, where one at once is all that it may."""

    @async_to_sync
    async def enter() -> None:
        async with quotas.stream_slot(account):
            pass

    try:
        enter()
    except quotas.TooManyStreams:
        return False
    return True


def test_a_killed_process_gives_its_places_back(settings: Any) -> None:
    settings.QUOTAS = {"account_streams": 1}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_A_PLACE, settings.CACHE_URL],
        cwd=ROOT,
        env=environment_of_tests(),
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == b"held\n"
            assert not can_enter("killed")
        finally:
            kill(process)

    @async_to_sync
    async def wait() -> None:
        for _ in range(600):
            if await asyncio.to_thread(can_enter, "killed"):
                return
            await asyncio.sleep(0.1)
        raise AssertionError("the place of a dead process is still held")

    wait()


def test_a_stream_that_goes_on_keeps_its_place(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.QUOTAS = {"account_streams": 1}
    monkeypatch.setattr(quotas, "_SLOT_SECONDS", 2)
    monkeypatch.setattr(quotas, "_RENEWAL_SECONDS", 0.1)

    @async_to_sync
    async def hold() -> None:
        async with quotas.stream_slot("alive"):
            await asyncio.sleep(3.5)  # longer than the place is held without renewing it
            assert not await asyncio.to_thread(can_enter, "alive")

    hold()
    assert can_enter("alive")
