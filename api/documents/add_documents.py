"""Adds documents: files, a text, or an address. Of several files, one that is refused does not stop the others."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ValidationError

from api.documents.access import DocumentAccessProtocol
from api.documents.serializers import DocumentLabelsSerializer, NewDocumentSerializer, document_json
from api.fields import validated
from api.uploads import get_files, get_form_fields
from knowledge.documents.lifecycle import AddResult, add_file, add_text, add_url
from knowledge.models import DocumentStatus
from lexic.errors import LexicError


def add_documents(request: Request, access: DocumentAccessProtocol) -> Response:
    """Adds what the request holds. Raises what the functions below raise."""
    if (request.content_type or "").startswith("multipart/"):
        return create_from_files(request, access)
    return create_from_json(request, access)


def create_from_json(request: Request, access: DocumentAccessProtocol) -> Response:
    """Adds a text or an address. Raises `ValidationError` and what `add_url` and `add_text` raise."""
    body = NewDocumentSerializer(data=request.data)
    fields = validated(body)
    options: dict[str, Any] = {
        "knowledge_base": access.new_document_base(),
        "title": fields.get("title"),
        "metadata": body.document_options,
    }
    added = add_url(url=fields["url"], **options) if "url" in fields else add_text(text=fields["text"], **options)
    return _created_response(added, access)


def create_from_files(request: Request, access: DocumentAccessProtocol) -> Response:
    """Adds files. One gives its document, or its error; several give what became of each.

    Raises `ValidationError` and what `get_files` and `add_file` raise.
    """
    files = get_files(request)
    fields = get_form_fields(request, lists=("tags",), flags=("isPublic", "isTemplate"), objects=("metadata",))
    body = DocumentLabelsSerializer(data=fields)
    validated(body)
    if len(files) == 1:
        return _created_response(_add_upload(files[0], access, body), access)
    if "title" in body.validated_data:
        raise ValidationError({"title": "Several files cannot have the same title."})
    return _uploads_response([_try_upload(file, access, body) for file in files])


def _add_upload(file: UploadedFile, access: DocumentAccessProtocol, body: DocumentLabelsSerializer) -> AddResult:
    return add_file(
        knowledge_base=access.new_document_base(),
        file_name=file.name or "",
        stream=file,
        title=body.validated_data.get("title"),
        metadata=body.document_options,
    )


def _try_upload(
    file: UploadedFile, access: DocumentAccessProtocol, body: DocumentLabelsSerializer
) -> tuple[dict[str, Any], LexicError | None]:
    """What became of the file, and why it was refused."""
    result: dict[str, Any] = {"fileName": file.name or "", "document": None, "error": None}
    try:
        added = _add_upload(file, access, body)
    except LexicError as error:
        return {**result, "outcome": "refused", "error": error.as_dict()}, error
    is_ready = added.document.status == DocumentStatus.READY
    outcome = "created" if added.is_new else "unchanged" if is_ready else "reading"
    return {**result, "outcome": outcome, "document": document_json(added.document, access)}, None


def _created_response(added: AddResult, access: DocumentAccessProtocol) -> Response:
    response = Response(document_json(added.document, access), status=201 if added.is_new else 200)
    response["Location"] = access.address_of(added.document)
    return response


def _uploads_response(attempts: list[tuple[dict[str, Any], LexicError | None]]) -> Response:
    """What became of each file. Where all were refused it is an error, with status and words of the first one's."""
    results = [result for result, _ in attempts]
    errors = [error for _, error in attempts if error]
    if len(errors) == len(results):
        return Response({**errors[0].as_dict(), "results": results}, status=errors[0].status)
    is_new = any(result["outcome"] == "created" for result in results)
    return Response({"results": results}, status=201 if is_new else 200)
