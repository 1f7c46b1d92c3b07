"""Readers of a run's journal: what they cost while nothing happens, and how many a person has."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync

from accounts.models import User
from accounts.quotas import FOLLOWERS, stream_slot
from agents.execution.follow_run import JournalEvent, _Reader, follow
from agents.models import AgentRun
from plugins.models import Plugin
from querying.types import Caller
from tests.agents.working import ask, begin, kinds

pytestmark = pytest.mark.django_db


def caller_of(user: User) -> Caller:
    return Caller(name="reader", user_id=user.pk)


def test_a_look_that_finds_nothing_new_is_one_statement(
    published: Plugin, bob: User, django_assert_num_queries: Any
) -> None:
    run = begin(published, bob)
    reader = _Reader(run_id=run.pk, caller=caller_of(bob), after=0)
    assert [event.kind for event in reader.look()[0]] == ["run"]
    with django_assert_num_queries(1):
        assert reader.look() == ([], False)


def test_whoever_follows_too_many_runs_is_told_and_the_run_works_on(
    published: Plugin, bob: User, alice: User, settings: Any
) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "account_followers": 2}
    run = ask(published, bob)

    async def followed(by: User) -> list[JournalEvent]:
        async with (
            stream_slot(str(bob.pk), quota=FOLLOWERS),
            stream_slot(str(bob.pk), quota=FOLLOWERS),
        ):
            return [event async for event in follow(run.pk, caller=caller_of(by))]

    [refused] = async_to_sync(followed)(bob)
    assert (refused.number, refused.kind, refused.data["code"]) == (None, "error", "too_many_followers")
    assert AgentRun.objects.get().state == "done"
    [stranger] = async_to_sync(followed)(alice)
    assert stranger.data["code"] == "unknown_run", "others are not counted with them"

    async def freed() -> list[str]:
        return [event.kind async for event in follow(run.pk, caller=caller_of(bob))]

    assert async_to_sync(freed)() == kinds(run)
