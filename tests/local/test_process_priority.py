"""What nobody waits for gives way: queues of their own, and a priority that the kernel really looks at."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings

from lexic.celery import _only_reads, app, requeue_unacknowledged
from lexic.periodic_tasks import PERIODIC_TASKS

AUTOGROUP = Path("/proc/self/autogroup")
GIVE_WAY = """
import os
from pathlib import Path
from local.process_priority import lower_priority
for niceness in {}: lower_priority(niceness=niceness)
group = Path("/proc/self/autogroup")
print(os.getpriority(os.PRIO_PROCESS, 0), group.read_text().split()[-1] if group.exists() else "none")
"""


def given_way(*niceness: int) -> list[str]:
    """The niceness of a program, in a session of its own, and of that session."""
    done = subprocess.run(
        [sys.executable, "-c", GIVE_WAY.format(niceness)],
        cwd=settings.BASE_DIR,
        start_new_session=True,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="this kernel does not group by session")
def test_the_session_gives_way_with_the_process() -> None:
    assert given_way(15) == ["15", "15"]


def test_a_process_is_never_raised_again() -> None:
    assert given_way(15, 5)[0] == "15"


def test_documents_are_read_from_a_queue_of_their_own() -> None:
    queue_of = app.amqp.router.route
    assert queue_of({}, "knowledge.ingest_document")["queue"].name == "reading"
    for task in ("querying.run_golden_questions", "webhooks.send_due", "marketplace.complete_listing"):
        assert queue_of({}, task)["queue"].name == "lexic"


def test_backups_do_not_wait_behind_all_documents() -> None:
    for task in ("backups.create", "backups.verify"):
        assert app.amqp.router.route({}, task)["queue"].name == "backups"


def test_a_backup_that_waits_for_a_reader_is_made_until_the_next_one_is_due() -> None:
    for name in ("make-backup", "verify-backup"):
        assert PERIODIC_TASKS[name]["options"]["expires"] > 12 * 3600


def test_a_worker_of_documents_and_backups_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    for queues, gives_way in ((["reading", "backups"], True), (["reading"], True), (["reading", "lexic"], False)):
        taken[:] = queues
        monkeypatch.setattr(type(app.amqp.queues), "consume_from", property(lambda self: dict.fromkeys(taken)))
        assert _only_reads() is gives_way


def test_a_worker_that_is_not_told_what_to_do_serves_every_queue() -> None:
    assert set(app.amqp.queues.consume_from) == {"lexic", "reading", "reviews", "backups"}


def test_what_one_worker_left_is_due_again_and_what_another_one_has_is_not(settings: Any) -> None:
    settings.CELERY_BROKER_URL = f"{settings.CELERY_BROKER_URL.partition('?')[0]}?db=9"
    url = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://")
    with redis.Redis.from_url(url, decode_responses=True) as broker:
        for tag, queue in (("left", "reading"), ("held", "lexic")):
            broker.hset("unacked", tag, json.dumps([{}, queue, queue]))
            broker.zadd("unacked_index", {tag: 1000})
        requeue_unacknowledged("reading")
        assert dict(broker.zrange("unacked_index", 0, -1, withscores=True)) == {"left": 0, "held": 1000}
        broker.delete("unacked", "unacked_index")
