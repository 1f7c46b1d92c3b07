"""Documents come in: as files, as a text, by an address. Of several, one that is refused does not stop the others."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents.bodies import DocumentLabelsSerializer, NewDocumentSerializer, document_json
from api.documents.reach import Reach
from api.uploads import fields_of, files_of
from knowledge.add import Added, add_file, add_text, add_url
from knowledge.attach import own_knowledge_base
from knowledge.models import DocumentStatus
from lexic.errors import LexicError


def add_one(request: Request, reach: Reach) -> Response:
    """A text or an address."""
    body = NewDocumentSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    said = body.validated_data
    options = {
        "knowledge_base": own_knowledge_base(reach.plugin),
        "title": said.get("title"),
        "metadata": body.labels_and_metadata,
    }
    added = add_url(url=said["url"], **options) if "url" in said else add_text(text=said["text"], **options)
    return _answer(added, reach)


def add_files(request: Request, reach: Reach) -> Response:
    """One file gives its document, or the error that it gives; several give what became of each."""
    files = files_of(request)
    fields = fields_of(request, lists=("tags",), flags=("isPublic", "isTemplate"), objects=("metadata",))
    body = DocumentLabelsSerializer(data=fields)
    body.is_valid(raise_exception=True)
    if len(files) == 1:
        return _answer(_add(files[0], reach, body), reach)
    if "title" in body.validated_data:
        raise serializers.ValidationError({"title": "Several files cannot have the same title."})
    return _answer_all([_attempt(file, reach, body) for file in files])


def _add(file: UploadedFile, reach: Reach, body: DocumentLabelsSerializer) -> Added:
    return add_file(
        knowledge_base=own_knowledge_base(reach.plugin),
        file_name=file.name or "",
        stream=file,
        title=body.validated_data.get("title"),
        metadata=body.labels_and_metadata,
    )


def _attempt(
    file: UploadedFile, reach: Reach, body: DocumentLabelsSerializer
) -> tuple[dict[str, Any], LexicError | None]:
    """What became of the file, and why it was refused."""
    answer: dict[str, Any] = {"fileName": file.name or "", "document": None, "error": None}
    try:
        added = _add(file, reach, body)
    except LexicError as error:
        return {**answer, "outcome": "refused", "error": error.as_dict()}, error
    return {**answer, "outcome": _outcome(added), "document": document_json(added.document, reach)}, None


def _outcome(added: Added) -> str:
    if added.is_new:
        return "created"
    return "unchanged" if added.document.status == DocumentStatus.READY else "reading"


def _answer(added: Added, reach: Reach) -> Response:
    response = Response(document_json(added.document, reach), status=201 if added.is_new else 200)
    response["Location"] = f"/api/plugins/{reach.plugin.slug}/documents/{added.document.pk}"
    return response


def _answer_all(attempts: list[tuple[dict[str, Any], LexicError | None]]) -> Response:
    """When all were refused, that is an error, with the status and the words of the first."""
    results = [result for result, _ in attempts]
    errors = [error for _, error in attempts if error]
    if len(errors) == len(results):
        return Response({**errors[0].as_dict(), "results": results}, status=errors[0].status)
    is_new = any(result["outcome"] == "created" for result in results)
    return Response({"results": results}, status=201 if is_new else 200)
