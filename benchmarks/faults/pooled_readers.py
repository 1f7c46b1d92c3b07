"""Three readers behind a transaction pooler: `python -m benchmarks.faults.pooled_readers` (about two minutes).

Adds a hundred documents, sends the message of each three times, and starts three Celery workers whose database is
PgBouncer with `pool_mode = transaction`. Each document has to be read once, by one of them. Ends with 1 where one was
read twice or not at all. Needs `pgbouncer` (Debian: apt-get install pgbouncer).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._harness import run_benchmark, temporary_database

if TYPE_CHECKING:
    from knowledge.models import KnowledgeBase

DOCUMENT_COUNT = 100
READER_COUNT = 3
MESSAGES_EACH = 3
TIMEOUT = 600  # seconds until all have been read
ROOT = Path(__file__).resolve().parent.parent.parent
LOG_VARIABLE = "LEXIC_BENCH_READINGS"


def read_documents() -> dict[str, float]:
    with temporary_database(with_redis=True), tempfile.TemporaryDirectory(prefix="lxb-", dir="/tmp") as folder:
        from knowledge.models import Document, Lease
        from tests.pooler import transaction_pooler

        base = add_documents()
        begun = time.perf_counter()
        with transaction_pooler() as url, ExitStack() as readers:
            for number in range(READER_COUNT):
                readers.enter_context(running_reader(number, database=url, folder=Path(folder)))
            send_messages()
            end = time.monotonic() + TIMEOUT
            while Document.objects.unfinished().exists() and time.monotonic() < end:
                time.sleep(0.5)
            seconds = time.perf_counter() - begun
        readings = {path.name: path.read_text().split() for path in sorted(Path(folder).glob("reader*"))}
        counted = Counter(document for lines in readings.values() for document in lines)
        base.refresh_from_db()
        return {
            "documents": Document.objects.count(),
            "read once": sum(1 for count in counted.values() if count == 1),
            "read twice": sum(1 for count in counted.values() if count > 1),
            "not read": Document.objects.exclude(status="ready").count(),
            "revisions": base.revision,
            "leases left": Lease.objects.count(),
            **{f"read by {name}": len(lines) for name, lines in readings.items()},
            "seconds": seconds,
        }


def add_documents() -> KnowledgeBase:
    from accounts.models import User
    from knowledge.documents.lifecycle import add_text
    from knowledge.models import KnowledgeBase

    owner = User.objects.create_user("bench@example.org")
    base = KnowledgeBase.objects.create(owner=owner, name="Rules", embedder="local")
    for number in range(DOCUMENT_COUNT):
        text = f"# Rule {number}\n\nWear boots of size {number} in room {number * 7}."
        add_text(knowledge_base=base, title=f"Rule {number}", text=text, file_name=f"{number}.md", enqueue=False)
    return base


def send_messages() -> None:
    """Each of them several times, in no order: what workers that died and brokers that came back leave behind."""
    from knowledge.models import Document
    from knowledge.task_queue import publish_ingest

    messages = list(Document.objects.values_list("pk", flat=True)) * MESSAGES_EACH
    random.Random(5).shuffle(messages)
    for document in messages:
        publish_ingest(document)


@contextmanager
def running_reader(number: int, *, database: str, folder: Path) -> Iterator[None]:
    """A worker of the reading queue, which writes down what it reads."""
    name = f"reader{number}"
    own = ["-n", f"{name}@%h", "-Q", "reading", "-c", "1", "-l", "WARNING", "--without-gossip", "--without-mingle"]
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "lexic", "worker", *own]
    environment = {**os.environ, "DATABASE_URL": database, "LEXIC_DB_POOL": "0", "LEXIC_EMBEDDER_THREADS": "1"}
    environment |= {LOG_VARIABLE: str(folder / name), "REMAP_SIGTERM": "SIGQUIT"}
    process = subprocess.Popen([*command, "-I", "benchmarks.faults.logged_readings"], cwd=ROOT, env=environment)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def main() -> None:
    found: dict[str, Any] = {}

    def measured() -> dict[str, float]:
        found.update(read_documents())
        return found

    run_benchmark(__doc__, measured)
    sys.exit(0 if found["read once"] == DOCUMENT_COUNT >= found["revisions"] and not found["not read"] else 1)


if __name__ == "__main__":
    main()
