"""What a chunk takes in the database, part by part: `python -m benchmarks.footprint [FOLDER]` (two to five minutes).

The documents of the folder (without one: a manual of 190 pages and the instructions of a form, both PDF) are read, cut,
embedded and published one after the other, as a worker does it. Prints bytes for each chunk: of each table its rows,
what lies apart from them (TOAST) and each index, as they lie on the disk after an ordinary VACUUM; what of that goes
where the tables are written anew (VACUUM FULL); and of each wide column the bytes that it has when stored.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks._harness import ROOT, print_figures, temporary_database

_REPORTS = ROOT / "tests" / "data" / "reports" / "documents"
DEFAULT_FILES = (_REPORTS / "nasa-cfitsio-users-guide.pdf", _REPORTS / "irs-i1040nr-instructions-2007.pdf")
TABLES = ("embedding", "chunk", "page", "chunkterms", "document", "term", "termcount", "termstem", "revision")
# By table: the columns that are wide.
COLUMNS = {
    "embedding": ("token_states", "vector"),
    "chunk": ("content", "section_path", "document_title", "content_hash"),
    "page": ("text", "words", "packed_words", "headings", "reader_state", "unsure_spans"),
    "chunkterms": ("terms", "counts"),
}
_PARTS = """
    SELECT 'rows', pg_relation_size(%(table)s::regclass)
    UNION ALL
    SELECT 'free space and visibility maps',
        pg_table_size(%(table)s::regclass) - pg_relation_size(%(table)s::regclass) - coalesce(
            (SELECT pg_total_relation_size(nullif(reltoastrelid, 0)) FROM pg_class WHERE oid = %(table)s::regclass), 0)
    UNION ALL
    SELECT 'apart (TOAST)', pg_relation_size(reltoastrelid)
    FROM pg_class WHERE oid = %(table)s::regclass AND reltoastrelid <> 0
    UNION ALL
    SELECT 'index of what lies apart', pg_indexes_size(reltoastrelid)
    FROM pg_class WHERE oid = %(table)s::regclass AND reltoastrelid <> 0
    UNION ALL
    SELECT 'index ' || indexrelid::regclass, pg_relation_size(indexrelid)
    FROM pg_index WHERE indrelid = %(table)s::regclass
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="documents to read")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.folder and not options.folder.is_dir():
        parser.error(f"there is no folder {options.folder}")
    files = sorted(options.folder.iterdir()) if options.folder else list(DEFAULT_FILES)
    files = [path for path in files if path.is_file()]
    if not files:
        parser.error(f"there is no file in {options.folder}")
    with temporary_database():
        print_figures(measure(files), as_json=options.json)


def measure(files: Sequence[Path]) -> dict[str, float]:
    read_files(files)
    found = figures()
    if not found:
        raise SystemExit("None of these files could be read.")
    return found


def read_files(files: Sequence[Path]) -> None:
    """Into a base of its own, one after the other."""
    from accounts.models import User
    from knowledge.documents.lifecycle import add_file
    from knowledge.ingest import ingest
    from knowledge.models import KnowledgeBase

    owner = User.objects.create_user("bytes@example.org", None)
    base = KnowledgeBase.objects.create(owner=owner, name="Bytes", embedder="local")
    for path in files:
        with path.open("rb") as stream:
            added = add_file(knowledge_base=base, file_name=path.name, stream=stream, enqueue=False)
        ingest(added.document.pk)


def figures() -> dict[str, float]:
    """Of all that is in the database: bytes for each chunk. Empty where there is none."""
    chunks = int(_rows("SELECT count(*) FROM knowledge_chunk WHERE added_in IS NOT NULL AND removed_in IS NULL")[0][0])
    if not chunks:
        return {}
    found: dict[str, float] = {"chunks": float(chunks)}
    for name in ("embedding", "page"):
        found[f"{name}s a chunk"] = _number(f"SELECT count(*) FROM knowledge_{name}") / chunks
    found["characters a chunk"] = _number("SELECT sum(length(content)) FROM knowledge_chunk") / chunks
    found |= dict(_column_figures(chunks))
    _run("VACUUM (ANALYZE)")
    found |= dict(_table_figures(chunks))
    _run("VACUUM (FULL, ANALYZE)")
    found |= {f"written anew: {name}": value for name, value in _table_figures(chunks) if name.endswith(": all")}
    return found


def _column_figures(chunks: int) -> Iterator[tuple[str, float]]:
    for table, columns in COLUMNS.items():
        for column in columns:
            total = _number(f"SELECT coalesce(sum(pg_column_size({column})), 0) FROM knowledge_{table}")
            yield f"{table}.{column}, as stored", total / chunks


def _table_figures(chunks: int) -> Iterator[tuple[str, float]]:
    total = 0.0
    for table in TABLES:
        for part, size in _rows(_PARTS, {"table": f"knowledge_{table}"}):
            if size:
                yield f"{table}: {part.replace('index knowledge_', 'index ')}", size / chunks
        whole = _number(f"SELECT pg_total_relation_size('knowledge_{table}')") / chunks
        yield f"{table}: all", whole
        total += whole
    yield "tables: all", total


def _number(statement: str) -> float:
    return float(_rows(statement)[0][0])


def _rows(statement: str, parameters: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _run(statement: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)


if __name__ == "__main__":
    main()
