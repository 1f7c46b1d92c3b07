"""A process that reads every unfinished document that nobody else reads, and says which: `python -m … MARK`."""

from __future__ import annotations

import time
from typing import Any

import django

django.setup()

from knowledge import ingest as ingesting  # noqa: E402 -- the apps have to be there
from knowledge.models import Document  # noqa: E402


def main() -> None:
    really_read = ingesting._ingest_version

    def read(document: Document, **options: Any) -> None:
        print("read", document.pk, flush=True)
        really_read(document, **options)

    ingesting._ingest_version = read
    while left := list(Document.objects.unfinished().order_by("title").values_list("pk", flat=True)):
        for document_id in left:
            ingesting.ingest(document_id)
        time.sleep(0.2)  # others are still at some


if __name__ == "__main__":
    main()
