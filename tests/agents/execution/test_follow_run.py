"""Readers of a run's journal: what they cost while nothing happens, and how many a person has."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import OperationalError

from accounts.models import User
from accounts.quotas import FOLLOWERS, stream_slot
from agents.execution import follow_run
from agents.execution.follow_run import JournalEvent, _Reader, follow
from agents.models import AgentRun
from plugins.models import Plugin
from querying.types.question import Caller
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


@pytest.fixture
def losses(monkeypatch: pytest.MonkeyPatch) -> list[OperationalError]:
    """The connection is lost at as many looks as this list is long."""
    left: list[OperationalError] = []
    look = _Reader.look

    def lose(reader: _Reader) -> Any:
        if left:
            raise left.pop()
        return look(reader)

    monkeypatch.setattr(_Reader, "look", lose)
    return left


def follow_to_the_end(run: AgentRun, by: User) -> list[JournalEvent]:
    async def followed() -> list[JournalEvent]:
        return [event async for event in follow(run.pk, caller=caller_of(by))]

    return async_to_sync(followed)()


def test_a_lost_connection_does_not_end_a_stream(published: Plugin, bob: User, losses: list[OperationalError]) -> None:
    run = ask(published, bob)
    losses += [OperationalError("terminating connection"), OperationalError("connection refused")]
    assert [event.kind for event in follow_to_the_end(run, bob)] == kinds(run)


def test_a_database_that_stays_away_ends_it_with_a_reason(
    published: Plugin, bob: User, losses: list[OperationalError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow_run, "_OUTAGE_SECONDS", 1.0)
    run = ask(published, bob)
    losses += [OperationalError("connection refused")] * 20
    [error] = follow_to_the_end(run, bob)
    assert (error.kind, error.data["code"]) == ("error", "unavailable")
