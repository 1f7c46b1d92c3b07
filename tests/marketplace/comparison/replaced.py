"""A document that is given another text."""

from __future__ import annotations

import io

from knowledge.documents.lifecycle import replace_file
from knowledge.ingest import ingest
from knowledge.models import Document


def replace_text(document: Document, text: str) -> None:
    """The document says this from now on; what it said before stays with the releases that read it."""
    replace_file(document, file_name="handbook.md", stream=io.BytesIO(text.encode()), enqueue=False)
    ingest(document.pk)
