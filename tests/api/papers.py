"""Documents as agents send them to Alice's plugin."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from knowledge.ingest import ingest
from knowledge.models import Document

ALL = "/api/plugins/cover/documents"
SHOES = "# Shoes\n\nSafety shoes are worn on every site. They have a steel cap and a sole that nails do not pierce."


def one(document: Document | str, more: str = "") -> str:
    pk = document.pk if isinstance(document, Document) else document
    return f"{ALL}/{pk}{more}"


def file(name: str = "shoes.md", content: bytes = SHOES.encode()) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def upload(client: APIClient, *files: SimpleUploadedFile, **fields: Any) -> Any:
    return client.post(ALL, {"file": list(files), **fields}, format="multipart")


def read(pk: str) -> Document:
    ingest(uuid.UUID(pk))
    return Document.objects.get(pk=pk)
