from __future__ import annotations

import asyncio
import threading
import time

import pytest

from lexic import concurrency
from lexic.concurrency import ConcurrencyLimit, Overloaded, Place, in_turn


async def until_waiting(limit: ConcurrencyLimit, count: int) -> None:
    async with asyncio.timeout(20):
        while limit._count_waiting() != count:
            await asyncio.sleep(0.002)


async def hold(place: Place, name: str, done: list[str], go_on: asyncio.Event) -> None:
    await place.take_slot()
    done.append(name)
    await go_on.wait()
    place.leave()


def test_those_who_wait_come_in_the_order_in_which_they_entered() -> None:
    async def run() -> list[str]:
        limit, done, go_on = ConcurrencyLimit(slots=1, queue=9), [], asyncio.Event()
        places = {name: limit.enter() for name in "abcd"}
        tasks = [asyncio.ensure_future(hold(places[name], name, done, go_on)) for name in "adcb"]
        await until_waiting(limit, 3)
        assert done == ["a"]
        assert places["b"].must_wait()
        assert [places[name].count_ahead() for name in "abcd"] == [0, 0, 1, 2]
        go_on.set()
        await asyncio.gather(*tasks)
        assert (limit._working, limit._entered) == (0, 0)
        return done

    assert asyncio.run(run()) == ["a", "b", "c", "d"]


def test_as_many_work_at_once_as_there_are_slots() -> None:
    async def run() -> None:
        limit, done, go_on = ConcurrencyLimit(slots=3, queue=9), [], asyncio.Event()
        tasks = [asyncio.ensure_future(hold(limit.enter(), str(number), done, go_on)) for number in range(5)]
        await until_waiting(limit, 2)
        assert done == ["0", "1", "2"]
        go_on.set()
        await asyncio.gather(*tasks)
        assert limit._working == 0

    asyncio.run(run())


def test_a_full_line_says_when_to_come_back() -> None:
    limit = ConcurrencyLimit(slots=1, queue=2)
    limit._mean_seconds = 30.0
    places = [limit.enter() for _ in range(3)]
    with pytest.raises(Overloaded) as refused:
        limit.enter()
    assert refused.value.status == 503
    assert refused.value.retry_after == 15  # about half of them are done by then
    places[1].leave()
    places[1].leave()
    limit.enter()
    with pytest.raises(Overloaded):
        limit.enter()


def test_whoever_leaves_the_line_holds_up_nobody() -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(slots=1, queue=2)
        first, gone, last = limit.enter(), limit.enter(), limit.enter()
        await first.take_slot()
        leaving, waiting = asyncio.ensure_future(gone.take_slot()), asyncio.ensure_future(last.take_slot())
        await until_waiting(limit, 2)
        leaving.cancel()
        await until_waiting(limit, 1)
        assert last.count_ahead() == 0
        first.leave()
        await asyncio.wait_for(waiting, 20)
        last.leave()
        assert limit._working == 0

    asyncio.run(run())


def test_a_slot_that_comes_in_the_moment_of_leaving_goes_to_the_next() -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(slots=1, queue=2)
        first, gone, last = limit.enter(), limit.enter(), limit.enter()
        await first.take_slot()
        leaving, waiting = asyncio.ensure_future(gone.take_slot()), asyncio.ensure_future(last.take_slot())
        await until_waiting(limit, 2)
        first.leave()  # gives the slot to `gone`, which has not heard of it yet
        leaving.cancel()
        await asyncio.wait_for(waiting, 20)
        last.leave()
        assert limit._working == 0

    asyncio.run(run())


def test_a_slot_is_held_until_the_thread_has_ended_though_the_caller_has_gone() -> None:
    async def run() -> None:
        limit, begun, go_on = ConcurrencyLimit(slots=1, queue=9), threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            go_on.wait(20)

        leaving = asyncio.ensure_future(limit.enter().run(work))
        assert await asyncio.to_thread(begun.wait, 20)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert limit._working == 1
        go_on.set()
        async with asyncio.timeout(20):
            while limit._working:
                await asyncio.sleep(0.002)

    asyncio.run(run())


