"""`GET /api/health`: whether the API answers. `/readyz` says more: whether it can do its work."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.fields import QueryParameters
from api.health.serializers import HealthSerializer
from api.views import PublicView


class HealthView(PublicView):
    @extend_schema(responses=HealthSerializer)
    def get(self, request: Request) -> Response:
        """Whether the API answers; nothing else is asked, and nobody has to sign in."""
        QueryParameters.read(request)
        shown = HealthSerializer({"status": "healthy", "timestamp": timezone.now()}).data
        return Response(shown, headers={"Cache-Control": "no-store"})
