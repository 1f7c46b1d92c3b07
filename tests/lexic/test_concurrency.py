from __future__ import annotations

import asyncio
import threading

import pytest

from lexic.concurrency import ConcurrencyLimit, Overloaded, Place


async def settle() -> None:
    """Lets every task run as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def work(place: Place, name: str, done: list[str], go_on: asyncio.Event) -> None:
    await place.wait()
    done.append(name)
    await go_on.wait()
    place.leave()


def test_those_who_wait_come_in_the_order_in_which_they_entered() -> None:
    async def run() -> list[str]:
        limit, done, go_on = ConcurrencyLimit(slots=1, queue=9), [], asyncio.Event()
        places = {name: limit.enter() for name in "abcd"}
        tasks = [asyncio.ensure_future(work(places[name], name, done, go_on)) for name in "adcb"]
        await settle()
        assert done == ["a"]
        assert [places[name].count_ahead() for name in "abcd"] == [0, 0, 1, 2]
        go_on.set()
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(run()) == ["a", "b", "c", "d"]


def test_as_many_work_at_once_as_there_are_slots() -> None:
    async def run() -> None:
        limit, done, go_on = ConcurrencyLimit(slots=3, queue=9), [], asyncio.Event()
        tasks = [asyncio.ensure_future(work(limit.enter(), str(number), done, go_on)) for number in range(5)]
        await settle()
        assert done == ["0", "1", "2"]
        go_on.set()
        await asyncio.gather(*tasks)
        assert limit._working == 0

    asyncio.run(run())


def test_a_full_line_says_when_to_come_back() -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(slots=1, queue=2)
        limit._mean_seconds = 30.0
        first, *others = [limit.enter() for _ in range(3)]
        await first.wait()
        tasks = [asyncio.ensure_future(place.wait()) for place in others]
        await settle()
        with pytest.raises(Overloaded) as refused:
            limit.enter()
        assert refused.value.status == 503
        assert refused.value.retry_after == 30  # half of the two are done by then
        first.leave()
        await settle()
        limit.enter()
        for place, task in zip(others, tasks, strict=True):
            await task
            place.leave()

    asyncio.run(run())


def test_whoever_leaves_the_line_holds_up_nobody() -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(slots=1, queue=2)
        first, gone, last = limit.enter(), limit.enter(), limit.enter()
        await first.wait()
        leaving, waiting = asyncio.ensure_future(gone.wait()), asyncio.ensure_future(last.wait())
        await settle()
        leaving.cancel()
        await settle()
        assert last.count_ahead() == 0
        first.leave()
        await waiting
        last.leave()
        assert limit._working == 0

    asyncio.run(run())


def test_a_slot_that_comes_in_the_moment_of_leaving_goes_to_the_next() -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(slots=1, queue=2)
        first, gone, last = limit.enter(), limit.enter(), limit.enter()
        await first.wait()
        leaving, waiting = asyncio.ensure_future(gone.wait()), asyncio.ensure_future(last.wait())
        await settle()
        first.leave()  # gives the slot to `gone`, which has not heard of it yet
        leaving.cancel()
        await asyncio.wait_for(waiting, timeout=5)
        last.leave()
        assert limit._working == 0

    asyncio.run(run())


def test_a_pause_lets_others_work_and_comes_back_before_those_who_came_later() -> None:
    async def run() -> list[str]:
        limit, done, go_on = ConcurrencyLimit(slots=1, queue=9), [], asyncio.Event()
        early, second, third = limit.enter(), limit.enter(), limit.enter()
        outside = asyncio.Event()

        async def pausing() -> None:
            await early.wait()
            async with early.paused():
                done.append("outside")
                await outside.wait()
            done.append("back")
            early.leave()

        tasks = [asyncio.ensure_future(pausing())]
        await settle()
        tasks += [
            asyncio.ensure_future(work(place, name, done, go_on)) for place, name in ((second, "b"), (third, "c"))
        ]
        await settle()
        outside.set()
        await settle()
        assert done == ["outside", "b"]
        go_on.set()
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(run()) == ["outside", "b", "back", "c"]


def test_what_fails_in_a_pause_goes_on_with_a_slot() -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(slots=1, queue=0)
        place = limit.enter()
        await place.wait()
        with pytest.raises(ValueError, match="outside"):
            async with place.paused():
                raise ValueError("outside")
        assert limit._working == 1
        place.leave()
        place.leave()
        assert limit._working == 0

    asyncio.run(run())


def test_threads_with_event_loops_of_their_own_share_a_limit() -> None:
    limit, lock, working, most = ConcurrencyLimit(slots=2, queue=100), threading.Lock(), 0, 0

    async def one() -> None:
        nonlocal working, most
        place = limit.enter()
        await place.wait()
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
    assert limit._working == 0
