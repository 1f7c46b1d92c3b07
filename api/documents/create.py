"""Documents come in: as files, as a text, by an address. Of several, one that is refused does not stop the others."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents.lookup import DocumentAccess
from api.documents.serializers import DocumentLabelsSerializer, NewDocumentSerializer, document_json
from api.uploads import get_files, get_form_fields
from knowledge.documents.lifecycle import AddResult, add_file, add_text, add_url
from knowledge.models import DocumentStatus
from knowledge.own_knowledge_base import own_knowledge_base
from lexic.errors import LexicError


def create_from_json(request: Request, reach: DocumentAccess) -> Response:
    """A text or an address."""
    body = NewDocumentSerializer(data=request.data)
    body.is_valid(raise_exception=True)
    said = body.validated_data
    options = {
        "knowledge_base": own_knowledge_base(reach.plugin),
        "title": said.get("title"),
        "metadata": body.document_options,
    }
    added = add_url(url=said["url"], **options) if "url" in said else add_text(text=said["text"], **options)
    return _created_response(added, reach)


def create_from_files(request: Request, reach: DocumentAccess) -> Response:
    """One file gives its document, or the error that it gives; several give what became of each."""
    files = get_files(request)
    fields = get_form_fields(request, lists=("tags",), flags=("isPublic", "isTemplate"), objects=("metadata",))
    body = DocumentLabelsSerializer(data=fields)
    body.is_valid(raise_exception=True)
    if len(files) == 1:
        return _created_response(_add_upload(files[0], reach, body), reach)
    if "title" in body.validated_data:
        raise serializers.ValidationError({"title": "Several files cannot have the same title."})
    return _uploads_response([_try_upload(file, reach, body) for file in files])


def _add_upload(file: UploadedFile, reach: DocumentAccess, body: DocumentLabelsSerializer) -> AddResult:
    return add_file(
        knowledge_base=own_knowledge_base(reach.plugin),
        file_name=file.name or "",
        stream=file,
        title=body.validated_data.get("title"),
        metadata=body.document_options,
    )


def _try_upload(
    file: UploadedFile, reach: DocumentAccess, body: DocumentLabelsSerializer
) -> tuple[dict[str, Any], LexicError | None]:
    """What became of the file, and why it was refused."""
    answer: dict[str, Any] = {"fileName": file.name or "", "document": None, "error": None}
    try:
        added = _add_upload(file, reach, body)
    except LexicError as error:
        return {**answer, "outcome": "refused", "error": error.as_dict()}, error
    return {**answer, "outcome": _upload_outcome(added), "document": document_json(added.document, reach)}, None


def _upload_outcome(added: AddResult) -> str:
    if added.is_new:
        return "created"
    return "unchanged" if added.document.status == DocumentStatus.READY else "reading"


def _created_response(added: AddResult, reach: DocumentAccess) -> Response:
    response = Response(document_json(added.document, reach), status=201 if added.is_new else 200)
    response["Location"] = f"/api/plugins/{reach.plugin.slug}/documents/{added.document.pk}"
    return response


def _uploads_response(attempts: list[tuple[dict[str, Any], LexicError | None]]) -> Response:
    """When all were refused, that is an error, with the status and the words of the first."""
    results = [result for result, _ in attempts]
    errors = [error for _, error in attempts if error]
    if len(errors) == len(results):
        return Response({**errors[0].as_dict(), "results": results}, status=errors[0].status)
    is_new = any(result["outcome"] == "created" for result in results)
    return Response({"results": results}, status=201 if is_new else 200)
