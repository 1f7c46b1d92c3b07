"""One holder at a time, also behind a pooler that gives every transaction another session."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from knowledge import lease
from knowledge.ingest import ingest
from knowledge.models import Document, Lease
from tests.knowledge.bases import CountingEmbedder, add_markdown, alive, check_sound, make_base, registered
from tests.pooler import transaction_pooler

pytestmark = pytest.mark.django_db(transaction=True)
ELSEWHERE = "another-machine/1/1/a"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


def take(name: str, holder: str = ELSEWHERE, *, seconds: float = 60) -> bool:
    return bool(Lease.objects.take(name, holder=holder, seconds=seconds))


def test_one_of_many_gets_it_and_the_next_when_it_is_free() -> None:
    gathered, release, results = threading.Barrier(9), threading.Event(), []

    def try_it() -> None:
        gathered.wait(30)
        with lease.try_lease("work") as is_ours:
            results.append(is_ours)
            release.wait(30)
        connection.close()

    threads = [threading.Thread(target=try_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    gathered.wait(30)
    while len(results) < 8:
        time.sleep(0.01)
    assert lease.held_names() == {"work"}
    release.set()
    for thread in threads:
        thread.join(30)
    assert Counter(results) == {True: 1, False: 7}
    assert lease.held_names() == set()
    with lease.try_lease("work") as is_ours:
        assert is_ours


def test_a_holder_that_works_renews_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEWAL_SECONDS", 0.05)
    with lease.try_lease("work"):
        first = Lease.objects.get().expires_at
        for _ in range(600):
            if Lease.objects.get().expires_at > first:
                break
            time.sleep(0.05)
        else:
            pytest.fail("it was not renewed")


def test_a_holder_on_another_machine_is_waited_for_until_its_time_is_over() -> None:
    assert take("work")
    with lease.try_lease("work") as is_ours:
        assert not is_ours
    Lease.objects.update(expires_at=timezone.now())
    assert lease.held_names() == set()
    with lease.try_lease("work") as is_ours:
        assert is_ours
    assert not Lease.objects.exists()


def test_a_process_that_was_killed_here_holds_nothing() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        holder = f"{lease._machine()}/{process.pid}/{lease._start_time(process.pid)}/a"
        assert take("work", holder)
        assert lease.held_names() == {"work"}
        with lease.try_lease("work") as is_ours:
            assert not is_ours
        process.kill()
    assert lease.held_names() == set()
    with lease.try_lease("work") as is_ours:
        assert is_ours


def test_another_process_with_the_number_of_a_dead_one_is_not_the_holder() -> None:
    assert take("work", f"{lease._machine()}/{os.getpid()}/1/a")
    assert lease.held_names() == set()


def test_what_is_lost_is_noticed_before_anything_is_written() -> None:
    with lease.try_lease("work"):
        lease.confirm_held()
        Lease.objects.update(holder=ELSEWHERE)
        with pytest.raises(lease.LeaseLost), transaction.atomic():
            lease.confirm_held()
    assert Lease.objects.get().holder == ELSEWHERE, "it is somebody else's by now"


def test_who_takes_over_waits_for_a_transaction_that_has_confirmed() -> None:
    taken: list[bool] = []

    def take_over() -> None:
        taken.append(take("work"))
        connection.close()

    with lease.try_lease("work"):
        with transaction.atomic():
            Lease.objects.update(expires_at=timezone.now())
            lease.confirm_held()
            other = threading.Thread(target=take_over)
            other.start()
            time.sleep(0.2)
            assert taken == []
        other.join(30)
    assert taken == [True]


@pytest.mark.parametrize("stage", ["embedding", "failing"])
def test_a_reader_that_lost_its_lease_leaves_the_document_to_the_other(embedder: CountingEmbedder, stage: str) -> None:
    base = make_base()
    document = add_markdown(base, "Wear boots.")

    def sleep_for_long() -> None:
        Lease.objects.update(holder=ELSEWHERE, expires_at=F("expires_at"))
        if stage == "failing":
            raise RuntimeError("what the other one has staged is in the way")

    embedder.trouble = sleep_for_long
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, document.error, alive(base)) == ("embedding", "", [])
    Lease.objects.all().delete()
    embedder.trouble = lambda: None
    ingest(document.pk)
    assert alive(base) == ["Wear boots."]
    check_sound(base)


def test_three_readers_behind_a_transaction_pooler_read_each_document_once() -> None:
    base = make_base(embedder="local")
    documents = [add_markdown(base, f"Rule {n}: wear boots of size {n}.", name=f"{n:03}.md") for n in range(40)]
    with transaction_pooler() as url:
        environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "lexic.settings"}
        command = [sys.executable, "-m", "tests.knowledge.read_documents"]
        readers = [
            subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)
        ]
        outputs = [reader.communicate(timeout=300)[0] for reader in readers]
    assert [reader.returncode for reader in readers] == [0, 0, 0]
    reads = Counter(line.split()[1] for output in outputs for line in output.splitlines() if line.startswith("read "))
    assert reads == {str(document.pk): 1 for document in documents}
    assert sum("read" in output for output in outputs) > 1, "one reader did it all"
    base.refresh_from_db()
    assert (base.revision, set(Document.objects.values_list("status", flat=True))) == (40, {"ready"})
    assert not Lease.objects.exists()
    check_sound(base)
