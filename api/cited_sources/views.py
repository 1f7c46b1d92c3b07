"""`/api/sources`: a cited source, for people who may read it."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.cited_sources.serializers import SourceParameters, SourcePreviewSerializer
from api.views import PrivateView
from lexic.errors import NotFound
from querying.presentation.source_previews import SourceSpan, find_source_preview


class UnknownSource(NotFound):
    """There is no such source, or you may not read it."""

    code = "unknown_source"
    hint = "Take type, id and the span out of a citation."


class SourceView(PrivateView):
    @extend_schema(parameters=[SourceParameters], responses=SourcePreviewSerializer)
    def get(self, request: Request, source_type: str, document: UUID) -> Response:
        """The words that a citation cites, and what stands around them. The id is the citation's, `pageId`, `start` and
        `end` are in its `metadata`."""
        wanted = SourceParameters.read(request)
        span = SourceSpan(page_id=wanted.get("pageId"), number=wanted["page"], start=wanted["start"], end=wanted["end"])
        preview = find_source_preview(document, span, principal=self.principal)
        if preview is None or preview.type != source_type:
            raise UnknownSource
        return Response(SourcePreviewSerializer(preview).data)
