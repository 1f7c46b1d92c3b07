"""A process dies anywhere in a run: another one goes on behind the last finished call, and the reader sees one run."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone

from accounts.models import User
from agents.execution import background_runs
from agents.models import STOP_SECONDS, AgentRun
from agents.tasks import resume, resume_interrupted
from plugins.models import Plugin
from querying.models import Query
from tests.agents.working import OPEN, answer_of, ask, begin, data_of, died_behind, kinds, shown, text_of, work
from tests.lexic.running import until

pytestmark = pytest.mark.django_db
# After these there is no moment in which a process can die.
COMMITTED_WITH_THE_NEXT = {"agent_type", "found", "source", "clarification"}
WEATHER = "What is the minimum cover for a beam exposed to weather?"


def timeless(events: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Without what differs each time: how long a step took, and the signature of a token."""
    differs = ("ms", "token", "result")
    return [(kind, {name: value for name, value in data.items() if name not in differs}) for kind, data in events]


@pytest.mark.parametrize("text", ["How far apart do spacers made of mortar stand?", WEATHER, OPEN])
def test_wherever_it_dies_the_run_ends_as_it_would_have(published: Plugin, bob: User, text: str) -> None:
    run = ask(published, bob, text)
    whole, answer = timeless(shown(run)), answer_of(run).content
    searched = run.events.get(kind="found").number + 1
    for number in range(run.events.count() - 1, 0, -1):
        if run.events.get(number=number).kind in COMMITTED_WITH_THE_NEXT:
            continue
        Query.objects.all().delete()
        resumed = work(died_behind(run, number))
        assert timeless(shown(resumed)) == whole, f"killed behind event {number}"
        assert answer_of(resumed).content == answer
        assert Query.objects.count() == (0 if number >= searched else 1), "a finished call is not made again"
        AgentRun.objects.update(attempts=1)


def test_a_call_that_had_begun_is_made_again_under_its_number(published: Plugin, bob: User) -> None:
    run = ask(published, bob)
    begun = run.events.get(kind="step_start").number
    resumed = work(died_behind(run, begun))
    assert kinds(resumed).count("step_start") == 1
    assert data_of(resumed, "step_end")[0]["callId"] == data_of(resumed, "step_start")[0]["callId"]


def test_where_the_text_comes_out_otherwise_what_was_shown_stays(
    published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(published, bob)
    before = data_of(run, "content")[0]["text"]
    number = run.events.filter(kind="content").order_by("number")[0].number
    held = died_behind(run, number)
    monkeypatch.setattr("querying.answering.llms.extractive.Extractive.generate", other_words)
    resumed = work(held)
    assert (text_of(resumed), resumed.state) == (before, "done")
    kept = answer_of(resumed)
    assert kept.content == before
    assert [one["id"] for one in kept.metadata["citations"]] == ["src_1"]


async def other_words(*args: Any) -> Any:
    yield "They stand at most one metre apart [Source 1]."


def test_a_worker_takes_up_what_nobody_reads(published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[AgentRun] = []
    monkeypatch.setattr(background_runs, "start", begun.append)
    run = begin(published, bob)
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr("agents.tasks.publish_task", lambda name, **named: sent.append(named))
    resume_interrupted()
    assert sent == [], "its process lives"
    AgentRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    resume_interrupted()
    assert [one["run_id"] for one in sent] == [str(run.pk)]
    resume(run_id=str(run.pk))
    resume(run_id=str(run.pk))
    [held] = begun
    assert not held.has_ended, "the task has ended before the run, which may wait for a review of this worker"
    done = work(held)
    assert (done.state, done.attempts) == ("done", 2)


def test_a_process_does_not_take_over_what_it_works_on(
    published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine renews a lease too late; three such moments were taken for three deaths."""
    run, begun, may_end = begin(published, bob), Event(), Event()

    async def busy(run: AgentRun) -> None:
        begun.set()
        await asyncio.to_thread(may_end.wait, 60)

    monkeypatch.setattr(background_runs, "execute_run", busy)
    background_runs.start(run)
    assert begun.wait(60)
    AgentRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    background_runs.resume_if_abandoned(run.pk)
    assert AgentRun.objects.get().attempts == 1
    may_end.set()
    until(lambda: run.pk not in background_runs._working_on)
    background_runs.resume_if_abandoned(run.pk)
    assert AgentRun.objects.get().attempts == 2


def taken_over_again(run: AgentRun, times: int) -> AgentRun:
    for _ in range(times):
        AgentRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
        held = AgentRun.objects.get(pk=run.pk)
        assert held.take_over()
    return held


def test_a_call_that_kills_its_process_three_times_ends_the_run_and_says_so(published: Plugin, bob: User) -> None:
    run = work(taken_over_again(begin(published, bob), times=3))
    assert (run.state, kinds(run)) == ("failed", ["run", "error"])
    [error] = data_of(run, "error")
    kept = answer_of(run)
    assert (error["code"], kept.metadata["outcome"]) == ("interrupted", "failed")
    assert kept.content == f"{error['message']} {error['hint']}"
    assert ask(published, bob, session=run.session).state == "done", "the conversation goes on"


def test_what_was_shown_before_the_processes_died_is_kept(published: Plugin, bob: User) -> None:
    whole = ask(published, bob)
    shown_first = data_of(whole, "content")[0]["text"]
    held = died_behind(whole, whole.events.filter(kind="content").order_by("number")[0].number)
    run = work(taken_over_again(held, times=2))
    assert (run.state, answer_of(run).content) == ("failed", shown_first)
    assert answer_of(run).metadata["citations"]


# --- Stopped after its process has died ----------------------------------------------------------------------------


def test_a_run_whose_process_has_died_is_stopped_within_seconds(
    published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin(published, bob)
    run.request_cancel()
    run.refresh_from_db()
    assert run.leased_until is not None
    assert run.leased_until <= timezone.now() + timedelta(seconds=STOP_SECONDS), "a living process ends it before"
    monkeypatch.setattr(background_runs, "STOP_SECONDS", -0.2)
    AgentRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    async_to_sync(background_runs._end_abandoned)(run.pk)
    run.refresh_from_db()
    assert (run.state, kinds(run)) == ("cancelled", ["run", "done"])
    assert answer_of(run).content == "You stopped this."


def test_a_run_that_ended_in_time_is_left_as_it_is(
    published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(published, bob)
    monkeypatch.setattr(background_runs, "STOP_SECONDS", -0.2)
    async_to_sync(background_runs._end_abandoned)(run.pk)
    run.refresh_from_db()
    assert (run.state, run.attempts) == ("done", 1)


def test_one_that_was_stopped_and_died_too_often_was_stopped(published: Plugin, bob: User) -> None:
    run = begin(published, bob)
    run.request_cancel()
    assert work(taken_over_again(run, times=3)).state == "cancelled"
