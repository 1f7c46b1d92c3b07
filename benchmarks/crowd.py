"""Many questions at once to one web process: `python -m benchmarks.crowd` (some two minutes, most of it reading).

A made-up code of practice of some 700 chunks is read and published, and one web process is started with the pool of
connections that `make run` gives it. Its stream is asked for by one client after another, by eight at a time, and by
300 at once: how many were answered and how many refused, the questions a second, when the first event and the whole
answer came (median and the slowest), and what the server had used of the processors by the first event, which depends
less on what else the machine does. No quota refuses anybody here.
`--quick` reads a hundred chunks, and lets one and sixty ask.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import TYPE_CHECKING

import httpx

from benchmarks._harness import processor_seconds, run_benchmark, temporary_database
from benchmarks.query import create_published_plugin
from local.loopback_client import own_web_server

if TYPE_CHECKING:
    from plugins.models import Plugin

CHUNKS = 700
ALONE, FEW, MANY = 1, 8, 300
CROWDS = ((ALONE, 24), (FEW, 96), (MANY, MANY))
QUICK_CROWDS = ((ALONE, 8), (60, 60))
_SETTINGS = {"LEXIC_DB_POOL": "8", "LEXIC_LOG_LEVEL": "ERROR", "LEXIC_ACCOUNT_STREAMS": "0", "LEXIC_SITE_STREAMS": "0"}
TIMEOUT = 180  # seconds for one answer, with all that wait before it


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How one stream went: `first` and `whole` are seconds since the question was sent, `first_spent` the processor
    seconds that the server has used meanwhile."""

    outcome: str  # the answer's outcome, or the code of the error, or "cut"
    first: float
    first_spent: float
    whole: float


def main() -> None:
    run_benchmark(__doc__, run_with_server, quick=partial(run_with_server, chunks=100, crowds=QUICK_CROWDS))


def run_with_server(*, chunks: int = CHUNKS, crowds: Sequence[tuple[int, int]] = CROWDS) -> dict[str, float | str]:
    with temporary_database(with_redis=True):
        plugin, questions = create_published_plugin(random.Random(5), chunks=chunks)
        return measure_crowds(plugin, questions, crowds)


def measure_crowds(
    plugin: Plugin, questions: Sequence[str], crowds: Sequence[tuple[int, int]]
) -> dict[str, float | str]:
    """Of each crowd, given as how many ask at once and how many questions they ask; the first is one client alone."""
    from accounts.models import ApiKey

    _, key = ApiKey.objects.issue(owner=plugin.owner, name="crowd", per_minute=100_000, per_day=100_000)
    with own_web_server(_SETTINGS, backlog=1024) as (url, pid):
        ask = _Asker(url=f"{url}/api/v1/query", pid=pid, key=key, slug=plugin.slug, questions=questions)
        asyncio.run(ask.all(ALONE, 3))  # loads the model
        return _figures(ask, crowds)


def _figures(ask: _Asker, crowds: Sequence[tuple[int, int]]) -> dict[str, float | str]:
    figures: dict[str, float | str] = {}
    speeds, firsts = {}, {}
    for at_once, count in crowds:
        spent, begun = processor_seconds(ask.pid), time.perf_counter()
        endings = asyncio.run(ask.all(at_once, count))
        seconds = time.perf_counter() - begun
        spent = processor_seconds(ask.pid) - spent
        speeds[at_once] = count / seconds
        firsts[at_once] = statistics.median(ending.first for ending in endings)
        counted = Counter(ending.outcome for ending in endings)
        figures |= {
            f"{at_once} at once: outcomes": ", ".join(f"{name} {number}" for name, number in counted.most_common()),
            f"{at_once} at once: answered a second": (count - _failures(counted)) / seconds,
            f"{at_once} at once: first event, p50 ms": 1000 * firsts[at_once],
            f"{at_once} at once: first event, slowest ms": 1000 * max(ending.first for ending in endings),
            f"{at_once} at once: processor ms before the first event, p50": 1000
            * statistics.median(ending.first_spent for ending in endings),
            f"{at_once} at once: whole, p50 ms": 1000 * statistics.median(ending.whole for ending in endings),
            f"{at_once} at once: whole, slowest ms": 1000 * max(ending.whole for ending in endings),
            f"{at_once} at once: processor ms a question": 1000 * spent / count,
        }
    alone, *_, few, many = (at_once for at_once, _ in (crowds[0], *crowds))
    return figures | {
        f"speed of {many} to that of {few}": speeds[many] / speeds[few],
        f"first event of {many} to that of {alone}": firsts[many] / firsts[alone],
    }


def _failures(counted: Counter[str]) -> int:
    return sum(number for name, number in counted.items() if name not in {"answered", "refused", "clarify"})


@dataclass(frozen=True, kw_only=True)
class _Asker:
    url: str
    pid: int  # of the server
    key: str
    slug: str
    questions: Sequence[str]

    async def all(self, at_once: int, count: int) -> list[Ending]:
        """Asks `count` questions, `at_once` of them at a time."""
        places = asyncio.Semaphore(at_once)
        limits = httpx.Limits(max_connections=at_once)
        async with httpx.AsyncClient(timeout=TIMEOUT, limits=limits) as client:

            async def ask(text: str) -> Ending:
                async with places:
                    return await self._ask(client, text)

            return await asyncio.gather(*(ask(text) for text in islice(cycle(self.questions), count)))

    async def _ask(self, client: httpx.AsyncClient, text: str) -> Ending:
        begun, spent, first, first_spent, outcome = time.perf_counter(), processor_seconds(self.pid), 0.0, 0.0, "cut"
        asked = {"plugin": self.slug, "query": text, "stream": True}
        headers = {"Authorization": f"Bearer {self.key}"}
        try:
            async with client.stream("POST", self.url, json=asked, headers=headers) as response:
                async for line in response.aiter_lines():
                    if not first:
                        first, first_spent = time.perf_counter() - begun, processor_seconds(self.pid) - spent
                    outcome = _outcome(line) or outcome
        except httpx.HTTPError as error:
            outcome = f"cut ({type(error).__name__})"
        whole = time.perf_counter() - begun
        return Ending(outcome=outcome, first=first or whole, first_spent=first_spent, whole=whole)


def _outcome(line: str) -> str:
    """The outcome in this line of a stream, or of the error that came in its place; empty where there is none."""
    event = json.loads(line.removeprefix("data: ")) if line.startswith(("data: ", "{")) else {}
    return str(event.get("outcome") or event.get("code") or "")


if __name__ == "__main__":
    main()
