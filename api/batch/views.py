"""`/api/v1/batch`: up to 1,000 questions as a background job, with its progress and its results."""

from __future__ import annotations

import json
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey
from api.batch import serializers
from api.batch.create_batch import create_batch
from api.batch.parsers import MEDIA_TYPES, JsonLinesParser, JsonlParser
from api.batch.results import batch_results
from api.fields import EmptySerializer, validated
from api.models import Batch
from api.negotiation import IgnoreAcceptNegotiation
from api.pagination import page_response
from api.permissions import MayQuery
from api.views import PrincipalView, first_or_raise
from lexic.errors import NotFound


class UnknownBatch(NotFound):
    """There is no such batch of this key."""

    code = "unknown_batch"


class _BatchView(PrincipalView):
    permission_classes = [IsAuthenticated, MayQuery]

    @property
    def key(self) -> ApiKey:
        assert isinstance(self.request.auth, ApiKey)
        return self.request.auth

    def get_batch(self, pk: UUID) -> Batch:
        """A batch of this key, with its counts. Raises `UnknownBatch`."""
        return first_or_raise(Batch.objects.with_counts().filter(api_key=self.key, pk=pk), UnknownBatch)


class BatchesView(_BatchView):
    parser_classes = [JsonLinesParser, JsonlParser]
    ordering = ("-created_at", "pk")

    @extend_schema(responses=serializers.BatchSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The batches of this key, the newest first."""
        return page_response(self, Batch.objects.with_counts().filter(api_key=self.key), serializers.BatchSerializer)

    @extend_schema(
        request=dict.fromkeys(MEDIA_TYPES, OpenApiTypes.BINARY), responses={202: serializers.BatchSerializer}
    )
    def post(self, request: Request) -> Response:
        """Ask up to 1,000 questions, one JSON object a line: what `POST /api/v1/query` takes, with an `id` of your own.
        Each counts against the limits of the key; where one is used up, the batch waits. Nothing is asked where a line
        is wrong."""
        lines = request.data if isinstance(request.data, list) else []
        made = create_batch(lines, key=self.key)
        return Response(serializers.BatchSerializer(self.get_batch(made.pk)).data, status=202)


class BatchView(_BatchView):
    @extend_schema(responses=serializers.BatchSerializer)
    def get(self, request: Request, batch: UUID) -> Response:
        """How far it is."""
        return Response(serializers.BatchSerializer(self.get_batch(batch)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, batch: UUID) -> Response:
        """Cancel it, and forget its results. The log of questions keeps what was asked."""
        self.get_batch(batch).delete()
        return Response(status=204)


class BatchCancelView(_BatchView):
    @extend_schema(request=EmptySerializer, responses=serializers.BatchSerializer)
    def post(self, request: Request, batch: UUID) -> Response:
        """Ask no further question of it. What was answered stays; one that has ended stays as it is."""
        validated(EmptySerializer(data=request.data))
        self.get_batch(batch).end(Batch.State.CANCELLED)
        return Response(serializers.BatchSerializer(self.get_batch(batch)).data)


class BatchResultsView(_BatchView):
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(responses={(200, MEDIA_TYPES[0]): OpenApiTypes.STR})
    def get(self, request: Request, batch: UUID) -> HttpResponse:
        """What was answered so far, one JSON object a line in the order of the questions: `id`, `response` and
        `error`."""
        found = self.get_batch(batch)
        lines = (json.dumps(line, ensure_ascii=False) for line in batch_results(found, key=self.key))
        response = HttpResponse("".join(f"{line}\n" for line in lines), content_type=f"{MEDIA_TYPES[0]}; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="batch-{found.pk}.jsonl"'
        return response
