"""Where the folder storage of a test keeps a document's file."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from knowledge.documents import file_store


def stored_path(sha256: str) -> Path:
    return Path(settings.LEXIC_FILES_DIR) / file_store.stored_name(sha256)
