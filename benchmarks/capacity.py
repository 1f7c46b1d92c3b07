"""What a chunk and a process cost here: `python -m benchmarks.capacity` (some three minutes).

Six thousand texts of about 1,500 characters come in through the bulk import with made-up vectors, so that the figures
are those of storing and not of embedding. Prints bytes for each chunk by table with its indexes, the bytes of a vector
index for each window, chunks that one connection stores in a second, the bytes of write-ahead log for each chunk; of
eight small PDF files that are read, cut, embedded and stored, the processor time of a page and of a chunk (all but
PostgreSQL's); and the memory of a process before and after it has the embedder. These are the constants of
docs/scaling.md.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchmarks._harness import run_benchmark, temporary_database

if TYPE_CHECKING:
    from knowledge.documents.bulk_import import NewText

TEXTS = 6_000
WORDS = 205
VOCABULARY = 40_000
DIMENSIONS = 384
FILES = 9
TABLES = ("chunk", "embedding", "chunkterms", "page", "document", "term", "termcount", "revision")
_MEMORY = """
from pathlib import Path
import django; django.setup()
from knowledge.embedders import get_embedder
def used(): return next(line.split()[1] for line in Path("/proc/self/status").open() if line.startswith("VmRSS"))
before = used()
get_embedder("local").embed([f"Sentence {n} about valves and gauges." * 20 for n in range(64)])
print(before, used())
"""


def main() -> None:
    run_benchmark(__doc__, measure)


def measure() -> dict[str, float]:
    with temporary_database():
        return {**stored_figures(), **reading_figures(), **memory_figures()}


def stored_figures() -> dict[str, float]:
    from django.db import connection

    from accounts.models import User
    from knowledge.documents.bulk_import import add_texts
    from knowledge.embedders.base import Embedder
    from knowledge.models import Chunk, KnowledgeBase
    from knowledge.search.vector_index import ensure_index

    dice = np.random.default_rng(1)

    class MadeUp(Embedder):
        def __init__(self) -> None:
            super().__init__(name="made-up", dimensions=DIMENSIONS)

        def embed_batch(self, texts: Sequence[str]) -> np.ndarray:
            return dice.standard_normal((len(texts), DIMENSIONS), dtype=np.float32)

    owner = User.objects.create_user("capacity@example.org", None)
    base = KnowledgeBase.objects.create(owner=owner, name="Capacity", embedder="made-up")
    texts = made_up_texts(dice)
    log_before, began, worked = _log_position(), time.perf_counter(), time.process_time()
    done = add_texts(knowledge_base=base, texts=texts, embedder=MadeUp())
    seconds, processor = time.perf_counter() - began, time.process_time() - worked
    log = _log_position() - log_before
    chunks = Chunk.objects.count()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (FULL, ANALYZE)")
        sizes = {name: _size(f"knowledge_{name}") for name in TABLES}
    indexed = _size("knowledge_embedding")
    took = time.perf_counter()
    ensure_index(base, indexed_from=1)
    took = time.perf_counter() - took
    return {
        "chunks": float(chunks),
        "windows a chunk": _windows() / chunks,
        **{f"{name}, bytes a chunk": size / chunks for name, size in sizes.items()},
        "all tables, bytes a chunk": sum(sizes.values()) / chunks,
        "vector index, bytes a window": (_size("knowledge_embedding") - indexed) / _windows(),
        "vector index, windows a second": _windows() / took,
        "log, bytes a chunk": log / chunks,
        "stored, chunks a second": done.chunks / seconds,
        "our processor time, ms a chunk": 1000 * processor / done.chunks,
    }


def made_up_texts(dice: np.random.Generator) -> list[NewText]:
    """Words by Zipf's law."""
    from knowledge.documents.bulk_import import NewText

    words = np.array([f"w{number:05d}" for number in range(VOCABULARY)])
    ranks = 1.0 / np.arange(1, len(words) + 1)
    made_up = (" ".join(dice.choice(words, WORDS, p=ranks / ranks.sum())) for _ in range(TEXTS))
    return [NewText(name=f"{number}.md", title=f"Text {number}", text=text) for number, text in enumerate(made_up)]


def reading_figures() -> dict[str, float]:
    import io

    from accounts.models import User
    from benchmarks.ingestion import PAGES_PER_PDF, build_pdf
    from knowledge.documents.lifecycle import add_file
    from knowledge.ingest import ingest
    from knowledge.models import Chunk, Embedding, KnowledgeBase

    owner = User.objects.get(email="capacity@example.org")
    base = KnowledgeBase.objects.create(owner=owner, name="Manuals", embedder="local")
    documents = [
        add_file(
            knowledge_base=base, file_name=f"{number}.pdf", stream=io.BytesIO(build_pdf(number)), enqueue=False
        ).document
        for number in range(FILES)
    ]
    ingest(documents.pop().pk)  # loads the model
    began = _processor_seconds()
    for document in documents:
        ingest(document.pk)
    seconds = _processor_seconds() - began
    pages, chunks = len(documents) * PAGES_PER_PDF, Chunk.objects.filter(document__in=documents).count()
    windows = Embedding.objects.filter(document__in=documents).count()
    return {
        "reading, chunks a page": chunks / pages,
        "reading, windows a chunk": windows / chunks,
        "reading, processor ms a page": 1000 * seconds / pages,
        "reading, processor ms a chunk": 1000 * seconds / chunks,
    }


def memory_figures() -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", _MEMORY], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    return {"memory without embedder, MB": before / 1024, "memory with embedder, MB": after / 1024}


def _processor_seconds() -> float:
    """Of this process and of the readers that it has started."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _size(table: str) -> int:
    return int(_scalar(f"SELECT pg_total_relation_size('{table}')"))


def _windows() -> int:
    return int(_scalar("SELECT count(*) FROM knowledge_embedding"))


def _log_position() -> int:
    return int(_scalar("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"))


def _scalar(query: str) -> float:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(query)
        return float(cursor.fetchone()[0])


if __name__ == "__main__":
    main()
