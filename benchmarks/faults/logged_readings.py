"""Loaded into a worker: logs each document that it really reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from knowledge import ingest as ingesting
from knowledge import ingest_batch as together
from knowledge.models import Document

_log = Path(os.environ["LEXIC_BENCH_READINGS"])
_log.touch()
_really_ingest, _really_ingest_together = ingesting._ingest_version, together._read_and_publish


def _log_documents(documents: Sequence[Document]) -> None:
    with _log.open("a") as lines:
        lines.writelines(f"{document.pk}\n" for document in documents)


def _ingest_and_log(document: Document, **options: Any) -> None:
    _log_documents([document])
    _really_ingest(document, **options)


def _ingest_together_and_log(documents: Sequence[Document]) -> None:
    _log_documents(documents)
    _really_ingest_together(documents)


ingesting._ingest_version = _ingest_and_log
together._read_and_publish = _ingest_together_and_log
