"""Shows, changes and removes one document with its version. The caller has checked the permission."""

from __future__ import annotations

from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from api.documents import serializers
from api.documents.access import DocumentAccessProtocol, UnknownDocument
from api.etags import etag_response, make_etag, require_match
from api.fields import validated
from api.views import first_or_raise
from knowledge.documents.lifecycle import delete_document, update_details
from knowledge.models import Document, KnowledgeBase
from privacy.document_deletion import delete_private_document


def change_document(request: Request, document: Document, access: DocumentAccessProtocol) -> Response:
    """Changes what is said about it. Raises `ValidationError`, `UnknownDocument`, `PreconditionFailed`."""
    with transaction.atomic():
        # Workers lock the knowledge base first, too.
        KnowledgeBase.objects.select_for_update(no_key=True).get(pk=document.knowledge_base_id)
        locked = lock_document(request, document, access)
        changes = serializers.DocumentChangeSerializer(locked, data=request.data)
        fields = validated(changes)
        update_details(
            locked,
            title=fields.get("title"),
            labels=changes.validated_labels,
            metadata=fields.get("metadata"),
            language=fields.get("language"),
        )
    return document_response(request, locked, access)


def remove_document(request: Request, document: Document, access: DocumentAccessProtocol) -> Response:
    """Takes it out of its base; out of a private one with what was said from it. Raises `UnknownDocument`,
    `PreconditionFailed`, `UnderLegalHold`."""
    with transaction.atomic():
        # Workers lock the knowledge base first, too.
        KnowledgeBase.objects.select_for_update(no_key=True).get(pk=document.knowledge_base_id)
        locked = lock_document(request, document, access)
        delete = delete_private_document if locked.knowledge_base.is_private else delete_document
        delete(locked)
    return Response(status=204)


def lock_document(request: Request, document: Document, access: DocumentAccessProtocol) -> Document:
    """Locks the document until the transaction ends. Raises `UnknownDocument`, `PreconditionFailed`."""
    rows = Document.objects.select_for_update(of=("self",)).select_related("knowledge_base").present()
    locked = first_or_raise(rows.filter(pk=document.pk), UnknownDocument)
    require_document_match(request, locked, access=access)
    return locked


def require_document_match(request: Request, document: Document, *, access: DocumentAccessProtocol) -> None:
    require_match(request, _document_etag(document, access))


def _document_etag(document: Document, access: DocumentAccessProtocol) -> str:
    return make_etag(document.pk, document.updated_at, access.may_read(document), access.may_change(document))


def document_response(
    request: Request, document: Document, access: DocumentAccessProtocol, *, status: int = 200
) -> Response:
    data = serializers.document_json(document, access)
    return etag_response(request, data, etag=_document_etag(document, access), status=status)
