"""What a replica takes off the primary: `python -m benchmarks.replica` (some two minutes).

One knowledge base of 6,000 made-up chunks, and a copy of the database that follows by streaming replication. The same
forty searches are asked of the primary alone and with the replica, in turns: milliseconds of a whole search (median),
and of processor time in the server process of the primary and in that of the replica for each search.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from benchmarks._harness import processor_seconds, run_benchmark, temporary_database, time_call
from benchmarks.search import (
    QUESTIONS,
    clustered_unit_vectors,
    create_filled_base,
    random_question_words,
    search_chunks,
)

CHUNKS = 6_000
ROUNDS = 5


def main() -> None:
    run_benchmark(__doc__, measure)


def measure() -> dict[str, float]:
    with temporary_database():
        return measure_both()


def measure_both() -> dict[str, float]:
    from tests.replica import running_replica

    dice = np.random.default_rng(1)
    base = create_filled_base("medium", CHUNKS, dice)
    questions = [(random_question_words(dice), clustered_unit_vectors(1, dice)[0]) for _ in range(QUESTIONS)]
    took: dict[str, list[float]] = {"alone": [], "with a replica": []}
    used: dict[str, float] = dict.fromkeys(("primary, alone", "primary, with a replica", "replica"), 0.0)
    with running_replica() as copy:
        copy.catch_up()
        for name in [*took] * ROUNDS:
            with replica_known(name != "alone"):
                before = [server_seconds(alias) for alias in ("default", "replica")]
                for text, vector in questions:
                    took[name].append(1000 * time_call(partial(search_chunks, base, text, vector)))
                after = [server_seconds(alias) for alias in ("default", "replica")]
            used[f"primary, {name}"] += after[0] - before[0]
            used["replica"] += after[1] - before[1]
    asked = ROUNDS * QUESTIONS
    return {
        **{f"a search {name}, ms": statistics.median(each) for name, each in took.items()},
        **{f"{name}, processor ms a search": 1000 * seconds / asked for name, seconds in used.items()},
    }


@contextmanager
def replica_known(is_known: bool) -> Iterator[None]:
    """Whether searches know of the replica inside the block."""
    from knowledge.search import replica

    name = replica.REPLICA
    replica.REPLICA = name if is_known else "none"
    try:
        yield
    finally:
        replica.REPLICA = name


def server_seconds(alias: str) -> float:
    """Processor time of the server process that this connection has, so far."""
    from django.db import connections

    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return processor_seconds(cursor.fetchone()[0])


if __name__ == "__main__":
    main()