def test_work_that_nobody_waits_for_any_more_is_not_begun() -> None:
    async def run() -> list[str]:
        limit, done, go_on = ConcurrencyLimit(slots=2, queue=9), [], threading.Event()
        busy = asyncio.ensure_future(limit.enter().run(go_on.wait, 20))  # on the only thread that both have
        leaving = asyncio.ensure_future(limit.enter().run(done.append, "never"))
        async with asyncio.timeout(20):
            while limit._working < 2:
                await asyncio.sleep(0.002)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        go_on.set()
        await busy
        assert limit._working == 0
        return done

    assert asyncio.run(run()) == []


def test_what_is_current_works_in_its_turn_and_counts_its_waiting() -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(slots=1, queue=9)
        holding, place = limit.enter(), limit.enter()
        await holding.take_slot()
        with place.as_current():
            waiting = asyncio.ensure_future(in_turn(str, 5))
            await until_waiting(limit, 1)
            time.sleep(0.01)
            holding.leave()
            assert await waiting == "5"
        assert place.waited_seconds >= 0.01
        assert await in_turn(str, 6) == "6"  # nobody's turn

    asyncio.run(run())


def test_what_fails_frees_its_slot() -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(slots=1, queue=0)
        with pytest.raises(ValueError, match="x"):
            await limit.enter().run(int, "x")
        assert limit._working == 0

    asyncio.run(run())


def test_threads_with_event_loops_of_their_own_share_a_limit() -> None:
    limit, lock, working, most = ConcurrencyLimit(slots=2, queue=100), threading.Lock(), 0, 0

    async def one() -> None:
        nonlocal working, most
        place = limit.enter()
        await place.take_slot()
        with lock:
            working += 1
            most = max(most, working)
        await asyncio.sleep(0.001)
        with lock:
            working -= 1
        place.leave()

    async def many() -> None:
        await asyncio.gather(*(one() for _ in range(10)))

    threads = [threading.Thread(target=lambda: asyncio.run(many())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)
    assert most == 2
    assert (limit._working, limit._entered) == (0, 0)


def test_those_who_only_have_to_be_let_in_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "_PAUSE_SECONDS", 1000.0)

    async def run() -> None:
        doors = ConcurrencyLimit(slots=1, queue=9)
        work = ConcurrencyLimit(slots=2, queue=9, first=doors)
        inside, outside = doors.enter(), doors.enter()
        await inside.take_slot()
        first, second = work.enter(), work.enter()
        await first.take_slot()  # nobody waits at the door
        waiting = asyncio.ensure_future(outside.take_slot())
        await until_waiting(doors, 1)
        working = asyncio.ensure_future(second.take_slot())
        await until_waiting(work, 1)
        assert not second.must_wait(), "there is a slot"
        first.leave()
        await asyncio.sleep(0)
        assert not working.done()
        inside.leave()
        await waiting
        work._end_pause()  # as the timer does
        await working
        second.leave()
        outside.leave()
        assert (work._working, doors._working) == (0, 0)

    asyncio.run(run())


def test_work_goes_on_however_many_stand_at_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "_PAUSE_SECONDS", 0.01)

    async def run(patience: float) -> float:
        monkeypatch.setattr(concurrency, "_MOST_PATIENCE_SECONDS", patience)
        doors = ConcurrencyLimit(slots=1, queue=9)
        work = ConcurrencyLimit(slots=1, queue=99, first=doors)
        inside, outside = doors.enter(), doors.enter()
        await inside.take_slot()
        waiting = asyncio.ensure_future(outside.take_slot())
        await until_waiting(doors, 1)
        begun = time.monotonic()
        async with asyncio.timeout(60):
            for _ in range(20):
                place = work.enter()
                await place.take_slot()
                place.leave()
        seconds = time.monotonic() - begun
        waiting.cancel()
        inside.leave()
        return seconds

    assert asyncio.run(run(1000.0)) >= 19 * 0.01, "a turn in each pause"
    monkeypatch.setattr(concurrency, "_PAUSE_SECONDS", 1000.0)
    asyncio.run(run(0.0))  # does not end where patience has no end
